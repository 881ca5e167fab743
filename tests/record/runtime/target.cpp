// Programs as the pass would have instrumented them, by hand: one per name given as argument. What
// they append is in runtime_test.cpp, which runs them.

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "record/protocol.h"

extern "C" {
extern __attribute__((tls_model("initial-exec"))) __thread VestigeThread __vestige_thread;
__attribute__((preserve_most)) uint32_t* __vestige_full(uint32_t* next);
void __vestige_reannounce(uint64_t entry_time);
void __vestige_module_load(VestigeFunctionSlot* begin, VestigeFunctionSlot* end);
void __vestige_module_unload(VestigeFunctionSlot* begin, VestigeFunctionSlot* end);
}

namespace {

constexpr uint32_t kPath = 0x20000;

void append(uint32_t word) {
  uint32_t* next = __vestige_thread.next;
  *next++ = word;
  if (next >= __vestige_thread.limit) next = __vestige_full(next);
  __vestige_thread.next = next;
}

uint64_t time_now() {
  return (__vestige_thread.origin + reinterpret_cast<uintptr_t>(__vestige_thread.next)) >> 2;
}

void append_many(uint32_t from, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) append(from + i);
}

struct {
  char first[12];
  char second[5];
} records = {"the first..", "2nd."};
VestigeFunctionSlot slots[2] = {{vestige::protocol::kUnregistered, 10, 12, 0, 0, 0, 0, 0},
                                {vestige::protocol::kUnregistered, 3, 5, 0, 0, 0, 0, 0}};

__attribute__((constructor(101))) void load() {
  slots[0].record = static_cast<int32_t>(reinterpret_cast<char*>(&records.first) -
                                         reinterpret_cast<char*>(&slots[0].record));
  slots[1].record = static_cast<int32_t>(reinterpret_cast<char*>(&records.second) -
                                         reinterpret_cast<char*>(&slots[1].record));
  __vestige_module_load(slots, slots + 2);
}
__attribute__((destructor(101))) void unload() { __vestige_module_unload(slots, slots + 2); }

int plain() {
  uint64_t entry = time_now();
  append_many(kPath, 100);
  __vestige_reannounce(entry);
  append(kPath + 100);
  printf("%llu %u", static_cast<unsigned long long>(time_now() - entry), slots[1].base);
  return 7;
}

// More than a ring holds.
int much() {
  append_many(kPath, 3'000'000);
  printf("%llu", static_cast<unsigned long long>(time_now()));
  return 0;
}

int threads() {
  append(kPath);
  std::vector<std::thread> all;
  for (uint32_t i = 1; i <= 64; ++i) {
    all.emplace_back([i] { append_many(kPath + 1000 * i, 900); });
  }
  for (std::thread& thread : all) thread.join();
  append(kPath + 1);
  return 0;
}

// A key destructor is recorded code too.
int late() {
  static pthread_key_t key;
  pthread_key_create(&key, [](void*) { append(kPath + 2); });
  std::thread([] {
    append(kPath + 1);
    pthread_setspecific(key, &key);
  }).join();
  return 0;
}

int forks() {
  append_many(kPath, 3);
  pid_t child = fork();
  if (child == 0) {
    append(kPath + 10);
    std::thread([] { append(kPath + 11); }).join();
    printf("%llu", static_cast<unsigned long long>(time_now()));
    return 3;
  }
  append(kPath + 20);
  int status;
  waitpid(child, &status, 0);
  append(kPath + 21);
  return WEXITSTATUS(status);
}

// Recorded code that keeps `next` in a register when the signal strikes.
template <typename Strike>
void with_stale_pointer(uint32_t from, uint32_t count, Strike strike) {
  uint32_t* next = __vestige_thread.next;
  for (uint32_t i = 0; i < count; ++i) {
    *next++ = from + i;
    asm volatile("" ::: "memory");
  }
  strike();
  *next++ = from + count;
  __vestige_thread.next = next;
}

int handler() {
  struct sigaction action{};
  action.sa_handler = [](int) {
    append_many(kPath + 100, 2);
    errno = 99;
    if (time_now() < 3) raise(SIGUSR2);
  };
  sigaction(SIGUSR1, &action, nullptr);
  struct sigaction before{};
  sigaction(SIGUSR1, nullptr, &before);
  if (before.sa_handler != action.sa_handler || (before.sa_flags & SA_SIGINFO) != 0) return 1;
  if (signal(SIGUSR2, [](int) { append(kPath + 200); }) != SIG_DFL) return 2;
  append(kPath);
  with_stale_pointer(kPath + 1, 5, [] { raise(SIGUSR1); });
  append(kPath + 7);
  raise(SIGUSR1);
  if (errno != 99) return 3;
  append(kPath + 8);
  if (signal(SIGUSR2, SIG_IGN) == SIG_DFL) return 4;
  return 0;
}

sigjmp_buf jump;

int jumps() {
  stack_t stack{};
  std::vector<char> memory(64 * 1024);
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  struct sigaction action{};
  action.sa_handler = [](int signal) {
    append(kPath + 100);
    if (signal == SIGUSR1) raise(SIGUSR2);
    siglongjmp(jump, 1);
  };
  for (int round = 0; round < 2; ++round) {
    if (round == 1) {
      sigaltstack(&stack, nullptr);
      action.sa_flags = SA_ONSTACK;
    }
    sigaction(SIGUSR1, &action, nullptr);
    sigaction(SIGUSR2, &action, nullptr);
    uint64_t entry = time_now();
    append(kPath);
    if (sigsetjmp(jump, 1) == 0) {
      __vestige_reannounce(entry);
      with_stale_pointer(kPath + 1, 5, [] { raise(SIGUSR1); });
    } else {
      __vestige_reannounce(entry);
      append(kPath + 50);
    }
  }
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  append(kPath + 60);
  // A jump inside a handler leaves nothing.
  signal(SIGUSR1, [](int) {
    static jmp_buf inner;
    append(kPath + 101);
    if (setjmp(inner) == 0) longjmp(inner, 1);
    append(kPath + 102);
  });
  raise(SIGUSR1);
  append(kPath + 61);
  return 0;
}

int crash() {
  append(kPath);
  with_stale_pointer(kPath + 1, 5, [] { *reinterpret_cast<volatile int*>(16) = 1; });
  return 0;
}

__attribute__((noinline)) int deep(volatile int* above) {
  volatile int here[64] = {*above};
  append(kPath);
  return here[0] == 1 ? 0 : deep(here) + here[1];
}

int overflow() {
  volatile int zero = 0;
  return deep(&zero);
}

int aborts() {
  append(kPath);
  abort();
}

int trap() {
  append(kPath);
  __builtin_debugtrap();
  return 0;
}

// A fatal signal with a handler, then the default again.
int restored() {
  signal(SIGSEGV, [](int) {
    append(kPath + 100);
    signal(SIGSEGV, SIG_DFL);
  });
  append(kPath);
  *reinterpret_cast<volatile int*>(16) = 1;
  return 0;
}

int defaults() {
  struct sigaction action{};
  for (int number : {SIGSEGV, SIGABRT, SIGFPE}) {
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return 1;
  }
  return 0;
}

// Whether the kernel itself holds no handler but libc's own.
int untouched() {
  append_many(kPath, 100'000);
  std::thread([] { append_many(kPath, 100'000); }).join();
  char line[256];
  FILE* file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file) != nullptr) {
    if (strncmp(line, "SigCgt:", 7) == 0 && (strtoull(line + 7, nullptr, 16) & 0x7fffffff) != 0)
      return 1;
  }
  fclose(file);
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  return (stack.ss_flags & SS_DISABLE) != 0 ? 0 : 2;
}

int again(char** arguments) {
  append(kPath);
  execl("/proc/self/exe", arguments[0], "plain", nullptr);
  return 1;
}

// A signal every 100 µs through everything the runtime does.
int storm() {
  struct sigaction action{};
  action.sa_handler = [](int) { append(kPath + 5'000'000); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  ualarm(100, 100);
  uint64_t entry = time_now();
  for (uint32_t i = 0; i < 2'000'000; ++i) {
    append(kPath + i);
    if (i % 3 == 0) __vestige_reannounce(entry);
  }
  ualarm(0, 0);
  return 0;
}

// Threads come and go while others fork.
int crowd() {
  append(kPath);
  std::vector<std::thread> all;
  for (uint32_t i = 0; i < 8; ++i) {
    all.emplace_back([] {
      for (int j = 0; j < 20; ++j) {
        append(kPath + 1);
        std::thread([] { append(kPath + 2); }).join();
        pid_t child = fork();
        if (child == 0) {
          append(kPath + 3);
          _exit(0);
        }
        waitpid(child, nullptr, 0);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  return 0;
}

// fork in a handler; the child returns to code that holds the parent's pointer.
int fork_in_handler() {
  static pid_t child;
  signal(SIGUSR1, [](int) {
    append(kPath + 100);
    child = fork();
    append(kPath + (child == 0 ? 102 : 101));
  });
  with_stale_pointer(kPath, 5, [] { raise(SIGUSR1); });
  append_many(kPath + 1000, child == 0 ? 100'000 : 1);
  if (child == 0) return 0;
  int status;
  waitpid(child, &status, 0);
  return status;
}

int sleepy() {
  append(kPath);
  printf("ready\n");
  fflush(stdout);
  pause();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  struct {
    const char* name;
    int (*run)();
  } const programs[] = {
      {"plain", plain},
      {"much", much},
      {"threads", threads},
      {"late", late},
      {"forks", forks},
      {"handler", handler},
      {"jumps", jumps},
      {"crash", crash},
      {"overflow", overflow},
      {"aborts", aborts},
      {"trap", trap},
      {"restored", restored},
      {"defaults", defaults},
      {"untouched", untouched},
      {"storm", storm},
      {"crowd", crowd},
      {"fork_in_handler", fork_in_handler},
      {"sleepy", sleepy},
  };
  if (count < 2) return 126;
  if (strcmp(arguments[1], "again") == 0) return again(arguments);
  for (const auto& program : programs) {
    if (strcmp(program.name, arguments[1]) == 0) return program.run();
  }
  return 126;
}
