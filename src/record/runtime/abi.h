// What the compiler pass emits references to. Everything else in the runtime is hidden, except the
// libc functions it interposes (interpose.h).
//
// Inline code holds `next` in a register inside a recorded function, stores it to the thread-local
// before every call and return, and reloads it after every call. So whenever the runtime is called,
// __vestige_thread is up to date; only a signal handler can find it behind the truth (events.h).
#pragma once

#include "record/protocol.h"

#define VESTIGE_EXPORT __attribute__((visibility("default")))

extern "C" {

// Starts at a static sink of one word: the first append is valid memory and asks for
// __vestige_full, which attaches the thread.
extern constinit VESTIGE_EXPORT
    __attribute__((tls_model("initial-exec"))) thread_local VestigeThread __vestige_thread;

// The piece is full (or the thread is not attached yet). Returns where the next word goes, and
// stores it in __vestige_thread too. Preserves every general register but r11.
VESTIGE_EXPORT __attribute__((preserve_most)) uint32_t* __vestige_full(uint32_t* next);

// A loop begins to count its rounds, each of which completes the path `word` (protocol.h,
// EventKind::run). Returns where the address goes that moves on by 4 each time. Null: there was no
// room, and the piece was handed over. Either way __vestige_thread.next is where the loop goes on.
VESTIGE_EXPORT __attribute__((preserve_most)) uint64_t* __vestige_run(uint32_t* next,
                                                                      uint32_t word);
// The loop is left, `next` having moved to there. Returns where the next word goes, like
// __vestige_full.
VESTIGE_EXPORT __attribute__((preserve_most)) uint32_t* __vestige_run_end(uint32_t* next,
                                                                          uint64_t* moved);

// A value that could not be foreseen; `next` is where the present path's word will go.
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_tell(uint32_t* next, uint64_t index,
                                                                  uint64_t value);

// The same of a value with a place of its own in the shadow, behind the function's `base`, unless
// that has it already. `what`: protocol::kOwnBytes.
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_tell_own(uint32_t* next,
                                                                      const uint32_t* base,
                                                                      uint64_t what,
                                                                      uint64_t value);
// Tells how the thread rounds, when that is another way than before.
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_look_at_rounding(uint32_t* next);

// The value of a statement, in code that was compiled to be checked.
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_check(uint32_t* next, uint64_t index,
                                                                   uint64_t value);

// A memcpy, memmove or memset of the program: the shadow does the same.
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_copy(uint64_t to, uint64_t from,
                                                                  uint64_t bytes);
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_fill(uint64_t to, uint64_t value,
                                                                  uint64_t bytes);

// A number that says how far a library function went (protocol::Measure).
VESTIGE_EXPORT __attribute__((preserve_most)) uint64_t __vestige_measure(uint64_t kind, uint64_t of,
                                                                         uint64_t with,
                                                                         uint64_t most);

// Around an atomic operation or fence (address 0) of the program. `what` is its kind and, above bit
// 8, how it was ordered (atomics.h). The second returns where the next word goes, like
// __vestige_full.
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_atomic_begin(uint64_t address);
VESTIGE_EXPORT __attribute__((preserve_most)) uint32_t* __vestige_atomic_end(uint32_t* next,
                                                                             uint64_t address,
                                                                             uint64_t what);

// Around an access of code that tells the order of accesses (order.h). `what`: bit 0 it writes, bit
// 1 its path is complete already, and above them its statement. `next` is where the next word goes.
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_order_begin(uint32_t* next,
                                                                         uint64_t what,
                                                                         uint64_t address,
                                                                         uint64_t bytes);
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_order_copy(uint32_t* next,
                                                                        uint64_t what, uint64_t to,
                                                                        uint64_t from,
                                                                        uint64_t bytes);
VESTIGE_EXPORT __attribute__((preserve_most)) void __vestige_order_end();

// Which body to run, for a thread that has not been asked yet. Attaches it.
VESTIGE_EXPORT __attribute__((preserve_most)) uint64_t __vestige_decide();

// The activation that was entered at `entry_time` goes on; the frames above it are gone.
VESTIGE_EXPORT void __vestige_reannounce(uint64_t entry_time);

// From a constructor and a destructor of priority 0 in every instrumented module.
VESTIGE_EXPORT void __vestige_module_load(VestigeFunctionSlot* begin, VestigeFunctionSlot* end);
VESTIGE_EXPORT void __vestige_module_unload(VestigeFunctionSlot* begin, VestigeFunctionSlot* end);
}
