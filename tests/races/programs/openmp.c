// The same for OpenMP (scenarios.c), with four threads.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int x, y, z[64], w[64];
static omp_lock_t lock, again;
static omp_nest_lock_t nest;
enum { N = 64 };

static void for_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) z[i] = i;
  for (int i = 0; i < N; i++) x += z[i];
}
static void for_dynamic(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < N; i++) z[i] = i;
}
static void for_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) x++;
}
static void stencil_racy(void) {
#pragma omp parallel for
  for (int i = 1; i < N; i++) z[i] = z[i - 1] + 1;
}
static void phases(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) z[i] = i;
#pragma omp for
    for (int i = 0; i < N; i++) w[i] = z[N - 1 - i];
  }
}
static void nowait_racy(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++) z[i] = i;
#pragma omp for
    for (int i = 0; i < N; i++) w[i] = z[N - 1 - i];
  }
}
static void regions(void) {
  for (int k = 0; k < 5; k++) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) z[i] += w[i] + k;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++) w[i] += z[i];
    x += z[3];
  }
}
static void barrier_free(void) {
#pragma omp parallel
  {
    z[omp_get_thread_num()] = 1;
#pragma omp barrier
    w[omp_get_thread_num()] = z[(omp_get_thread_num() + 1) % omp_get_num_threads()];
  }
}
static void barrier_missing(void) {
#pragma omp parallel
  {
    z[omp_get_thread_num()] = 1;
    w[omp_get_thread_num()] = z[(omp_get_thread_num() + 1) % omp_get_num_threads()];
  }
}
static void critical_free(void) {
#pragma omp parallel
  for (int i = 0; i < 4; i++) {
#pragma omp critical
    x++;
  }
}
static void critical_names(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() % 2) {
#pragma omp critical(one)
      x++;
    } else {
#pragma omp critical(two)
      x++;
    }
  }
}
static void atomic_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
#pragma omp atomic
    x += i;
  }
}
static void atomic_plain(void) {
#pragma omp parallel
  {
#pragma omp atomic
    x++;
    if (omp_get_thread_num() == 1) x = 3;
  }
}
static void reduction_free(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += i;
  x = sum;
}
static void reduction_many(void) {
  int sum = 0, most = 0;
  double product = 1;
#pragma omp parallel for reduction(+ : sum) reduction(max : most) reduction(* : product)
  for (int i = 0; i < N; i++) { sum += i; if (i > most) most = i; product *= 1.01; }
  x = sum + most + (int)product;
}
static void reduction_array(void) {
  int sums[8] = {0};
#pragma omp parallel for reduction(+ : sums[:8])
  for (int i = 0; i < N; i++) sums[i % 8] += i;
  x = sums[3];
}
static void single_free(void) {
#pragma omp parallel
  {
#pragma omp single
    x = 5;
    z[omp_get_thread_num()] = x;
  }
}
static void single_nowait(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    x = 5;
    z[omp_get_thread_num()] = x;
  }
}
static void copyprivate_free(void) {
  int v = 0;
#pragma omp parallel firstprivate(v)
  {
#pragma omp single copyprivate(v)
    v = 7;
    z[omp_get_thread_num()] = v;
  }
}
static void master_free(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 5;
#pragma omp barrier
    z[omp_get_thread_num()] = x;
  }
}
static void master_racy(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 5;
    z[omp_get_thread_num()] = x;
  }
}
static void sections_free(void) {
#pragma omp parallel sections
  {
#pragma omp section
    x = 1;
#pragma omp section
    y = 2;
  }
  x += y;
}
static void ordered_free(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 16; i++) {
    z[i] = i;
#pragma omp ordered
    x += z[i];
  }
}
static void lock_free(void) {
  omp_init_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 4; i++) {
    omp_set_lock(&lock);
    x++;
    omp_unset_lock(&lock);
  }
}
static void lock_test(void) {
  omp_init_lock(&lock);
#pragma omp parallel
  {
    while (!omp_test_lock(&lock)) {}
    x++;
    omp_unset_lock(&lock);
  }
}
static void nest_lock(void) {
  omp_init_nest_lock(&nest);
#pragma omp parallel
  {
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    x++;
    omp_unset_nest_lock(&nest);
    x++;
    omp_unset_nest_lock(&nest);
  }
}
static void tasks_free(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
      z[i] = i;
    }
#pragma omp taskwait
    for (int i = 0; i < 16; i++) x += z[i];
  }
  x++;
}
static void tasks_late(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
    z[i] = i;
  }
  for (int i = 0; i < 16; i++) x += z[i];
}
static void taskgroup_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
        {
#pragma omp task
          w[i] = i;
          z[i] = i;
        }
      }
    }
    for (int i = 0; i < 8; i++) x += z[i] + w[i];
  }
}
static void depend_free(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = x = 1;
#pragma omp task depend(inout : a) shared(a)
    a = ++x;
#pragma omp task depend(in : a) shared(a)
    z[0] = a + x;
#pragma omp task depend(in : a) shared(a)
    z[1] = a + x;
  }
}
static void taskloop_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < N; i++) z[i] = i;
    x = z[9];
  }
}
static int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
static void fib_free(void) {
#pragma omp parallel
#pragma omp single
  x = fib(7);
}
static void private_free(void) {
  int t;
#pragma omp parallel for private(t)
  for (int i = 0; i < N; i++) { t = i; z[i] = t * t; }
}
static void shared_temp(void) {
  static volatile int t;
#pragma omp parallel for
  for (int i = 0; i < N; i++) { t = i; z[i] = t * t; }
}

// Tasks are apart from the threads that run them: what follows is the same with one thread that runs them all.
static void two_tasks_stack(void) {
  int i = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(i)
    i = 1;
#pragma omp task shared(i)
    i = 2;
  }
  x = i;
}
static void two_tasks_global(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp task
    x = 2;
  }
}
static void two_tasks_master(void) {
#pragma omp parallel
#pragma omp master
  {
#pragma omp task
    x = 1;
#pragma omp task
    y = x;
  }
}
// The second one begins when the first one is over, and only a thread's order says so.
static void two_tasks_alone(void) {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
#pragma omp task
      x = 1;
#pragma omp taskyield
#pragma omp task
      x = 2;
    }
  }
}
// Not deferred in a team of one.
static void serial_team(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp task
    x = 2;
    x = 3;
  }
}
static void task_creator_racy(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
    x = 2;
  }
}
static void task_creator_waits(void) {
#pragma omp parallel
#pragma omp single
  {
    x = 0;
#pragma omp task
    x = 1;
#pragma omp taskwait
    x = 2;
#pragma omp task
    x = 3;
  }
  x = 4;
}
static void grandchild_racy(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      x = 1;
    }
#pragma omp taskwait
    x = 2;
  }
}
static void grandchild_group(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        x = 1;
      }
    }
    x = 2;
  }
}
static void group_elsewhere_racy(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp taskgroup
    {
#pragma omp task
      y = 1;
    }
    y++;
    x = 2;
  }
}
static void groups_nested(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp taskgroup
    {
#pragma omp task
      x = 1;
    }
    x++;
#pragma omp task
    {
#pragma omp taskgroup
      {
#pragma omp task
        y = 1;
      }
      y++;
    }
  }
  x += y;
}
static void depend_chain(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; i++) {
#pragma omp task depend(out : a)
    x = i;
#pragma omp task depend(in : a)
    z[i] = x;
#pragma omp task depend(in : a)
    w[i] = x;
  }
}
static void depend_missing(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    x = 1;
#pragma omp task
    y = x;
  }
}
static void depend_other(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    x = 1;
#pragma omp task depend(out : b)
    x = 2;
  }
}
static void depend_readers(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    y = 1;
#pragma omp task depend(in : a)
    x = y;
#pragma omp task depend(in : a)
    x = y + 1;
  }
}
static void depend_mutex(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    x = 1;
    for (int i = 0; i < 6; i++) {
#pragma omp task depend(mutexinoutset : a)
      x += i;
    }
#pragma omp task depend(in : a)
    y = x;
  }
}
static void depend_wait(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    x = 1;
#pragma omp taskwait depend(in : a)
    x = 2;
#pragma omp task depend(out : a)
    x = 3;
#pragma omp task depend(inout : a) if (0)
    x = 4;
    x = 5;
  }
}
static void depend_wait_other(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    y = 1;
#pragma omp task
    x = 1;
#pragma omp taskwait depend(in : a)
    y = 2;
    x = 2;
  }
}
static void depend_undeferred_other(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(inout : a)
    y = 1;
#pragma omp task
    x = 1;
#pragma omp task depend(in : a) if (0)
    y = 2;
    x = 2;
  }
}
static void depend_wait_within(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : a)
    {
      int b = 0;
#pragma omp task depend(out : b)
      z[i] = 1;
#pragma omp taskwait depend(in : b)
      x = z[i] = 2;
    }
#pragma omp taskwait depend(in : a)
    x = 3;
  }
}
static void depend_elsewhere(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    x = 1;
#pragma omp task depend(in : a)
    {
#pragma omp task depend(out : a)
      y = x;
#pragma omp taskwait
      x = y;
    }
#pragma omp task depend(inout : a)
    y = ++x;
  }
}
static void firstprivate_free(void) {
  int many[32] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 24; i++) {
    many[i] = i;
#pragma omp task firstprivate(many)
    {
      many[0] += many[i];
      z[i] = many[0]++;
    }
  }
}
static int deep(int n) {
  volatile int local[256];
  for (int i = 0; i < 256; i++) local[i] = n + i;
  return n == 0 ? local[3] : deep(n - 1) + local[n];
}
static void stack_free(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 12; i++) {
#pragma omp task
      {
        z[i] = deep(i % 5);
#pragma omp task
        w[i] = deep(3);
      }
      y += deep(2);
    }
#pragma omp taskwait
    y += deep(4);
  }
  y += deep(1);
}
static void undeferred_free(void) {
  int i = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task if (0) shared(i)
    x = i = 1;
#pragma omp task if (0) shared(i)
    x = ++i;
    x = ++i;
#pragma omp task final(1) shared(i)
    {
#pragma omp task shared(i)
      x = ++i;
#pragma omp task shared(i)
      x = ++i;
      x = ++i;
    }
#pragma omp taskwait
    x = ++i;
  }
}
static void taskloop_nogroup(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(4) nogroup
    for (int i = 0; i < N; i++) z[i] = i;
    x = z[9];
  }
}
static void taskloop_waited(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) nogroup
    for (int i = 0; i < N; i++) z[i] = i;
#pragma omp taskwait
    x = z[9];
  }
}
static void taskloop_racy(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(8)
    for (int i = 0; i < N; i++) x = i;
  }
}
static void taskloop_private(void) {
  int sum = 3, last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(3) firstprivate(sum) lastprivate(last)
    for (int i = 0; i < N; i++) z[i] = (sum += i), last = i;
    x = last;
  }
}
static void taskloop_reduction(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(3) reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += i;
    x = sum;
  }
}
static void task_critical(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; i++) {
#pragma omp task
    {
#pragma omp critical
      x += i;
    }
  }
}
static void task_lock(void) {
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; i++) {
#pragma omp task
    {
      omp_set_lock(&lock);
      x += i;
      omp_unset_lock(&lock);
    }
  }
}
static void task_lock_forgotten(void) {
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      omp_set_lock(&lock);
      x = 1;
      omp_unset_lock(&lock);
    }
#pragma omp task
    x = 2;
  }
}
static void task_atomic(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; i++) {
#pragma omp task
    {
#pragma omp atomic
      x += i;
    }
  }
}
static void task_reduction_free(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 16; i++) {
#pragma omp task in_reduction(+ : sum)
      {
        sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1;
#pragma omp taskwait
        sum += 2;
      }
    }
    x = sum;
  }
}
static void region_reduction(void) {
  int sum = 0;
#pragma omp parallel reduction(task, + : sum)
  {
    sum++;
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
  x = sum;
}
// Some other thread than the first one makes the tasks.
static void region_reduction_other(void) {
  int sum = 0;
#pragma omp parallel reduction(task, + : sum)
  {
    sum++;
    if (omp_get_thread_num() == 2)
      for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum)
        sum += i;
      }
  }
  x = sum;
}
static void task_barrier(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    for (int i = 0; i < 8; i++) {
#pragma omp task
      {
#pragma omp task
        w[i] = i;
        z[i] = i;
      }
    }
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 8; i++) y += z[i] + w[i];
  }
}
static void task_no_barrier(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    {
#pragma omp task
      x = 1;
    }
#pragma omp critical
    y += x;
  }
}
static void untied_free(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 8; i++) {
#pragma omp task untied
      {
        int mine = i;
#pragma omp task shared(mine)
        mine += 1;
#pragma omp taskwait
        mine += 2;
#pragma omp taskyield
        z[i] = mine;
      }
    }
#pragma omp taskwait
    x = z[3];
  }
}
static void untied_racy(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task untied
    {
      z[i] = i;
#pragma omp taskyield
      x = i;
    }
  }
}
static void many_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 12; k++) {
    for (int i = 0; i < N; i++) {
#pragma omp task
      z[i] += k;
    }
#pragma omp taskwait
  }
}
static int own;
#pragma omp threadprivate(own)
static void task_own(void) {
#pragma omp parallel
  {
    own = 0;
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 16; i++) {
#pragma omp task
      own += i;
    }
#pragma omp critical
    x += own;
  }
}
static void task_by_thread(void) {
#pragma omp parallel
  {
    z[omp_get_thread_num()] = 0;
#pragma omp single nowait
    for (int i = 0; i < 16; i++) {
#pragma omp task
      z[omp_get_thread_num()] += i;
    }
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 4; i++) x += z[i];
  }
}
static int* mine;
#pragma omp threadprivate(mine)
static void task_own_memory(void) {
#pragma omp parallel
  {
    mine = &z[8 * omp_get_thread_num()];
    *mine = 0;
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 16; i++) {
#pragma omp task
      *mine += i;
    }
#pragma omp critical
    x += *mine;
  }
}
static omp_event_handle_t event;
static void detach_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event)
    x = 1;
#pragma omp task
    {
      y = 1;
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    x += y;
  }
}
static void nested_region(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
    {
      int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
      {
        sum += i;
#pragma omp single
        {
#pragma omp task
          z[i] = i;
        }
        sum += z[i];
      }
      w[i] = sum;
    }
  }
}
static void sort(int* from, int n) {
  if (n < 8) {
    for (int i = 1; i < n; i++)
      for (int k = i; k > 0 && from[k - 1] > from[k]; k--) {
        int t = from[k];
        from[k] = from[k - 1];
        from[k - 1] = t;
      }
    return;
  }
  int to[N];
#pragma omp task
  sort(from, n / 2);
#pragma omp task
  sort(from + n / 2, n - n / 2);
#pragma omp taskwait
  for (int i = 0, a = 0, b = n / 2; i < n; i++) to[i] = b >= n || (a < n / 2 && from[a] < from[b]) ? from[a++] : from[b++];
  memcpy(from, to, n * sizeof *from);
}
static void sort_free(void) {
  for (int i = 0; i < N; i++) z[i] = i * 37 % N;
#pragma omp parallel
#pragma omp single
  sort(z, N);
  x = z[5];
}

// Relaxed atomic accesses, and flushes around them.
static void flush_give(int list) {
  x = 1;
  if (list) {
#pragma omp flush(x)
  } else {
#pragma omp flush
  }
#pragma omp atomic write relaxed
  y = 1;
}
static void flush_take(int flushes) {
  for (int seen = 0; seen == 0; usleep(50)) {
#pragma omp atomic read relaxed
    seen = y;
  }
  if (flushes) {
#pragma omp flush
  }
  x++;
}
static void flush_pair(int list, int flushes) {
#pragma omp parallel num_threads(2)
  omp_get_thread_num() == 0 ? flush_give(list) : flush_take(flushes);
}
static void flush_free(void) { flush_pair(0, 1); }
static void flush_list_free(void) { flush_pair(1, 1); }
static void flush_missing(void) { flush_pair(0, 0); }
static void flush_implied(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    x = 1;
#pragma omp atomic write release
    y = 1;
  } else {
    for (int seen = 0; seen == 0; usleep(50)) {
#pragma omp atomic read acquire
      seen = y;
    }
    x++;
  }
}
// Locks that begin anew at one address.
static void lock_again(void) {
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    for (int seen = -1; seen < me; usleep(50)) {
#pragma omp atomic read relaxed
      seen = y;
    }
    omp_init_lock(&again);
    omp_set_lock(&again);
    x++;
    omp_unset_lock(&again);
    omp_destroy_lock(&again);
#pragma omp atomic write relaxed
    y = me + 1;
  }
}

static const struct { const char* name; void (*run)(void); int racy; } all[] = {
#define FREE(name) {#name, name, 0}
#define RACY(name) {#name, name, 1}
    FREE(for_free), FREE(for_dynamic), RACY(for_racy), RACY(stencil_racy), FREE(phases), RACY(nowait_racy), FREE(regions),
    FREE(barrier_free), RACY(barrier_missing), FREE(critical_free), RACY(critical_names), FREE(atomic_free), RACY(atomic_plain),
    FREE(reduction_free), FREE(reduction_many), FREE(reduction_array), FREE(single_free), RACY(single_nowait),
    FREE(copyprivate_free), FREE(master_free), RACY(master_racy), FREE(sections_free), FREE(ordered_free), FREE(lock_free),
    FREE(lock_test), FREE(nest_lock), FREE(tasks_free), FREE(tasks_late), FREE(taskgroup_free), FREE(depend_free),
    FREE(taskloop_free), FREE(fib_free), FREE(private_free), RACY(shared_temp),
    RACY(two_tasks_stack), RACY(two_tasks_global), RACY(two_tasks_master), RACY(two_tasks_alone),
    RACY(task_creator_racy), RACY(grandchild_racy), RACY(group_elsewhere_racy), RACY(depend_missing),
    RACY(depend_other), RACY(depend_readers), RACY(depend_wait_other), RACY(depend_undeferred_other),
    RACY(taskloop_nogroup), RACY(taskloop_racy), RACY(task_lock_forgotten),
    RACY(task_no_barrier), RACY(untied_racy), FREE(serial_team), FREE(task_creator_waits), FREE(grandchild_group),
    FREE(groups_nested), FREE(depend_chain), FREE(depend_mutex), FREE(depend_wait), FREE(depend_wait_within), FREE(depend_elsewhere),
    FREE(firstprivate_free), FREE(stack_free), FREE(undeferred_free),
    FREE(taskloop_private), FREE(taskloop_reduction), FREE(task_critical), FREE(task_lock), FREE(task_atomic),
    FREE(task_reduction_free), FREE(region_reduction), FREE(untied_free), FREE(many_tasks), FREE(task_own),
    FREE(task_by_thread), FREE(task_own_memory), FREE(detach_free), FREE(nested_region), FREE(sort_free),
    FREE(task_barrier), FREE(taskloop_waited), FREE(region_reduction_other),
    FREE(flush_free), FREE(flush_list_free), RACY(flush_missing), FREE(flush_implied), RACY(lock_again),
};

int main(int argc, char** argv) {
  int list = argc < 2 || strcmp(argv[1], "list") == 0;
  omp_set_num_threads(4);
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
    if (list) printf("%s %s\n", all[i].racy ? "racy" : "free", all[i].name);
    else if (strcmp(argv[1], all[i].name) == 0) return all[i].run(), 0;
  }
  return list ? 0 : 2;
}
