// Built by gcc: everything of OpenMP that orders accesses, around functions that are recorded.
#include <omp.h>

void guarded(void), named(void), locked(void), in_order(void), before(void), behind(void), by_one(void), by_master(void);
void in_task(int), behind_tasks(void), racy(void), reduced(long), in_two_tasks(void), through(int*), in_turn(void);

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  long sum = 0;
  before();
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 40; ++i) {
#pragma omp critical
      guarded();
#pragma omp critical(other)
      named();
      omp_set_lock(&lock);
      locked();
      omp_unset_lock(&lock);
      racy();
    }
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 12; ++i) {
#pragma omp ordered
      in_order();
    }
#pragma omp single
    by_one();
#pragma omp master
    by_master();
#pragma omp barrier
#pragma omp single
    {
      by_master();
      for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i)
        in_task(i);
      }
#pragma omp taskwait
      behind_tasks();
      for (int i = 0; i < 2; ++i) {
#pragma omp task
        in_two_tasks();
      }
      for (int i = 0; i < 16; ++i) {
        int copy[4] = {i};
#pragma omp task firstprivate(copy)
        through(copy);
#pragma omp task depend(inout : sum)
        in_turn();
      }
    }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 40; ++i) sum += i;
  }
  reduced(sum);
  behind();
  return 0;
}
