# The order of conflicting accesses. What is printed holds whatever the schedule was.
cat > part.c <<'C'
int shared;
void touch(void) { shared = shared + 1; }
C
cat > main.c <<'C'
#include <pthread.h>
#include <sched.h>
extern int shared;
void touch(void);
volatile int ready[2], count;
static void* work(void* number) {
  const long me = (long)number;
  ready[me] = 1;
  while (!ready[1 - me]) sched_yield();
  for (int i = 0; i < 10; ++i) count = count + 1;
  touch();
  return 0;
}
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return shared == 0;
}
C
# The whole program was compiled for it.
vestige-cc -O1 -pthread main.c part.c -o whole
code vestige record -q --order -o t.vst -- ./whole
code vestige verify t.vst | grep -o ': ok'
vestige info t.vst --json | grep -oE '"order":[0-9]+' | sed 's/[1-9][0-9]*/N/'
# What count holds goes from load to store and on to the next load, over both threads.
vestige replay t.vst --order sync --json > in_order.txt
vestige replay t.vst --json > by_thread.txt
[[ $(wc -l < in_order.txt) -eq $(wc -l < by_thread.txt) ]] && echo "as many references"
vestige record -q -o u.vst -- ./whole
vestige info u.vst --json | grep -c '"order":[0-9]'
# One part was not; then nothing was.
vestige-cc -O1 -c part.c
vestige-cc -O1 -pthread main.c part.o -o partly
code vestige record -q --order -o p.vst -- ./partly
code vestige verify p.vst | grep -o ': ok'
vestige-cc -O1 part.c -x c - -o alone <<< 'void touch(void); int main(void) { touch(); return 0; }'
code vestige record -q --order -o a.vst -- ./alone
# One thread hands a number to the other by a flag. The flag is what orders it: the read that saw it comes behind the
# write, and so does everything behind, which is no edge of its own.
cat > hand.c <<'C'
#include <pthread.h>
#include <sched.h>
volatile int number, flag;
static void* give(void* unused) {
  number = 42;
  flag = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, give, 0);
  while (!flag)
    sched_yield();
  const int taken = number;
  pthread_join(thread, 0);
  return taken != 42;
}
C
vestige-cc -O1 -pthread hand.c -o hand
code vestige record -q --order -o h.vst -- ./hand
vestige sync h.vst --conflicts --thread 0 --json | jq -c '[.thread,.number,.line,.before_thread,.before_line]'
# Who saw nothing yet comes before the write: at most one edge, from the last such read.
[[ $(vestige sync h.vst --conflicts --thread 1 --json | jq -c '[.line,.before_line]' | grep -cv '^\[6,12\]$') -eq 0 ]] && echo "the other way at most the last look"
# The compressed forms keep it, and find the paths in their grammars.
for form in cor cdr; do
  vestige represent -q t.vst --as $form -o t.$form > /dev/null
  for how in --json --csv --all; do
    cmp <(vestige sync t.vst --conflicts $how) <(vestige sync t.$form --conflicts $how) && echo "$form $how: the same"
  done
done
code vestige sync u.vst --conflicts
# One thread conflicts with nobody, which is said rather than left to an empty table.
code vestige sync a.vst --conflicts
