// What threads synchronize with in memory that is used again, and locks in the wrong hands: small programs with a
// known answer, as in scenarios.c. Two threads do a part each, the second one when the first is done; only a relaxed flag
// says so, which orders nothing. So what they do to x races, unless an object that both use orders it.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static volatile int x;
static atomic_int turn = -1;
static void* _Atomic places[2];   // where the objects of both lay
static int reused = 1;            // whether at one place, as they should

typedef void (*Part)(int number);
struct task { Part part; int number; };
static void wait_relaxed(int value) { while (atomic_load_explicit(&turn, memory_order_relaxed) < value) usleep(50); }
static void say(int value) { atomic_store_explicit(&turn, value, memory_order_relaxed); }
static void* call(void* argument) {
  struct task* task = argument;
  wait_relaxed(task->number);
  task->part(task->number);
  say(task->number + 1);
  return NULL;
}
static void in_turn(Part part) {
  pthread_t t[2];
  struct task tasks[2] = {{part, 0}, {part, 1}};
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, call, &tasks[i]);
  say(0);  // making threads takes memory
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
}
static void* place(int number, void* memory) {
  atomic_store_explicit(&places[number], memory, memory_order_relaxed);
  if (number == 1) reused = atomic_load_explicit(&places[0], memory_order_relaxed) == memory;
  return memory;
}
// Not of their threads' own caches, and of one arena.
enum { kLarge = 9000 };
static void* large(int number) {
  return place(number, malloc(kLarge));
}

// ---- of the heap: each request brings its own
struct mutex_request { pthread_mutex_t m; int value; };
static void lock_and_count(pthread_mutex_t* m) { pthread_mutex_lock(m); x++; pthread_mutex_unlock(m); }
static void heap_init(int number) {
  struct mutex_request* r = large(number);
  pthread_mutex_init(&r->m, NULL);
  lock_and_count(&r->m);
  pthread_mutex_destroy(&r->m);
  free(r);
}
static void heap_mutex(void) { in_turn(heap_init); }
static void heap_constant(int number) {
  struct mutex_request* r = large(number);
  r->m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  lock_and_count(&r->m);
  free(r);
}
static void heap_initializer(void) { in_turn(heap_constant); }
static void heap_counter(int number) {
  atomic_int* a = large(number);
  atomic_init(a, 0);
  if (number == 0) x++;
  atomic_fetch_add(a, 1);
  if (number == 1) x++;
  free(a);
}
static void heap_atomic(void) { in_turn(heap_counter); }
static void heap_spinning(int number) {
  pthread_spinlock_t* s = large(number);
  pthread_spin_init(s, 0);
  pthread_spin_lock(s); x++; pthread_spin_unlock(s);
  pthread_spin_destroy(s);
  free((void*)s);
}
static void heap_spin(void) { in_turn(heap_spinning); }
static void heap_reading(int number) {
  pthread_rwlock_t* l = large(number);
  pthread_rwlock_init(l, NULL);
  pthread_rwlock_wrlock(l); x++; pthread_rwlock_unlock(l);
  pthread_rwlock_destroy(l);
  free(l);
}
static void heap_rwlock(void) { in_turn(heap_reading); }
static void heap_posting(int number) {
  sem_t* s = large(number);
  sem_init(s, 0, 1);
  sem_wait(s); x++; sem_post(s);
  sem_destroy(s);
  free(s);
}
static void heap_semaphore(void) { in_turn(heap_posting); }
static void heap_meeting(int number) {
  pthread_barrier_t* b = large(number);
  pthread_barrier_init(b, NULL, 1);
  if (number == 0) x++;
  pthread_barrier_wait(b);
  if (number == 1) x++;
  pthread_barrier_destroy(b);
  free(b);
}
static void heap_barrier(void) { in_turn(heap_meeting); }
static void set_x(void) { x++; }
static void heap_first(int number) {
  pthread_once_t* o = large(number);
  *o = PTHREAD_ONCE_INIT;
  pthread_once(o, set_x);
  free(o);
}
static void heap_once(void) { in_turn(heap_first); }
static pthread_cond_t never;
static void heap_timed(int number) {
  struct mutex_request* r = large(number);
  pthread_mutex_init(&r->m, NULL);
  struct timespec past = {1, 0};
  pthread_mutex_lock(&r->m);
  x++;
  pthread_cond_timedwait(&never, &r->m, &past);
  pthread_mutex_unlock(&r->m);
  free(r);
}
static void heap_wait(void) { pthread_cond_init(&never, NULL); in_turn(heap_timed); }
static void mapped(int number) {
  void* where = atomic_load_explicit(&places[0], memory_order_relaxed);
  pthread_mutex_t* m = mmap(where, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  place(number, m);
  lock_and_count(m);  // zeros are an initialized mutex
  munmap(m, 4096);
}
static void pages(void) { in_turn(mapped); }
static struct mutex_request* volatile keeps;
static void keep(void) { keeps = malloc(kLarge); pthread_mutex_init(&keeps->m, NULL); }
static void keep_one(int number) { (void)number; lock_and_count(&keeps->m); }
static void heap_kept(void) { keep(); in_turn(keep_one); }
static void neighbours_free(int number) {  // what lies around it is handed out, it is not
  (void)number;
  for (int i = 0; i < 10; i++) { void* volatile p = malloc(kLarge + (size_t)i * 64); free(p); }
  lock_and_count(&keeps->m);
}
static void heap_neighbours(void) { keep(); in_turn(neighbours_free); }

// ---- of one variable, or the program's own pool
static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;
static mtx_t common_c11;
static pthread_rwlock_t common_rw;
static atomic_int common_atomic;
static void by_init(int number) { (void)number; pthread_mutex_init(&common, NULL); lock_and_count(&common); pthread_mutex_destroy(&common); }
static void again_init(void) { in_turn(by_init); }
static void by_c11(int number) { (void)number; mtx_init(&common_c11, mtx_plain); mtx_lock(&common_c11); x++; mtx_unlock(&common_c11); mtx_destroy(&common_c11); }
static void again_c11(void) { in_turn(by_c11); }
static void by_constant(int number) { (void)number; common = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; lock_and_count(&common); }
static void again_constant(void) { in_turn(by_constant); }
static void by_memset(int number) { (void)number; memset(&common_rw, 0, sizeof common_rw); pthread_rwlock_wrlock(&common_rw); x++; pthread_rwlock_unlock(&common_rw); }
static void again_memset(void) { in_turn(by_memset); }
static void by_plain_write(int number) { *(volatile int*)&common_atomic = 0; if (number == 0) x++; atomic_fetch_add(&common_atomic, 1); if (number == 1) x++; }
static void again_atomic(void) { in_turn(by_plain_write); }
static void by_lock(int number) { (void)number; lock_and_count(&common); }
static void not_again(void) { pthread_mutex_init(&common, NULL); in_turn(by_lock); }
struct node { pthread_mutex_t m; struct node* next; };
static struct node pool[4];
static _Atomic(struct node*) unused;
static void from_pool(int number) {
  struct node* n = atomic_load_explicit(&unused, memory_order_relaxed);
  place(number, n);
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&n->m, &fresh, sizeof fresh);
  lock_and_count(&n->m);
  atomic_store_explicit(&unused, n, memory_order_relaxed);
}
static void pooled(void) { atomic_store(&unused, pool); in_turn(from_pool); }
// Rounds of one flag, which is set back when nobody is there.
static atomic_int flag;
static void* rounds_set(void* argument) {
  (void)argument;
  for (int i = 0; i < 4; i++) {
    while (atomic_load_explicit(&flag, memory_order_acquire) != 0) usleep(20);
    x++;
    atomic_store_explicit(&flag, 1, memory_order_release);
  }
  return NULL;
}
static void* rounds_reset(void* argument) {
  (void)argument;
  for (int i = 0; i < 4; i++) {
    while (atomic_load_explicit(&flag, memory_order_acquire) != 1) usleep(20);
    x++;
    atomic_store_explicit(&flag, 0, memory_order_release);
  }
  return NULL;
}
static void flag_rounds(void) {
  pthread_t t[2];
  for (int round = 0; round < 3; round++) {
    *(volatile int*)&flag = 0;
    pthread_create(&t[0], NULL, rounds_set, NULL);
    pthread_create(&t[1], NULL, rounds_reset, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    x++;
  }
}

// ---- of the stack: frames of one thread that follow each other, each with its own
static void* volatile frame_places[3];
static struct lent { void* object; int number; } lent[2];
static void* user(void* argument) {
  const struct lent* mine = argument;
  lock_and_count(mine->object);
  say(10 + mine->number);
  return NULL;
}
static void* user_atomic(void* argument) {
  const struct lent* mine = argument;
  if (mine->number == 0) x++;
  atomic_fetch_add((atomic_int*)mine->object, 1);
  if (mine->number == 1) x++;
  say(10 + mine->number);
  return NULL;
}
static void settle(void* object, int number) {
  frame_places[number] = object;
  if (number == 1) reused = frame_places[0] == frame_places[1];
}
static void lend(void* (*use)(void*), void* object, int number) {
  pthread_t t;
  lent[number] = (struct lent){object, number};
  pthread_create(&t, NULL, use, &lent[number]);
  pthread_detach(t);
  wait_relaxed(10 + number);
}
__attribute__((noinline)) static void frame(int number) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  settle(&m, number);
  lend(user, &m, number);
}
static void stack_frames(void) { frame(0); frame(1); settle(NULL, 2); }
static void stack_loop(void) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    settle(&m, i);
    lend(user, &m, i);
  }
}
__attribute__((noinline)) static void frame_atomic(int number) {
  atomic_int a = 0;
  settle(&a, number);
  lend(user_atomic, &a, number);
}
static void stack_atomic(void) { frame_atomic(0); frame_atomic(1); settle(NULL, 2); }
__attribute__((noinline)) static void one_frame(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 2; i++) lend(user, &m, i);
}
static void stack_kept(void) { one_frame(); }
// The owner of the frame uses its mutex too, and waits for the others: all that is ordered.
static void* joined(void* m) { lock_and_count(m); return NULL; }
__attribute__((noinline)) static void frame_joined(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, joined, &m);
  lock_and_count(&m);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
}
static void stack_joined(void) { for (int i = 0; i < 3; i++) frame_joined(); }

// ---- locks in the wrong hands: they order nothing
static void unlocks_only(int number) {
  if (number == 0) { x++; pthread_mutex_unlock(&common); }
  else lock_and_count(&common);
}
static void never_locked(void) { in_turn(unlocks_only); }
static void unlocks_twice(int number) {
  if (number == 1) { lock_and_count(&common); return; }
  pthread_mutex_lock(&common);
  pthread_mutex_unlock(&common);
  x++;
  pthread_mutex_unlock(&common);
}
static void unlocked_twice(void) { in_turn(unlocks_twice); }
static pthread_t other;
static void* foreign(void* argument) { (void)argument; x++; pthread_mutex_unlock(&common); say(20); return NULL; }
static void foreign_unlock(void) {
  pthread_mutex_lock(&common);
  pthread_create(&other, NULL, foreign, NULL);
  wait_relaxed(20);
  pthread_mutex_lock(&common);
  x++;
  pthread_mutex_unlock(&common);
  pthread_join(other, NULL);
}
static void spin_foreign(int number) {
  pthread_spinlock_t* s = (pthread_spinlock_t*)(void*)&common_rw;
  if (number == 0) { x++; pthread_spin_unlock(s); }
  else { pthread_spin_lock(s); x++; pthread_spin_unlock(s); }
}
static void spin_never_locked(void) { pthread_spin_init((pthread_spinlock_t*)(void*)&common_rw, 0); in_turn(spin_foreign); }
static void wait_unlocked(int number) {
  struct timespec past = {1, 0};
  if (number == 1) { lock_and_count(&common); return; }
  x++;
  pthread_cond_timedwait(&never, &common, &past);
}
static void wait_not_had(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&common, &a);
  pthread_cond_init(&never, NULL);
  in_turn(wait_unlocked);
}
static void had_again(int number) {
  struct timespec past = {1, 0};
  (void)number;
  pthread_mutex_lock(&common);
  pthread_cond_timedwait(&never, &common, &past);
  x++;
  pthread_mutex_unlock(&common);
}
static void wait_had(void) { pthread_cond_init(&never, NULL); in_turn(had_again); }

static const struct {
  const char* name;
  void (*run)(void);
  int racy;
  int misuses;
} all[] = {
#define FREE(name) {#name, name, 0, 0}
#define RACY(name) {#name, name, 1, 0}
#define MISUSED(name, times) {#name, name, 1, times}
    RACY(heap_mutex), RACY(heap_initializer), RACY(heap_atomic), RACY(heap_spin), RACY(heap_rwlock), RACY(heap_semaphore),
    RACY(heap_barrier), RACY(heap_once), RACY(heap_wait), RACY(pages), FREE(heap_kept), FREE(heap_neighbours),
    RACY(again_init), RACY(again_c11), RACY(again_constant), RACY(again_memset), RACY(again_atomic), FREE(not_again),
    RACY(pooled), FREE(flag_rounds), RACY(stack_frames), RACY(stack_loop), RACY(stack_atomic), FREE(stack_kept),
    FREE(stack_joined), MISUSED(never_locked, 1), MISUSED(unlocked_twice, 1), MISUSED(foreign_unlock, 1),
    MISUSED(spin_never_locked, 1), MISUSED(wait_not_had, 1), FREE(wait_had),
};

// `list`: what is expected, the name, how many misuses. A program ends with 3 when its memory was not used again.
int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
    if (argc < 2 || strcmp(argv[1], "list") == 0) printf("%s %s %d\n", all[i].racy ? "racy" : "free", all[i].name, all[i].misuses);
    else if (strcmp(argv[1], all[i].name) == 0) return all[i].run(), reused ? 0 : 3;
  }
  return argc < 2 || strcmp(argv[1], "list") == 0 ? 0 : 2;
}
