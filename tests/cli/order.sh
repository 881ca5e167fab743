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
