// The count that a test program keeps of its own calls, to compare with the trace's.
//
// CALLED() at the top of a function counts that function. The counts lie in the file that $TALLY
// names, so they survive whatever happens to the process, and its children and libraries add to the
// same ones. With $TALLY_REPORT set the program prints "NAME COUNT" lines instead of running.
#ifndef VESTIGE_TESTS_TALLY_H
#define VESTIGE_TESTS_TALLY_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct tally {
  int state;  // 0 free, 1 being named, 2 in use
  char name[52];
  long calls;
};

enum { kTallies = 128, kTallyBytes = kTallies * sizeof(struct tally) };

// Before the file is mapped over it, and without $TALLY, private memory.
static struct tally tally_table[kTallies] __attribute__((aligned(4096)));

__attribute__((constructor(101))) static void tally_open(void) {
  const char* file = getenv("TALLY");
  if (file == NULL) return;
  int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0 || ftruncate(fd, kTallyBytes) != 0) abort();
  mmap(tally_table, kTallyBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  close(fd);
  if (getenv("TALLY_REPORT") == NULL) return;
  for (int i = 0; i < kTallies; ++i)
    if (tally_table[i].state == 2) printf("%s %ld\n", tally_table[i].name, tally_table[i].calls);
  fflush(stdout);
  _exit(0);  // a static program cannot exit() from here
}

// Two threads may name the same entry at once; then it has two, and they are to be added up.
static struct tally* tally_find(const char* name) {
  for (int i = 0; i < kTallies; ++i) {
    int state = 0;
    if (__atomic_compare_exchange_n(&tally_table[i].state, &state, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      strncpy(tally_table[i].name, name, sizeof tally_table[i].name - 1);
      __atomic_store_n(&tally_table[i].state, 2, __ATOMIC_RELEASE);
      return &tally_table[i];
    }
    if (state == 2 && strcmp(tally_table[i].name, name) == 0) return &tally_table[i];
  }
  abort();
}

#define CALLED_AS(name)                                       \
  do {                                                        \
    static struct tally* mine;                                \
    if (mine == NULL) mine = tally_find(name);                \
    __atomic_fetch_add(&mine->calls, 1, __ATOMIC_RELAXED);    \
  } while (0)
#define CALLED() CALLED_AS(__func__)

#define NOINLINE __attribute__((noinline))
// Behind a recursive call: the optimizer makes no loop of it.
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")
// Takes some time and no paths.
#define WASTE_TIME() __asm__ volatile("pause; pause; pause; pause; pause; pause; pause; pause")

#endif
