// An address trace that owes nothing to the recorder: clang's own instrumentation
// (-fsanitize-coverage=bb,trace-loads,trace-stores) calls these before each load and store, and what they are
// told goes into a file per thread, FOLDER/TID, as 64-bit words: address << 8 | size << 1 | is a store.
// Linked into programs that are recorded at the same time, so both speak of the same run. Clang instruments what
// the recorder's pass inserted as well: accesses to the recorder's own memory are left out. And it calls these in
// the middle of that, so nothing here may call what the recorder interposes (malloc, mutexes, mmap, write).
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kWords = 1 << 16 };

struct Log {
  int file;
  uint64_t used, words[kWords];
  struct Log* next;
};

static struct Log* all;
static __thread struct Log* mine;

static void flush(struct Log* log) {
  const char* at = (const char*)log->words;
  for (uint64_t left = log->used * 8; left > 0;) {
    const ssize_t written = syscall(SYS_write, log->file, at, left);
    if (written <= 0) abort();
    at += written;
    left -= written;
  }
  log->used = 0;
}

// Threads of a pool end with the process.
__attribute__((destructor)) static void flush_all(void) {
  for (struct Log* log = all; log; log = log->next) flush(log);
}

static struct Log* begin(void) {
  const char* folder = getenv("RAW_LOG");
  if (!folder) return NULL;
  struct Log* log =
      (struct Log*)syscall(SYS_mmap, (void*)0x3a0000000000, sizeof *log, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char name[4096];
  snprintf(name, sizeof name, "%s/%ld", folder, syscall(SYS_gettid));
  log->file = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  log->next = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
  while (
      !__atomic_compare_exchange_n(&all, &log->next, log, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  return mine = log;
}

extern __thread char __vestige_thread[88];
extern char __start_vestige_fn[], __stop_vestige_fn[];
static uintptr_t runtime_first, runtime_last;

// Where its library is. What that has without a file behind it lies there, too.
__attribute__((constructor(101))) static void find_runtime(void) {
  static char text[1 << 16];
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  size_t size = 0;
  for (ssize_t n; (n = read(maps, text + size, sizeof text - 1 - size)) > 0;) size += n;
  close(maps);
  int in_it = 0;
  for (char* line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    char* end;
    const uintptr_t from = strtoul(line, &end, 16), to = strtoul(end + 1, &end, 16);
    const char* stop = strchr(line, '\n');
    const char* name = strstr(line, "libvestige-rt");
    const int named = name && (!stop || name < stop),
              nameless = stop && stop - line < 60 && in_it && from == runtime_last;
    if (named && !runtime_first) runtime_first = from;
    in_it = named || nameless;
    if (in_it) runtime_last = to;
  }
}

// Its rings and shadows, its variables, its numbers of functions, and what it has for this thread.
static int is_recorders(uintptr_t address) {
  return address >> 40 == 0x2a || (address >= runtime_first && address < runtime_last) ||
         (address >= (uintptr_t)__start_vestige_fn && address < (uintptr_t)__stop_vestige_fn) ||
         address - (uintptr_t)__vestige_thread < sizeof __vestige_thread;
}

static void put(const void* address, uint64_t size, uint64_t store) {
  if (is_recorders((uintptr_t)address)) return;
  struct Log* log = mine ? mine : begin();
  if (!log) return;
  if (log->used == kWords) flush(log);
  log->words[log->used++] = (uint64_t)(uintptr_t)address << 8 | size << 1 | store;
}

#define LOGS(SIZE)                                                      \
  void __sanitizer_cov_load##SIZE(const void* at) { put(at, SIZE, 0); } \
  void __sanitizer_cov_store##SIZE(const void* at) { put(at, SIZE, 1); }
LOGS(1)
LOGS(2)
LOGS(4)
LOGS(8)
LOGS(16)
