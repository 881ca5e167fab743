// Small programs with and without races between the jobs of a pool of threads (schedules.py).
//
//     pools list        "racy|free NAME" for each
//     pools NAME        runs one
//
// One worker does all jobs; the second one comes when nothing is left, or sleeps meanwhile. So nothing races as
// recorded: that both could have done them is another schedule.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*Job)(long);
struct item {
  Job run;
  long argument;
};
enum { N = 6, ROOM = 64 };
static struct item items[ROOM];
static int head, tail, over;  // of the queue
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t ready, gate, done;
static int ends[2];
static atomic_int next_job, arrived;
static pthread_t workers[2];

// What jobs work on.
int x, y, a[2 * N];
static atomic_int sum;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static __thread int scratch[4];
static int by_worker[2];
static int* block;

static void rest(void) { usleep(40000); }
// The second worker is late.
static void arrive(void) { usleep(120000 * atomic_fetch_add(&arrived, 1)); }

// ---- pools ---------------------------------------------------------------------------------------------
// A queue behind a lock, and a condition variable.
static void submit(Job run, long argument) {
  pthread_mutex_lock(&lock);
  items[tail % ROOM] = (struct item){run, argument};
  tail++;
  pthread_cond_signal(&there);
  pthread_mutex_unlock(&lock);
}
static void close_queue(void) {
  pthread_mutex_lock(&lock);
  over = 1;
  pthread_cond_broadcast(&there);
  pthread_mutex_unlock(&lock);
}
static void* queue_worker(void* unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    while (head == tail && !over) pthread_cond_wait(&there, &lock);
    if (head == tail) {
      pthread_mutex_unlock(&lock);
      return unused;
    }
    struct item item = items[head % ROOM];
    head++;
    pthread_mutex_unlock(&lock);
    item.run(item.argument);
  }
}
static void* late_worker(void* unused) {
  arrive();
  return queue_worker(unused);
}
// A small ring: who submits waits for room.
enum { SMALL = 2 };
static void submit_ring(Job run, long argument) {
  pthread_mutex_lock(&lock);
  while (tail - head == SMALL) pthread_cond_wait(&room, &lock);
  items[tail++ % SMALL] = (struct item){run, argument};
  pthread_cond_signal(&there);
  pthread_mutex_unlock(&lock);
}
static int take_ring(struct item* item) {
  pthread_mutex_lock(&lock);
  while (head == tail && !over) pthread_cond_wait(&there, &lock);
  const int got = head != tail;
  if (got) *item = items[head++ % SMALL];
  pthread_cond_signal(&room);
  pthread_mutex_unlock(&lock);
  return got;
}
static void* ring_worker(void* unused) {
  struct item item;
  arrive();
  while (take_ring(&item)) item.run(item.argument);
  return unused;
}
// A semaphore counts what is there.
static void submit_counted(Job run, long argument) {
  pthread_mutex_lock(&lock);
  items[tail++ % ROOM] = (struct item){run, argument};
  pthread_mutex_unlock(&lock);
  sem_post(&ready);
}
static void* counted_worker(void* unused) {
  for (;;) {
    sem_wait(&ready);
    pthread_mutex_lock(&lock);
    struct item item = items[head++ % ROOM];
    pthread_mutex_unlock(&lock);
    if (item.run == NULL) return unused;
    item.run(item.argument);
  }
}
// Jobs come through a pipe.
static void submit_pipe(Job run, long argument) {
  struct item item = {run, argument};
  if (write(ends[1], &item, sizeof item) != sizeof item) abort();
}
static void* pipe_worker(void* unused) {
  struct item item;
  while (read(ends[0], &item, sizeof item) == sizeof item && item.run != NULL)
    item.run(item.argument);
  return unused;
}
// Whoever comes takes the next number.
static void* counter_worker(void* unused) {
  for (;;) {
    const int job = atomic_fetch_add(&next_job, 1);
    if (job >= tail) return unused;
    items[job].run(items[job].argument);
  }
}
// The lock spins, and nobody waits for jobs to come.
static void* spin_worker(void* unused) {
  for (;;) {
    pthread_spin_lock(&spin);
    if (head == tail) {
      pthread_spin_unlock(&spin);
      return unused;
    }
    struct item* item = &items[head++];
    pthread_spin_unlock(&spin);
    item->run(item->argument);
  }
}

static void start(void* (*worker)(void*), int which) {
  pthread_create(&workers[which], NULL, worker, NULL);
}
static void join(void) {
  for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
}
static void put(Job run, long argument) { items[tail++] = (struct item){run, argument}; }
// What there is goes to one worker, then the other one comes.
static void work_off(void* (*worker)(void*)) {
  start(worker, 0);
  rest();
  start(worker, 1);
  rest();
}
static void queue_of(Job run) {
  for (long i = 0; i < N; i++) submit(run, i);
  work_off(queue_worker);
  close_queue();
  join();
}

// ---- jobs ------------------------------------------------------------------------------------------------
static void count(long i) { x += (int)i; }
static void count_locked(long i) {
  pthread_mutex_lock(&one);
  x += (int)i;
  pthread_mutex_unlock(&one);
}
static void count_two_locks(long i) {
  pthread_mutex_t* mine = i % 2 ? &one : &two;
  pthread_mutex_lock(mine);
  x += (int)i;
  pthread_mutex_unlock(mine);
}
static void count_atomic(long i) { atomic_fetch_add(&sum, (int)i); }
static void own_place(long i) { a[i] = (int)i; }
static void shared_place(long i) { a[i / 2] = (int)i; }
static void neighbour(long i) { a[i + 1] = a[i] + 1; }

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static void read_or_write(long i) {
  i % 2 ? pthread_rwlock_wrlock(&shared) : pthread_rwlock_rdlock(&shared);
  if (i % 2)
    x += (int)i;
  else
    a[i] = x;
  pthread_rwlock_unlock(&shared);
}
static void write_as_reader(long i) {
  pthread_rwlock_rdlock(&shared);
  x += (int)i;
  pthread_rwlock_unlock(&shared);
}
static void queue_count_racy(void) { queue_of(count); }
static void queue_locked_free(void) { queue_of(count_locked); }
static void queue_locks_racy(void) { queue_of(count_two_locks); }
static void queue_atomic_free(void) { queue_of(count_atomic); }
static void queue_places_free(void) { queue_of(own_place); }
static void queue_places_racy(void) { queue_of(shared_place); }
static void queue_neighbours_racy(void) { queue_of(neighbour); }
static void rwlock_free(void) { queue_of(read_or_write); }
static void rwlock_racy(void) { queue_of(write_as_reader); }

static void ring_of(Job run) {
  start(ring_worker, 0);
  start(ring_worker, 1);
  for (long i = 0; i < N; i++) submit_ring(run, i);
  rest();
  close_queue();
  join();
}
static void ring_racy(void) { ring_of(count); }
static void ring_free(void) { ring_of(own_place); }

static void counted_of(Job run) {
  for (long i = 0; i < N; i++) submit_counted(run, i);
  work_off(counted_worker);
  submit_counted(NULL, 0);
  submit_counted(NULL, 0);
  join();
}
static void semaphore_racy(void) { counted_of(shared_place); }
static void semaphore_free(void) { counted_of(count_locked); }

static void pipe_of(Job run) {
  if (pipe(ends) != 0) abort();
  for (long i = 0; i < N; i++) submit_pipe(run, i);
  work_off(pipe_worker);
  submit_pipe(NULL, 0);
  submit_pipe(NULL, 0);
  join();
}
static void pipe_racy(void) { pipe_of(count); }
static void pipe_free(void) { pipe_of(own_place); }

static void counter_of(Job run) {
  for (long i = 0; i < N; i++) put(run, i);
  work_off(counter_worker);
  join();
}
static void counter_racy(void) { counter_of(shared_place); }
static void counter_free(void) { counter_of(own_place); }

static void spin_of(Job run) {
  pthread_spin_init(&spin, 0);
  for (long i = 0; i < N; i++) put(run, i);
  work_off(spin_worker);
  join();
}
static void spin_racy(void) { spin_of(neighbour); }
static void spin_free(void) { spin_of(count_locked); }

// ---- what orders jobs --------------------------------------------------------------------------------------
static void chain(long i) {
  x += (int)i;
  if (i < N) submit(chain, i + 1);
}
static void chain_early(long i) {
  if (i < N) submit(chain_early, i + 1);
  x += (int)i;
}
static void chain_of(Job run) {
  submit(run, 0);
  work_off(queue_worker);
  close_queue();
  join();
}
static void chain_free(void) { chain_of(chain); }
static void chain_racy(void) { chain_of(chain_early); }

// A latch: main waits for so many jobs and submits another one.
static void write_then_tell(long i) {
  a[i] = (int)i;
  sem_post(&done);
}
static void tell_then_write(long i) {
  sem_post(&done);
  a[i] = (int)i;
}
static void read_all(long unused) {
  for (int i = 0; i < N; i++) y += a[i];
}
static void latch_of(Job run) {
  start(late_worker, 0);
  start(late_worker, 1);
  for (long i = 0; i < N; i++) submit(run, i);
  for (int i = 0; i < N; i++) sem_wait(&done);
  submit(read_all, 0);
  rest();
  close_queue();
  join();
}
static void latch_free(void) { latch_of(write_then_tell); }
static void latch_racy(void) { latch_of(tell_then_write); }

// A future: its value, and a condition variable that says that it is there.
static struct {
  int value, set;
  pthread_mutex_t lock;
  pthread_cond_t there;
} future = {0, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static void fulfil(long i) {
  x = (int)i;
  pthread_mutex_lock(&future.lock);
  future.set = 1;
  pthread_cond_broadcast(&future.there);
  pthread_mutex_unlock(&future.lock);
}
static void wait_future(void) {
  pthread_mutex_lock(&future.lock);
  while (!future.set) pthread_cond_wait(&future.there, &future.lock);
  pthread_mutex_unlock(&future.lock);
}
static void use_result(long unused) { y = x; }
static void wait_and_use(long unused) {
  wait_future();
  y = x;
}
static void future_of(Job second, int waits) {
  start(late_worker, 0);
  start(late_worker, 1);
  submit(fulfil, 5);
  if (waits) wait_future();
  submit(second, 0);
  rest();
  close_queue();
  join();
}
static void future_free(void) { future_of(use_result, 1); }
static void future_racy(void) { future_of(use_result, 0); }
static void future_inside_free(void) { future_of(wait_and_use, 0); }

// ---- memory ------------------------------------------------------------------------------------------------
static void with_block(long i) {
  int* mine = malloc(16);
  mine[0] = (int)i;
  a[i] = mine[0];
  free(mine);
}
static void use_block(long i) { block[0] = (int)i; }
static void with_scratch(long i) {
  scratch[1] = (int)i;
  a[i] = scratch[1];
}
static int* kept_scratch(void) { return &scratch[2]; }
static void through_pointer(long i) { *kept_scratch() += (int)i; }
static void with_stack(long i) {
  volatile int mine[4] = {(int)i, 1, 2, 3};
  a[i] = mine[i % 4];
}
static void with_errno(long i) {
  errno = (int)i;
  a[i] = errno;
}
static void heap_free(void) { queue_of(with_block); }
static void heap_racy(void) {
  block = malloc(16);
  queue_of(use_block);
  free(block);
}
static void scratch_free(void) { queue_of(with_scratch); }
static void scratch_pointer_free(void) { queue_of(through_pointer); }
static void stack_free(void) { queue_of(with_stack); }
static void errno_free(void) { queue_of(with_errno); }

// ---- workers that are not alike, or not there ----------------------------------------------------------------
static void one_worker_free(void) {
  for (long i = 0; i < N; i++) submit(count, i);
  start(queue_worker, 0);
  rest();
  close_queue();
  pthread_join(workers[0], NULL);
}
static void after_the_first_free(void) {
  for (long i = 0; i < N; i++) submit(count, i);
  start(queue_worker, 0);
  rest();
  close_queue();
  pthread_join(workers[0], NULL);
  over = 0;
  start(queue_worker, 1);
  for (long i = 0; i < N; i++) submit(count, i);
  rest();
  close_queue();
  pthread_join(workers[1], NULL);
}
// One worker is busy until all others jobs are done.
static void blocks(long unused) { sem_wait(&gate); }
static void count_and_tell(long i) {
  x += (int)i;
  sem_post(&done);
}
static void busy_free(void) {
  submit(blocks, 0);
  start(queue_worker, 0);
  start(queue_worker, 1);
  for (long i = 0; i < N; i++) submit(count_and_tell, i);
  for (int i = 0; i < N; i++) sem_wait(&done);
  sem_post(&gate);
  close_queue();
  join();
}
// Each has memory of its own, which jobs are given.
static int take(struct item* item) {
  pthread_mutex_lock(&lock);
  const int got = head != tail;
  if (got) *item = items[head++];
  pthread_mutex_unlock(&lock);
  return got;
}
static void into(int* where, long i) { where[i % 2] += (int)i; }
static void* block_worker(void* unused) {
  struct item item;
  int* mine = calloc(4, sizeof *mine);
  while (take(&item)) into(mine, item.argument);
  free(mine);
  return unused;
}
static void own_block_free(void) {
  for (long i = 0; i < N; i++) put(count, i);
  work_off(block_worker);
  join();
}
static void* numbered_worker(void* number) {
  struct item item;
  while (take(&item)) by_worker[(long)number] += (int)item.argument;
  return NULL;
}
static void numbered_free(void) {
  for (long i = 0; i < N; i++) put(count, i);
  pthread_create(&workers[0], NULL, numbered_worker, (void*)0);
  rest();
  pthread_create(&workers[1], NULL, numbered_worker, (void*)1);
  join();
}
static void* asking_worker(void* unused) {
  struct item item;
  while (take(&item))
    by_worker[pthread_equal(pthread_self(), workers[0]) == 0] += (int)item.argument;
  return unused;
}
static void asking_free(void) {
  for (long i = 0; i < N; i++) put(count, i);
  work_off(asking_worker);
  join();
}
// Every worker does so many rounds, whoever is faster.
static void* counting_worker(void* unused) {
  struct item item;
  for (int round = 0; round < N / 2; round++)
    if (take(&item)) a[round] += (int)item.argument;
  return unused;
}
static void counting_free(void) {
  for (long i = 0; i < N; i++) put(count, i);
  start(counting_worker, 0);
  pthread_join(workers[0], NULL);
  start(counting_worker, 1);
  pthread_join(workers[1], NULL);
}
// The last one that it did stays with the worker.
static void* remembering_worker(void* unused) {
  struct item item;
  int* last = NULL;
  while (take(&item)) {
    if (last == NULL) last = malloc(sizeof *last);
    *last = (int)item.argument;
  }
  free(last);
  return unused;
}
static void remembering_free(void) {
  for (long i = 0; i < N; i++) put(count, i);
  work_off(remembering_worker);
  join();
}

// ---- the pool itself -------------------------------------------------------------------------------------------
static int jobs_done;
static void* statistics_worker(void* unused) {
  struct item item;
  while (take(&item)) {
    item.run(item.argument);
    jobs_done++;
  }
  return unused;
}
static void statistics_racy(void) {
  for (long i = 0; i < N; i++) put(own_place, i);
  work_off(statistics_worker);
  join();
}
static void parent(long i) {
  a[i] = 1;
  submit(use_result, 0);
  x = 7;
}
static void parent_racy(void) {
  submit(parent, 1);
  work_off(queue_worker);
  close_queue();
  join();
}

// Stealing: each has a queue, and takes from the other's when its own is empty.
static struct {
  pthread_mutex_t lock;
  struct item items[ROOM];
  int head, tail;
} queues[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};
static int take_of(int which, struct item* item) {
  pthread_mutex_lock(&queues[which].lock);
  const int got = queues[which].head != queues[which].tail;
  if (got) *item = queues[which].items[queues[which].head++];
  pthread_mutex_unlock(&queues[which].lock);
  return got;
}
static void* stealing_worker(void* number) {
  struct item item;
  const int mine = (int)(long)number;
  while (take_of(mine, &item) || take_of(1 - mine, &item)) item.run(item.argument);
  return NULL;
}
static void steal_of(Job run) {
  for (long i = 0; i < N; i++) queues[i % 2].items[queues[i % 2].tail++] = (struct item){run, i};
  pthread_create(&workers[0], NULL, stealing_worker, (void*)0);
  rest();
  pthread_create(&workers[1], NULL, stealing_worker, (void*)1);
  join();
}
static void stealing_racy(void) { steal_of(count); }
static void stealing_free(void) { steal_of(count_locked); }

static const struct {
  const char* name;
  void (*run)(void);
  int racy;
} all[] = {
#define RACY(name) {#name, name##_racy, 1}
#define FREE(name) {#name, name##_free, 0}
    RACY(queue_count),
    FREE(queue_locked),
    RACY(queue_locks),
    FREE(queue_atomic),
    FREE(queue_places),
    RACY(queue_places),
    RACY(queue_neighbours),
    RACY(ring),
    FREE(ring),
    RACY(semaphore),
    FREE(semaphore),
    RACY(pipe),
    FREE(pipe),
    RACY(counter),
    FREE(counter),
    RACY(spin),
    FREE(spin),
    FREE(chain),
    RACY(chain),
    FREE(latch),
    RACY(latch),
    FREE(future),
    RACY(future),
    FREE(future_inside),
    FREE(heap),
    RACY(heap),
    FREE(scratch),
    FREE(scratch_pointer),
    FREE(stack),
    FREE(errno),
    FREE(one_worker),
    FREE(after_the_first),
    FREE(busy),
    FREE(own_block),
    FREE(numbered),
    FREE(asking),
    FREE(counting),
    FREE(remembering),
    RACY(statistics),
    RACY(parent),
    RACY(stealing),
    FREE(stealing),
    RACY(rwlock),
    FREE(rwlock),
};

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "list";
  sem_init(&ready, 0, 0);
  sem_init(&gate, 0, 0);
  sem_init(&done, 0, 0);
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(wanted, "list") == 0)
      printf("%s %s_%s\n", all[i].racy ? "racy" : "free", all[i].name,
             all[i].racy ? "racy" : "free");
    const size_t stem = strlen(all[i].name);
    if (strncmp(wanted, all[i].name, stem) == 0 &&
        strcmp(wanted + stem, all[i].racy ? "_racy" : "_free") == 0)
      all[i].run();
  }
  return 0;
}
