// exit() and the return from main wait while other threads of the program are alive, up to
// SessionHeader::exit_wait. Before the program's own handlers and destructors run: what the threads
// use is still there. Not before _exit, abort and signals.
//
// The wait ends early when the others have ended, and when all of them sleep on private futexes
// without a time limit: only a thread of this process could wake them, and none runs. (Each was
// seen asleep, and none ran between two looks.)

#include "record/runtime/exit.h"

#include "record/runtime/interpose.h"
#include "record/runtime/threads.h"

namespace vestige::runtime {

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint32_t kLookEvery = 10;  // milliseconds

// Who ends the program, by its thread's id, and whether it still waits.
std::atomic<uint32_t> leaver;
std::atomic<bool> waiting;

uint64_t now() {
  timespec time{};
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, word_of(&time));
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

void sleep_a_little() {
  const timespec time{0, static_cast<long>(kMillisecond)};
  system_call(SYS_nanosleep, word_of(&time), 0);
}

uint32_t others() {
  const ThreadState* state = this_thread();
  const uint32_t mine = state != nullptr && state->counted;
  return threads_alive.load(std::memory_order_acquire) - mine;
}

// "/proc/self/task/<thread>/<file>", as far as it fits. The number of bytes read.
long read_of_task(const char* thread, const char* file, char* into, size_t size) {
  char path[64] = "/proc/self/task/";
  size_t at = text_length(path);
  for (const char* part : {thread, "/", file}) {
    const size_t length = text_length(part);
    if (at + length >= sizeof path) return 0;
    copy_bytes(path + at, part, length);
    at += length;
  }
  const int fd = open_file(path, O_RDONLY);
  if (fd < 0) return 0;
  const long got = read_file(fd, into, size - 1);
  close_file(fd);
  into[got < 0 ? 0 : got] = '\0';
  return got;
}

// The next number of a text, decimal or 0x….
uint64_t number_at(const char*& text) {
  while (*text == ' ') ++text;
  const bool hexadecimal = text[0] == '0' && text[1] == 'x';
  if (hexadecimal) text += 2;
  uint64_t number = 0;
  for (;; ++text) {
    const uint32_t low = static_cast<uint32_t>(*text | 0x20);
    if (*text >= '0' && *text <= '9')
      number = number * (hexadecimal ? 16 : 10) + static_cast<uint64_t>(*text - '0');
    else if (hexadecimal && low >= 'a' && low <= 'f')
      number = number * 16 + (low - 'a' + 10);
    else
      return number;
  }
}

// A futex of this process alone, without a time limit.
bool sleeps_for_good(const char* thread) {
  char line[256];
  if (read_of_task(thread, "syscall", line, sizeof line) <= 0) return false;
  if (line[0] < '0' || line[0] > '9') return false;  // "running", or in no system call
  const char* at = line;
  if (number_at(at) != SYS_futex) return false;
  number_at(at);
  const uint64_t operation = number_at(at);
  number_at(at);
  const uint64_t limit = number_at(at);
  const uint64_t command = operation & FUTEX_CMD_MASK;
  return limit == 0 && (operation & FUTEX_PRIVATE_FLAG) != 0 &&
         (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI);
}

struct ThreadsSeen {
  bool all_asleep = false;
  uint64_t ran = 0;  // all of them together, in nanoseconds; and who they are
};

ThreadsSeen look_at_others() {
  ThreadsSeen look;
  const int folder = open_file("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (folder < 0) return look;
  const uint32_t mine = thread_id();
  alignas(8) char entries[2048];
  look.all_asleep = true;
  long got;
  while (look.all_asleep && (got = system_call(SYS_getdents64, static_cast<uint64_t>(folder),
                                               word_of(entries), sizeof entries)) > 0) {
    for (long at = 0; at < got && look.all_asleep;) {
      // struct linux_dirent64: inode and offset, 8 bytes each; size, 2; type, 1; the name.
      const char* entry = entries + at;
      at += *reinterpret_cast<const uint16_t*>(entry + 16);
      const char* name = entry + 19;
      const char* digits = name;
      const uint64_t number = number_at(digits);
      if (number == 0 || number == mine) continue;
      char line[128];
      look.all_asleep =
          sleeps_for_good(name) && read_of_task(name, "schedstat", line, sizeof line) > 0;
      const char* first = line;
      if (look.all_asleep) look.ran += number_at(first) + (number << 40);
    }
  }
  close_file(folder);
  return look;
}

void wait_for_others(uint64_t milliseconds) {
  const uint64_t end = now() + milliseconds * kMillisecond;
  ThreadsSeen before;
  for (uint32_t round = 1; others() != 0 && recording() && now() < end; ++round) {
    sleep_a_little();
    if (round % kLookEvery != 1) continue;
    const ThreadsSeen look = look_at_others();
    if (look.all_asleep && before.all_asleep && look.ran == before.ran) return;
    before = look;
  }
}

// Once. A second thread that wants to end the program meanwhile comes behind the first.
void before_exit() {
  if (!recording() || session.header->exit_wait == 0) return;
  const uint32_t me = thread_id();
  uint32_t nobody = 0;
  if (leaver.compare_exchange_strong(nobody, me)) {
    if (others() == 0) return;
    waiting.store(true);
    wait_for_others(session.header->exit_wait);
    waiting.store(false);
  } else if (nobody != me) {
    while (waiting.load()) sleep_a_little();
  }
}

}  // namespace

void forget_exit() {
  leaver.store(0);
  waiting.store(false);
}

}  // namespace vestige::runtime

using namespace vestige::runtime;

VESTIGE_INTERPOSE(void, exit, (int status)) {
  before_exit();
  VESTIGE_REAL(exit)(status);
  __builtin_unreachable();
}

// What calls main. In a static program the return from main goes through exit() above.
#ifndef VESTIGE_STATIC

namespace {

using Main = int (*)(int, char**, char**);
Main program_main;

int main_and_wait(int count, char** arguments, char** environment) {
  const int status = program_main(count, arguments, environment);
  before_exit();
  return status;
}

}  // namespace

VESTIGE_INTERPOSE(int, __libc_start_main,
                  (Main main, int count, char** arguments, void (*begin)(), void (*end)(),
                   void (*loader_end)(), void* stack_end)) {
  program_main = main;
  return VESTIGE_REAL(__libc_start_main)(main_and_wait, count, arguments, begin, end, loader_end,
                                         stack_end);
}

#endif
