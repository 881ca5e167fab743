#include "record/runtime/atomics.h"

#include <immintrin.h>

#include "record/runtime/abi.h"

namespace vestige::runtime {

using namespace protocol;

namespace {

constexpr uint32_t kStripeBits = 10;
constexpr uint32_t kSpins = 100;      // before the processor is given away
constexpr uint32_t kPatience = 2000;  // times it is given away

struct alignas(64) Stripe {
  std::atomic<void*> owner;  // a place in ThreadState::stripes
};
Stripe stripes[1 << kStripeBits];

// Parts of one piece of 16 bytes share a stripe: operations of several sizes may meet there.
Stripe& stripe_of(uint64_t address) {
  return stripes[(address >> 4) * 0x9e3779b97f4a7c15 >> (64 - kStripeBits)];
}

bool try_take(Stripe& stripe, void** place) {
  void* nobody = nullptr;
  return stripe.owner.load(std::memory_order_relaxed) == nullptr &&
         stripe.owner.compare_exchange_strong(nobody, place, std::memory_order_acquire);
}

// Whether this thread has it, in code that a handler interrupted.
bool is_mine(const ThreadState* state, const Stripe& stripe) {
  void* owner = stripe.owner.load(std::memory_order_relaxed);
  return owner >= state->stripes && owner < state->stripes + state->depth;
}

__attribute__((noinline)) void take_slowly(ThreadState* state, Stripe& stripe, void** place) {
  if (is_mine(state, stripe)) {
    *place = nullptr;
    return;
  }
  for (uint32_t i = 0; i < kPatience; ++i) {
    for (uint32_t spin = 0; spin < kSpins; ++spin) {
      if (try_take(stripe, place)) return;
      _mm_pause();
    }
    system_call(SYS_sched_yield);
  }
  *place = nullptr;
}

}  // namespace

void let_go(ThreadState* state, uint32_t depth) {
  if (depth > kMaxHandlerDepth) return;
  void** place = &state->stripes[depth];
  auto* stripe = static_cast<Stripe*>(*place);
  if (stripe == nullptr) return;
  if (stripe->owner.load(std::memory_order_relaxed) == place) {
    stripe->owner.store(nullptr, std::memory_order_release);
  }
  *place = nullptr;
}

void forget_stripes(ThreadState* state) {
  for (Stripe& stripe : stripes) stripe.owner.store(nullptr, std::memory_order_relaxed);
  if (state == nullptr) return;
  for (void*& stripe : state->stripes) stripe = nullptr;
}

}  // namespace vestige::runtime

using namespace vestige;
using namespace vestige::runtime;

extern "C" __attribute__((preserve_most)) void __vestige_atomic_begin(uint64_t address) {
  if (!recording()) return;
  ThreadState* state = this_thread();
  if (state == nullptr || state->depth > kMaxHandlerDepth) return;
  runtime::Stripe& stripe = runtime::stripe_of(address);
  void** place = &state->stripes[state->depth];
  *place = &stripe;
  compiler_barrier();
  if (!runtime::try_take(stripe, place)) runtime::take_slowly(state, stripe, place);
}

extern "C" __attribute__((preserve_most)) uint32_t* __vestige_atomic_end(uint32_t* next,
                                                                         uint64_t address,
                                                                         uint64_t what) {
  ThreadState* state = this_thread();
  __vestige_thread.next = next;  // before sync_writer() looks there
  RingWriter* writer = sync_writer();
  if (writer == nullptr) {
    if (state != nullptr) let_go(state, state->depth);
    return next;
  }
  uint64_t stamp = take_stamp();
  int result = static_cast<int>(what >> 8);
  if (state->stripes[state->depth] == nullptr && address != 0) result |= kUnordered;
  let_go(state, state->depth);
  tell_sync(*writer, static_cast<protocol::SyncKind>(what & 0xff),
            reinterpret_cast<const void*>(address), stamp, result);
  return __vestige_thread.next;
}
