# --max-size is never exceeded: many sizes, whatever is recorded, with threads and with the order of accesses.
build erratic
cat > many.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int turns;
static volatile unsigned table[4096];
static void* work(void* p) {
  FILE* f = fopen("/dev/urandom", "r");
  unsigned x = (unsigned)(long)p;
  for (int i = 0; i < 60000; ++i) {
    if (i % 16 == 0 && fread(&x, 4, 1, f) != 1) abort();
    x = x * 1664525 + 1013904223;
    if (x >> 31) table[x >> 20] += x; else table[x & 4095] ^= (unsigned)i;
    if (i % 64 == 0) atomic_fetch_add(&turns, 1);
  }
  fclose(f);
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; ++i) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], 0);
  return 0;
}
C
vestige-cc -O1 -g -pthread many.c -o many
full=0
for what in control memory full order; do
  how=(--what "$what")
  [[ $what == order ]] && how=(--order)
  for size in 16K 33K 100K 257K 600K 1500K; do
    bytes=$((${size%K} * 1024))
    record capped --max-size $size "${how[@]}" -- ./many
    same "$what $size: status" 0 "$status"
    at_least "$what $size: room left" "$(stat -c %s capped.vst)" $bytes
    [[ $(jq -r '.process_list[0].end' < <(vestige info capped.vst --json)) == stopped ]] && full=$((full + 1))
    sound capped
  done
done
at_least "recordings that were full" 8 $full
for size in 8K 50K 200K; do
  record capped --max-size $size -- ./erratic 300000
  at_least "erratic $size: room left" "$(stat -c %s capped.vst)" $((${size%K} * 1024))
  sound capped
done

# The file is full in the middle of one long loop, which goes round in one way only and is one record in the ring.
cat > loop.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#define MANY (1 << 19)
static unsigned numbers[MANY], counts[2048];
int main(void) {
  FILE* f = fopen("/dev/urandom", "r");
  if (fread(numbers, 4, MANY, f) != MANY) abort();
  for (int i = 0; i < MANY; ++i) counts[numbers[i] & 2047]++;
  return counts[7] == 0;
}
C
vestige-cc -O2 -g loop.c -o loop
for size in 300K 900K; do
  bytes=$((${size%K} * 1024))
  record capped --max-size $size -- ./loop
  at_least "loop $size: room left" "$(stat -c %s capped.vst)" $bytes
  at_least "loop $size: bytes" $((bytes / 2)) "$(stat -c %s capped.vst)"
  at_least "loop $size: paths" 5000 "$(vestige info capped.vst --json | jq .paths)"
  sound capped
done
