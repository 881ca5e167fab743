#include "record/runtime/values.h"

#include "record/runtime/abi.h"
#include "record/runtime/threads.h"

namespace vestige::runtime {

using namespace protocol;

namespace {

constexpr uint64_t kSinkWords = 4096;
constexpr uint64_t kShadowMapping = kShadowBytes + 4096;
static_assert(kShadowSlack <= 4096);
// A place in the shadow is touched whenever its memory is, so the two should not get into each
// other's way in the first-level cache. AMD's processors guess the way by a hash of bits 12 to 27
// of the address; where two addresses have the same one, each access of one drives the other out,
// and recorded code may take twice as long. In the hash each of the bits 12 to 19 is joined with
// one above, so with these the same and another bit 23 it is never the same.
constexpr uint64_t kShadowApart = uint64_t{1} << 23;
static_assert(kShadowBytes == 2 * kShadowApart);

alignas(64) uint64_t values_sink[kSinkWords];
alignas(64) uint8_t nobodys_shadow[kShadowMapping];

uint64_t* begin_of(const RingWriter& writer) { return reinterpret_cast<uint64_t*>(writer.piece()); }
uint64_t* end_of(const RingWriter& writer) {
  return reinterpret_cast<uint64_t*>(writer.piece_end());
}

void* map_shadow() {
  const uint64_t room = own_memory_end.fetch_add(3 * kShadowBytes, std::memory_order_relaxed);
  const uint64_t at = ((room + kShadowBytes - 1) & ~(kShadowBytes - 1)) + kShadowApart;
  return map_memory(reinterpret_cast<void*>(at), kShadowMapping, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

RingWriter* current_values(ThreadState* state) {
  if (state == nullptr || state->depth > kMaxHandlerDepth) return nullptr;
  return state->depth == 0 ? &state->values : &state->handlers[state->depth - 1].values;
}

// Handlers that jump away must not find the thread between two pieces.
__attribute__((noinline)) void values_full() {
  SignalBlock block;
  RingWriter* writer = current_values(this_thread());
  if (writer == nullptr || writer->entry == nullptr || !give_piece(*writer)) {
    __vestige_thread.values_next = values_sink;
    __vestige_thread.values_limit = values_sink + kSinkWords;
    return;
  }
  __vestige_thread.values_next = begin_of(*writer);
  __vestige_thread.values_limit = end_of(*writer);
}

}  // namespace

void tell_nothing() {
  __vestige_thread.mode = kVestigeControl;
  __vestige_thread.shadow = nobodys_shadow;
  __vestige_thread.callee = 0;
  __vestige_thread.ack = 0;
  __vestige_thread.rounding = 0;
  __vestige_thread.values_next = values_sink;
  __vestige_thread.values_limit = values_sink + kSinkWords;
}

void begin_values(RingWriter& values, const RingWriter& thread, Patience patience) {
  tell_nothing();
  if (session.header->depth == Depth::control) return;
  void* shadow = map_shadow();
  if (shadow == nullptr) return;
  if (!claim(values, RingKind::values, {thread.index, thread.serial, 0}, patience)) {
    unmap_memory(shadow, kShadowMapping);
    return;
  }
  __vestige_thread.shadow = static_cast<uint8_t*>(shadow);
  __vestige_thread.values_next = begin_of(values);
  __vestige_thread.values_limit = end_of(values);
  __vestige_thread.mode =
      session.header->depth == Depth::addresses ? kVestigeAddresses : kVestigeFull;
}

void move_values(RingWriter& values, const RingWriter& thread) {
  const RingOrigin owner{thread.index, thread.serial, paths_completed(__vestige_thread)};
  const bool tells = values.entry != nullptr && tells_values(__vestige_thread.mode);
  values.entry = nullptr;
  if (!tells || !claim(values, RingKind::values, owner, Patience::wait)) {
    tell_nothing();
    return;
  }
  __vestige_thread.values_next = begin_of(values);
  __vestige_thread.values_limit = end_of(values);
}

void end_values(RingWriter& values, uint8_t* shadow) {
  if (shadow != nobodys_shadow && shadow != nullptr) unmap_memory(shadow, kShadowMapping);
  close(values);
}

void forget_values() {
  if (!tells_values(__vestige_thread.mode)) return;
  system_call(SYS_madvise, word_of(__vestige_thread.shadow), kShadowMapping, MADV_DONTNEED);
  __vestige_thread.callee = 0;
  __vestige_thread.ack = 0;
  __vestige_thread.rounding = 0;
  __vestige_tell(__vestige_thread.next, kPathAbandoned, 0);
}

void tell_record(uint64_t time, uint64_t index, uint64_t value) {
  VestigeThread& thread = __vestige_thread;
  uint64_t* at = thread.values_next;
  __atomic_store_n(at + 1, value, __ATOMIC_RELAXED);
  __atomic_store_n(at, (time & 0xffffffff) | (index | uint64_t{1} << 31) << 32, __ATOMIC_RELEASE);
  thread.values_next = at + 2;
  if (thread.values_next >= thread.values_limit) values_full();
}

}  // namespace vestige::runtime

using namespace vestige;
using namespace vestige::runtime;
using namespace vestige::protocol;

namespace {

// Whether something else was there.
template <class Number>
bool replaced(uint8_t* place, uint64_t value) {
  struct Unaligned {
    Number number;
  } __attribute__((packed, may_alias));
  auto* at = reinterpret_cast<Unaligned*>(place);
  if (at->number == static_cast<Number>(value)) return false;
  at->number = static_cast<Number>(value);
  return true;
}

}  // namespace

extern "C" __attribute__((preserve_most)) void __vestige_tell(uint32_t* next, uint64_t index,
                                                              uint64_t value) {
  tell_record((__vestige_thread.origin + word_of(next)) / 4, index, value);
}

extern "C" __attribute__((preserve_most)) void __vestige_tell_own(uint32_t* next,
                                                                  const uint32_t* base,
                                                                  uint64_t what, uint64_t value) {
  const uint64_t index = what & ((uint64_t{1} << kOwnBytes) - 1);
  uint8_t* place = __vestige_thread.shadow + (((*base + index) * 8) & (kShadowBytes - 1));
  bool differs = false;
  switch (what >> kOwnBytes) {
    case 1:
      differs = replaced<uint8_t>(place, value);
      break;
    case 2:
      differs = replaced<uint16_t>(place, value);
      break;
    case 4:
      differs = replaced<uint32_t>(place, value);
      break;
    default:
      differs = replaced<uint64_t>(place, value);
  }
  if (differs) __vestige_tell(next, index, value);
}

extern "C" __attribute__((preserve_most)) void __vestige_look_at_rounding(uint32_t* next) {
  const uint64_t now = __builtin_ia32_stmxcsr() & kRoundingBits;
  if (now == __vestige_thread.rounding) return;
  __vestige_thread.rounding = now;
  __vestige_tell(next, kRoundingSet, now);
}

extern "C" __attribute__((preserve_most)) void __vestige_check(uint32_t* next, uint64_t index,
                                                               uint64_t value) {
  if (!tells_values(__vestige_thread.mode) || session.header->depth != Depth::checked) return;
  __vestige_tell(next, index | vestige::kChecked, value);
}

extern "C" __attribute__((preserve_most)) uint64_t __vestige_decide() {
  attached_writer();
  if (__vestige_thread.mode == kVestigeUndecided) tell_nothing();
  return __vestige_thread.mode;
}
