#include "record/runtime/fatal.h"

#include <ucontext.h>

#include "record/runtime/threads.h"

namespace vestige::runtime {

namespace {

constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
constexpr int kRegisters[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                              REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15, REG_EFL};
constexpr uint32_t kRegisterCount = sizeof kRegisters / sizeof kRegisters[0];
constexpr uint32_t kPayloadWords = 5 + 2 * kRegisterCount;
static_assert(kPayloadWords + 1 <= kReservedWords);

// The kernel runs the faulting instruction again when the handler returns: it dies of the same
// fault, with the same core. int3 and a forbidden system call lie behind the program counter.
bool happens_again(int signal, const siginfo_t* info) {
  return info->si_code > 0 && signal != SIGTRAP && signal != SIGSYS && signal != SIGABRT;
}

void put_back_default(int signal) {
  struct {
    uint64_t handler, flags, restorer, mask;
  } action{};
  system_call(SYS_rt_sigaction, static_cast<uint64_t>(signal), word_of(&action), 0, 8);
}

}  // namespace

bool is_fatal(int signal) {
  for (int fatal : kFatalSignals) {
    if (fatal == signal) return true;
  }
  return false;
}

void fatal_handler(int signal, siginfo_t* info, void* context) {
  put_back_default(signal);
  ThreadState* state = this_thread();
  if (RingWriter* writer = recording() ? current_writer(state) : nullptr) {
    const greg_t* registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    uint32_t payload[kPayloadWords];
    uint32_t at = 0;
    auto add = [&](uint64_t value) {
      payload[at++] = static_cast<uint32_t>(value);
      payload[at++] = static_cast<uint32_t>(value >> 32);
    };
    payload[at++] = static_cast<uint32_t>(signal);
    add(static_cast<uint64_t>(registers[REG_RIP]));
    // An address that no memory can have is not told, nor is there one when somebody sent the
    // signal.
    add(info->si_code > 0 && info->si_code != SI_KERNEL ? word_of(info->si_addr) : UINT64_MAX);
    for (int number : kRegisters) add(static_cast<uint64_t>(registers[number]));
    settle(*writer, __vestige_thread);
    write_event(*writer, protocol::EventKind::fatal_signal, payload, kPayloadWords);
    ring_doorbell();
  }
  if (happens_again(signal, info)) return;
  system_call(SYS_rt_tgsigqueueinfo, process_id(), thread_id(), static_cast<uint64_t>(signal),
              word_of(info));
}

void fill_fatal_action(struct sigaction* action) {
  zero_bytes(action, sizeof *action);
  action->sa_sigaction = fatal_handler;
  action->sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action->sa_mask);
}

void install_fatal_handlers() {
  for (int signal : kFatalSignals) install_fatal_handler(signal);
}

}  // namespace vestige::runtime
