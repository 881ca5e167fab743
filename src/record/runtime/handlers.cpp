#include "record/runtime/handlers.h"

#include <errno.h>
#include <ucontext.h>

#include "record/runtime/atomics.h"
#include "record/runtime/order.h"
#include "record/runtime/values.h"

namespace vestige::runtime {

using namespace protocol;

namespace {

// Signals are blocked, the depth is already raised; `depth` is the new handler's own index.
void enter_handler(ThreadState* state, uint32_t depth, int signal, uint64_t frame,
                   const ucontext_t* context) {
  HandlerFrame& handler = state->handlers[depth];
  handler.interrupted = __vestige_thread;
  handler.frame = frame;
  uint64_t low = word_of(context->uc_stack.ss_sp);
  uint64_t high = low + context->uc_stack.ss_size;
  bool alternate = (context->uc_stack.ss_flags & SS_DISABLE) == 0 && frame >= low && frame < high;
  handler.alternate_low = alternate ? low : 0;
  handler.alternate_high = alternate ? high : 0;

  state->depth = depth;
  RingOrigin interrupted;
  if (RingWriter* writer = current_writer(state)) {
    interrupted = {writer->index, writer->serial,
                   paths_completed(settled(*writer, __vestige_thread))};
  }
  state->depth = depth + 1;

  if (handler.writer.entry != nullptr) {
    __vestige_thread = handler.position;
  } else if (claim(handler.writer, RingKind::handler, interrupted, Patience::none)) {
    uint32_t* next = handler.writer.piece();
    __vestige_thread.next = next;
    __vestige_thread.limit = handler.writer.limit();
    __vestige_thread.origin = -word_of(next);
    begin_values(handler.values, handler.writer, Patience::none);
  } else {
    move_to_sink(state);
    tell_nothing();
    return;
  }
  uint32_t payload[6] = {static_cast<uint32_t>(signal),
                         interrupted.ring,
                         static_cast<uint32_t>(interrupted.serial),
                         static_cast<uint32_t>(interrupted.serial >> 32),
                         static_cast<uint32_t>(interrupted.time),
                         static_cast<uint32_t>(interrupted.time >> 32)};
  write_event(handler.writer, EventKind::handler_begin, payload, 6);
}

// What runs now was left in the middle of a path.
void abandon_path(RingWriter& writer) {
  write_event(writer, EventKind::abandoned);
  forget_values();
}

enum class Leaving { by_return, by_jump };

// The innermost handler is over. Handlers too deep to have a frame of their own ran in the sink.
void leave_innermost(ThreadState* state, Leaving how) {
  let_go(state, state->depth);
  uint32_t depth = state->depth - 1;
  if (depth >= kMaxHandlerDepth) {
    state->depth = depth;
    return;
  }
  HandlerFrame& handler = state->handlers[depth];
  if (handler.writer.entry != nullptr) {
    if (how == Leaving::by_jump) abandon_path(handler.writer);
    write_event(handler.writer, EventKind::handler_end);
    handler.position = __vestige_thread;
  }
  state->depth = depth;
  order_depth(state);
  RingWriter* interrupted = current_writer(state);
  __vestige_thread = handler.interrupted;
  if (how == Leaving::by_jump) {
    let_go(state, depth);
    order_left(state);
  }
  if (how == Leaving::by_return || interrupted == nullptr) return;
  settle(*interrupted, handler.interrupted);
  abandon_path(*interrupted);
  order_abandoned(state);
}

bool lies_beyond(const HandlerFrame& handler, uint64_t stack_address) {
  if (stack_address > handler.frame) return true;
  return handler.alternate_high != 0 && stack_address < handler.alternate_low;
}

}  // namespace

__attribute__((noinline)) void handler_trampoline(int signal, siginfo_t* info, void* context) {
  Handler run = handler_to_run(signal);
  if (run == nullptr) return;
  // Restored whatever happens: the interrupted code compares the `next` in its register with this
  // `limit`.
  const VestigeThread interrupted = __vestige_thread;
  ThreadState* state = nullptr;
  uint32_t depth;
  if (recording()) {
    SignalBlock block;
    state = state_for_handler();
    if (state != nullptr) {
      depth = state->depth++;
      order_depth(state);
      if (depth < kMaxHandlerDepth) {
        enter_handler(state, depth, signal, word_of(__builtin_frame_address(0)),
                      static_cast<const ucontext_t*>(context));
      } else {
        move_to_sink(state);
      }
    }
  }
  run(signal, info, context);
  if (state != nullptr) {
    // Not undone: the return from the signal restores the mask.
    uint64_t all = ~uint64_t{0};
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, word_of(&all), 0, sizeof all);
    while (state->depth > depth + 1) leave_innermost(state, Leaving::by_jump);
    leave_innermost(state, Leaving::by_return);
  }
  __vestige_thread = interrupted;
}

void leave_handlers_above(uint64_t stack_address) {
  ThreadState* state = this_thread();
  if (state == nullptr || state->depth == 0) return;
  SignalBlock block;
  while (state->depth > 0) {
    uint32_t framed = state->depth < kMaxHandlerDepth ? state->depth : kMaxHandlerDepth;
    if (!lies_beyond(state->handlers[framed - 1], stack_address)) break;
    leave_innermost(state, Leaving::by_jump);
  }
}

void leave_all_handlers(ThreadState* state) {
  while (state->depth > 0) leave_innermost(state, Leaving::by_jump);
}

}  // namespace vestige::runtime
