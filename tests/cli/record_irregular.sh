# Recording straight into descriptors what does not fold: it stays a recording, which has the same references.
cat > shuffled.c << 'X'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { kCells = 1 << 14 };
static int next[kCells];
static double values[kCells], dense[256][256];
static unsigned seed = 1;
static unsigned chance(void) { return (seed = seed * 1103515245 + 12345) >> 8; }
/* A walk from cell to cell, in no order that follows from anything. */
static void *walk(void *rounds) {
  int at = 0;
  for (long i = 0; i < (long)rounds * kCells; ++i) {
    if (values[at] > 0.5)
      values[at] -= 0.25;
    else
      values[at] += 1;
    at = next[at];
  }
  return NULL;
}
static void *fill(void *rounds) {
  for (long r = 0; r < (long)rounds; ++r)
    for (int i = 0; i < 256; ++i)
      for (int j = 0; j < 256; ++j) dense[i][j] += i;
  return NULL;
}
int main(int argc, char **argv) {
  for (int i = 0; i < kCells; ++i) next[i] = i;
  for (int i = kCells - 1; i > 0; --i) {
    int other = chance() % i, mine = next[i];
    next[i] = next[other];
    next[other] = mine;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, fill, (void *)atol(argv[2]));
  walk((void *)atol(argv[1]));
  pthread_join(thread, NULL);
}
X
vestige-cc -O1 -pthread shuffled.c -o shuffled
hide() { sed -E 's/[0-9.]+ [KM]?i?(B|bytes)/SIZE/g;s/[0-9,]+ (references|paths)/N \1/'; }
echo "irregular"
code vestige record --as eprsd -o put_off.vst -- ./shuffled 20 1 2>&1 | hide
ls *.recording 2> /dev/null
vestige verify put_off.vst > /dev/null && echo "whole"
vestige info put_off.vst --json | grep -o '"what":"[a-z]*"'
vestige represent -q put_off.vst --as eprsd -o later.vst 2> /dev/null
cmp <(vestige replay put_off.vst --format refs) <(vestige replay later.vst --format refs) && echo "the same references"
vestige descriptors put_off.vst | cmp - <(vestige descriptors later.vst) && echo "the same descriptors"
echo "folded all the same"
code vestige record --as eprsd --fold-irregular -q -o all.vst -- ./shuffled 20 1
cmp <(vestige replay put_off.vst --format refs) <(vestige replay all.vst --format refs) && echo "the same references"
vestige info all.vst --json | grep -o '"what":"[a-z]*"'
echo "few are irregular"
code vestige record --as eprsd -o few.vst -- ./shuffled 3 200 2>&1 | hide
echo "what is refused"
code vestige record --fold-irregular -o no.vst -- ./shuffled 1 1
