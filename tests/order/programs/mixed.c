// mixed SEED: threads that read, write and copy parts of a few shared bytes, in sizes of 1 to 8 and at any
// address, with atomic operations, locks, fresh memory and library calls now and then.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate.h"

static struct {
  uint8_t bytes[40];
  uint64_t word;
  _Atomic uint32_t atom;
  char text[16];
  int told;  // the text is there
} shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned seed;

static unsigned next(unsigned* state) {
  *state = *state * 1103515245u + 12345u;
  return *state >> 16;
}

#define AT(type, n) (*(volatile type*)(shared.bytes + (n)))

static void* work(void* number) {
  unsigned state = seed * 31 + (unsigned)(long)number * 7919;
  uint64_t sum = 0;
  pass_gate((int)(long)number, 2 + (int)(seed % 4));
  for (int i = 0; i < 60; ++i) {
    const unsigned at = next(&state) % 32, what = next(&state) % 16;
    if (i % 8 == 0) sched_yield();
    switch (what) {
      case 0: AT(uint8_t, at) = (uint8_t)sum; break;
      case 1: AT(uint16_t, at) = (uint16_t)(sum + 1); break;
      case 2: AT(uint32_t, at) = (uint32_t)(sum + 2); break;
      case 3: AT(uint64_t, at) = sum + 3; break;
      case 4: sum += AT(uint8_t, at); break;
      case 5: sum += AT(uint16_t, at); break;
      case 6: sum += AT(uint32_t, at); break;
      case 7: sum += AT(uint64_t, at); break;
      case 8: memmove(shared.bytes + at / 2, shared.bytes + at, at % 9); break;
      case 9: atomic_store(&shared.atom, (uint32_t)sum); break;
      case 10: sum += atomic_load_explicit(&shared.atom, memory_order_relaxed); break;
      case 11: *(volatile uint32_t*)&shared.atom = (uint32_t)sum + 7; break;
      case 12:
        pthread_mutex_lock(&lock);
        ++*(volatile uint64_t*)&shared.word;
        pthread_mutex_unlock(&lock);
        break;
      case 13: sum += *(volatile uint64_t*)&shared.word; break;
      case 14: {
        volatile uint64_t* fresh = malloc(24);
        fresh[at % 3] = sum;
        sum += fresh[at % 3];
        free((void*)fresh);
        break;
      }
      default:
        if (*(volatile int*)&shared.told) sum += *(volatile uint8_t*)&shared.text[at % 8];
        break;
    }
  }
  AT(uint64_t, 32) = sum;
  return 0;
}

int main(int argc, char** argv) {
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  const int count = 2 + (int)(seed % 4);
  pthread_t threads[5];
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 10; ++i) shared.bytes[i * 3] = (uint8_t)i;
  strcpy(shared.text, argc > 1 ? argv[1] : "one");
  *(volatile int*)&shared.told = 1;
  for (int i = 0; i < count; ++i) pthread_join(threads[i], 0);
  return 0;
}
