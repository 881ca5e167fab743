#include "record/collect/signals.h"

#include <signal.h>

#include <atomic>
#include <iterator>

namespace vestige {

namespace {

// SIGXFSZ and SIGPIPE become error codes of the writes that cause them.
constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int kIgnored[] = {SIGXFSZ, SIGPIPE};

struct sigaction before_passed_on[std::size(kPassedOn)];
struct sigaction before_ignored[std::size(kIgnored)];
struct sigaction before_child;
std::atomic<uint64_t> noted;  // one bit per signal
std::atomic<bool> child;
static_assert(std::atomic<uint64_t>::is_always_lock_free);

void note(int signal, siginfo_t* info, void*) {
  // The terminal's signals go to the whole foreground group; a process's go to us alone.
  if (info->si_code <= 0) noted.fetch_or(uint64_t{1} << signal);
}

void note_child(int) { child.store(true); }

}  // namespace

SignalGuard::SignalGuard() {
  noted = 0;
  child = true;
  struct sigaction action{};
  sigfillset(&action.sa_mask);
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (size_t i = 0; i < std::size(kPassedOn); ++i) {
    ::sigaction(kPassedOn[i], nullptr, &before_passed_on[i]);
    // What the caller ignores (nohup) stays ignored, here and in the program.
    if (before_passed_on[i].sa_handler != SIG_IGN) ::sigaction(kPassedOn[i], &action, nullptr);
  }
  struct sigaction on_child{};
  on_child.sa_handler = note_child;
  on_child.sa_flags = SA_NOCLDSTOP;  // no SA_RESTART: it is to end a sleep
  ::sigaction(SIGCHLD, &on_child, &before_child);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  for (size_t i = 0; i < std::size(kIgnored); ++i)
    ::sigaction(kIgnored[i], &ignore, &before_ignored[i]);
}

SignalGuard::~SignalGuard() { restore_in_child(); }

void SignalGuard::restore_in_child() {
  for (size_t i = 0; i < std::size(kPassedOn); ++i)
    ::sigaction(kPassedOn[i], &before_passed_on[i], nullptr);
  for (size_t i = 0; i < std::size(kIgnored); ++i)
    ::sigaction(kIgnored[i], &before_ignored[i], nullptr);
  ::sigaction(SIGCHLD, &before_child, nullptr);
}

bool SignalGuard::child_ended() { return child.exchange(false); }

void SignalGuard::pass_on(pid_t target) {
  const uint64_t pending = noted.exchange(0);
  for (const int signal : kPassedOn)
    if (pending >> signal & 1 && target > 0) ::kill(target, signal);
}

}  // namespace vestige
