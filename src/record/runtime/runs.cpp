// Runs: a loop that counts its rounds in the ring (protocol.h, EventKind::run).
//
// While it counts, `next` in the loop's register is not where the next word goes, but where it
// would go if each round had appended one. So (origin + next) / 4 is the time all along, and
// nothing but the run's end has to know. __vestige_thread.next stays at the run's header: whoever
// comes in between finds a whole event there (settled()).
#include "record/runtime/abi.h"
#include "record/runtime/threads.h"

using namespace vestige;
using namespace vestige::runtime;

extern "C" __attribute__((preserve_most)) uint64_t* __vestige_run(uint32_t* next, uint32_t word) {
  VestigeThread& thread = __vestige_thread;
  if (next >= thread.limit) {
    __vestige_full(next);
    return nullptr;
  }
  thread.next = next;
  const uint32_t payload_words = word_of(next + 5) % 8 == 0 ? 6 : 7;
  uint32_t* moved = next + payload_words - 1;
  uint64_t start = word_of(next);
  next[1] = word;
  next[2] = protocol::run_check(word, start);
  for (uint32_t* at : {moved - 2, moved}) {
    at[0] = static_cast<uint32_t>(start);
    at[1] = static_cast<uint32_t>(start >> 32);
  }
  __atomic_store_n(next, protocol::event_word(protocol::EventKind::run, payload_words),
                   __ATOMIC_RELEASE);
  return reinterpret_cast<uint64_t*>(moved);
}

extern "C" __attribute__((preserve_most)) uint32_t* __vestige_run_end(uint32_t* next,
                                                                      uint64_t* moved) {
  VestigeThread& thread = __vestige_thread;
  uint32_t* end = reinterpret_cast<uint32_t*>(moved + 1);
  const uint64_t origin = thread.origin + word_of(next) - word_of(end);
  if (RingWriter* writer = current_writer(this_thread())) {
    commit(*writer, end - 1, end, origin);
  } else {
    thread.next = end;
    thread.origin = origin;
  }
  return end >= thread.limit ? __vestige_full(end) : end;
}
