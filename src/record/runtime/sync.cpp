#include "record/runtime/sync.h"

#include <errno.h>

#include "record/runtime/order.h"

namespace vestige::runtime {

constinit thread_local uint32_t quiet = 0;

using namespace protocol;

namespace {

void low_and_high(uint32_t* at, uint64_t value) {
  at[0] = static_cast<uint32_t>(value);
  at[1] = static_cast<uint32_t>(value >> 32);
}

uint32_t what(SyncKind kind, int result) {
  return static_cast<uint32_t>(kind) | static_cast<uint32_t>(result) << 8;
}

}  // namespace

void tell_sync(RingWriter& writer, SyncKind kind, const volatile void* object, uint64_t stamp,
               int result) {
  uint32_t payload[5];
  payload[0] = what(kind, result);
  low_and_high(payload + 1, word_of(object));
  low_and_high(payload + 3, stamp);
  write_event(writer, EventKind::sync, payload, 5);
  order_stamped(this_thread(), stamp);
}

void tell_sync_with(RingWriter& writer, SyncKind kind, const volatile void* object, uint64_t other,
                    int result) {
  uint32_t payload[7];
  payload[0] = what(kind, result);
  low_and_high(payload + 1, word_of(object));
  const uint64_t stamp = take_stamp();
  low_and_high(payload + 3, stamp);
  low_and_high(payload + 5, other);
  write_event(writer, EventKind::sync, payload, 7);
  order_stamped(this_thread(), stamp);
}

void tell_sync(SyncKind kind, const volatile void* object) {
  if (RingWriter* writer = sync_writer()) tell_sync(*writer, kind, object, take_stamp());
}

void tell_taken(SyncKind kind, const volatile void* object, int result) {
  // The owner of a robust mutex died: it is taken, and inconsistent.
  if (result != 0 && result != EOWNERDEAD) return;
  if (RingWriter* writer = sync_writer()) tell_sync(*writer, kind, object, take_stamp(), result);
}

void tell_refused(const volatile void* object, int result) {
  if (RingWriter* writer = sync_writer()) {
    tell_sync(*writer, SyncKind::refused, object, take_stamp(), result);
  }
}

}  // namespace vestige::runtime

// For libvestige-pmpi-….so (record/mpi): `what` is the tag and how many bytes.
extern "C" __attribute__((visibility("default"))) void __vestige_tell_message(uint32_t kind,
                                                                              uint64_t number,
                                                                              int peer,
                                                                              uint64_t what) {
  using namespace vestige;
  using namespace vestige::runtime;
  constexpr int kHasOther = 1 << 23;
  RingWriter* writer = writer_in_time();
  if (writer == nullptr) return;
  tell_sync_with(*writer, static_cast<protocol::SyncKind>(kind),
                 reinterpret_cast<const void*>(number), what, (peer & (kHasOther - 1)) | kHasOther);
}

extern "C" __attribute__((visibility("default"))) void __vestige_be_quiet(int more) {
  vestige::runtime::quiet += static_cast<uint32_t>(more);
}
