// Small programs with a known answer, chosen by the first argument; `list` lists them with what is expected.
// "racy" ones race on x in every schedule, "free" ones never do. Two threads run a() and b().
#define _DEFAULT_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int x, y, z[64];
static atomic_int flag, flag2, turn;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER, rec;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem, sem2;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static mtx_t cm;
static cnd_t cc;
static once_flag cflag = ONCE_FLAG_INIT;
static _Thread_local int local;
static int* volatile shared;
static _Atomic(int*) published;

typedef void (*Part)(void);
static void* call(void* part) {
  ((Part)part)();
  return NULL;
}
static void both(Part a, Part b) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, call, (void*)a);
  pthread_create(&t[1], NULL, call, (void*)b);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
}
static void wait_for(atomic_int* what) {
  while (atomic_load_explicit(what, memory_order_acquire) == 0) usleep(50);
}
static void wait_relaxed(atomic_int* what) {
  while (atomic_load_explicit(what, memory_order_relaxed) == 0) usleep(50);
}

// ---- without anything
static void inc(void) { for (int i = 0; i < 3; i++) x++; }
static void get(void) { for (int i = 0; i < 3; i++) y += x; }
static void get_only(void) { volatile int r = x; (void)r; }
static void plain_ww(void) { both(inc, inc); }
static void plain_rw(void) { both(inc, get); }
static void plain_rr(void) { x = 1; both(get_only, get_only); }
static void low(void) { for (int i = 0; i < 32; i++) z[i] = i; }
static void high(void) { for (int i = 32; i < 64; i++) z[i] = i; }
static void middle(void) { for (int i = 16; i < 48; i++) z[i] = i; }
static void even(void) { for (int i = 0; i < 64; i += 2) z[i] = i; }
static void odd(void) { for (int i = 1; i < 64; i += 2) z[i] = i; }
static void third(void) { for (int i = 0; i < 64; i += 3) z[i] = i; }
static void down(void) { for (int i = 63; i >= 32; i--) z[i] = i; }
static void halves(void) { both(low, high); }
static void overlap(void) { both(low, middle); }
static void interleaved(void) { both(even, odd); }
static void strides(void) { both(even, third); }
static void downwards(void) { both(low, down); }
static void one_byte(void) { ((volatile char*)&x)[3] = 1; }
static void whole(void) { *(volatile int*)&x = 2; }
static void other_byte(void) { ((volatile char*)&x)[1] = 1; }
static void partial(void) { both(one_byte, whole); }
static void neighbours(void) { both(one_byte, other_byte); }
static void copy(void) { memcpy(z, z + 32, sizeof(int) * 32); }
static void copy_upper(void) { memcpy(z + 48, z + 32, sizeof(int) * 8); }
static void clear(void) { memset(z + 32, 0, sizeof(int) * 4); }
static void copy_fill(void) { both(copy, clear); }
static void copy_copy(void) { both(copy, copy_upper); }
static void in_thread(void) { local++; local++; }
static void thread_local_(void) { both(in_thread, in_thread); }
static void on_stack(void) { volatile int here[16]; for (int i = 0; i < 16; i++) here[i] = i; }
static void stacks(void) { both(on_stack, on_stack); }

// ---- create and join
static void join_free(void) {
  pthread_t t;
  x = 1;
  pthread_create(&t, NULL, call, (void*)inc);
  pthread_join(t, NULL);
  x++;
}
static void before_join(void) {
  pthread_t t;
  pthread_create(&t, NULL, call, (void*)inc);
  x++;
  pthread_join(t, NULL);
}
static void chain(void) {
  pthread_t t;
  for (int i = 0; i < 5; i++) {
    pthread_create(&t, NULL, call, (void*)inc);
    pthread_join(t, NULL);
  }
}
static void make_child(void) {
  pthread_t t;
  x++;
  pthread_create(&t, NULL, call, (void*)inc);
  pthread_join(t, NULL);
  x++;
}
static void grandchild(void) {
  pthread_t t;
  pthread_create(&t, NULL, call, (void*)make_child);
  pthread_join(t, NULL);
  x++;
}
static void say_done(void) { on_stack(); atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); }
static void detached(void) {
  pthread_t t;
  for (int i = 1; i <= 8; i++) {
    pthread_create(&t, NULL, call, (void*)say_done);
    pthread_detach(t);
    while (atomic_load_explicit(&flag, memory_order_relaxed) < i) usleep(50);
    usleep(500);
  }
}
static void detached_racy(void) {
  pthread_t t;
  pthread_create(&t, NULL, call, (void*)inc);
  pthread_detach(t);
  pthread_create(&t, NULL, call, (void*)inc);
  pthread_join(t, NULL);
  usleep(20000);
}
static int c11_work(void* arg) { (void)arg; inc(); return 0; }
static void c11_join(void) {
  thrd_t t;
  x = 5;
  thrd_create(&t, c11_work, NULL);
  thrd_join(t, NULL);
  x++;
}
static void c11_racy(void) {
  thrd_t t, u;
  thrd_create(&t, c11_work, NULL);
  thrd_create(&u, c11_work, NULL);
  thrd_join(t, NULL);
  thrd_join(u, NULL);
}

// ---- mutexes
static void locked(void) { for (int i = 0; i < 5; i++) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); } }
static void locked2(void) { for (int i = 0; i < 5; i++) { pthread_mutex_lock(&m2); x++; pthread_mutex_unlock(&m2); } }
static void mutex_free(void) { both(locked, locked); }
static void mutex_two(void) { both(locked, locked2); }
static void mutex_one_side(void) { both(locked, inc); }
static void behind_unlock(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); x++; }
static void mutex_behind(void) { both(behind_unlock, behind_unlock); }
static void trylocked(void) { for (int i = 0; i < 5;) if (pthread_mutex_trylock(&m) == 0) { x++; i++; pthread_mutex_unlock(&m); } else usleep(50); }
static void mutex_try(void) { both(trylocked, locked); }
static void careless(void) { int got = pthread_mutex_trylock(&m) == 0; x++; if (got) pthread_mutex_unlock(&m); }
static void hold_long(void) { pthread_mutex_lock(&m); atomic_store_explicit(&flag, 1, memory_order_relaxed); wait_relaxed(&flag2); x++; pthread_mutex_unlock(&m); }
static void careless_late(void) { wait_relaxed(&flag); careless(); atomic_store_explicit(&flag2, 1, memory_order_relaxed); }
static void mutex_try_failed(void) { both(hold_long, careless_late); }
static void timedlocked(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec += 10; if (pthread_mutex_timedlock(&m, &t) == 0) { x++; pthread_mutex_unlock(&m); } }
static void mutex_timed(void) { both(timedlocked, locked); }
static void recursive(void) { for (int i = 0; i < 3; i++) { pthread_mutex_lock(&rec); pthread_mutex_lock(&rec); x++; pthread_mutex_unlock(&rec); x++; pthread_mutex_unlock(&rec); } }
static void mutex_recursive(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&rec, &a);
  both(recursive, recursive);
}
static void nested(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m2); x++; pthread_mutex_unlock(&m2); pthread_mutex_unlock(&m); }
static void mutex_nested(void) { both(nested, locked2); }
static void mutex_nested_free(void) { both(nested, locked); }
static void c11_locked(void) { for (int i = 0; i < 4; i++) { mtx_lock(&cm); x++; mtx_unlock(&cm); } }
static void c11_mutex(void) { mtx_init(&cm, mtx_plain); both(c11_locked, c11_locked); }
static void c11_mutex_racy(void) { mtx_init(&cm, mtx_plain); both(c11_locked, inc); }
// Who dies with a robust mutex hands it on.
static pthread_mutex_t robust;
static void die_with(void) { pthread_mutex_lock(&robust); x++; atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static void inherit(void) { wait_relaxed(&flag); if (pthread_mutex_lock(&robust) == EOWNERDEAD) pthread_mutex_consistent(&robust); x++; pthread_mutex_unlock(&robust); }
static void make_robust(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &kind);
}
static void inherit_late(void) { wait_relaxed(&flag); x++; inherit(); }
static void mutex_robust(void) { make_robust(); both(die_with, inherit); }
static void mutex_robust_racy(void) { make_robust(); both(die_with, inherit_late); }
static void errorcheck_unlock(void) { x++; pthread_mutex_unlock(&rec); }
static void errorcheck_lock(void) { pthread_mutex_lock(&rec); x++; pthread_mutex_unlock(&rec); }
static void mutex_refused(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&rec, &a);
  both(errorcheck_unlock, errorcheck_lock);
}

// ---- rwlocks, spin locks
static void rw_write(void) { for (int i = 0; i < 4; i++) { pthread_rwlock_wrlock(&rw); x++; pthread_rwlock_unlock(&rw); } }
static void rw_read(void) { for (int i = 0; i < 4; i++) { pthread_rwlock_rdlock(&rw); volatile int r = x; (void)r; pthread_rwlock_unlock(&rw); } }
static void rw_read_write(void) { for (int i = 0; i < 4; i++) { pthread_rwlock_rdlock(&rw); x++; pthread_rwlock_unlock(&rw); } }
static void rwlock_free(void) { both(rw_write, rw_read); }
static void rwlock_writers(void) { both(rw_write, rw_write); }
static void rwlock_readers_write(void) { both(rw_read_write, rw_read_write); }
static void rw_try(void) { for (int i = 0; i < 4;) if (pthread_rwlock_trywrlock(&rw) == 0) { x++; i++; pthread_rwlock_unlock(&rw); } else usleep(50); }
static void rwlock_try(void) { both(rw_try, rw_read); }
static void rwlock_one_side(void) { both(rw_read, inc); }
static void spinning(void) { for (int i = 0; i < 4; i++) { pthread_spin_lock(&spin); x++; pthread_spin_unlock(&spin); } }
static void spin_free(void) { pthread_spin_init(&spin, 0); both(spinning, spinning); }
static void spin_racy(void) { pthread_spin_init(&spin, 0); both(spinning, locked); }

// ---- condition variables
static void produce(void) { pthread_mutex_lock(&m); x = 7; y = 1; pthread_cond_signal(&cond); pthread_mutex_unlock(&m); }
static void consume(void) { pthread_mutex_lock(&m); while (!y) pthread_cond_wait(&cond, &m); x++; pthread_mutex_unlock(&m); }
static void cond_free(void) { both(produce, consume); }
static void produce_before(void) { x = 7; pthread_mutex_lock(&m); y = 1; pthread_cond_broadcast(&cond); pthread_mutex_unlock(&m); }
static void consume_after(void) { pthread_mutex_lock(&m); while (!y) pthread_cond_wait(&cond, &m); pthread_mutex_unlock(&m); x++; }
static void cond_handover(void) { both(produce_before, consume_after); }
static void produce_late(void) { pthread_mutex_lock(&m); y = 1; pthread_cond_signal(&cond); pthread_mutex_unlock(&m); x = 7; }
static void cond_late(void) { both(produce_late, consume_after); }
static void consume_timed(void) { struct timespec t; pthread_mutex_lock(&m); while (!y) { clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += 1000000; if (t.tv_nsec > 999999999) { t.tv_nsec -= 1000000000; t.tv_sec++; } pthread_cond_timedwait(&cond, &m, &t); } x++; pthread_mutex_unlock(&m); }
static void cond_timed(void) { both(produce, consume_timed); }
// A cancelled thread has the mutex when its handlers run.
static void let_go(void* late) { x++; pthread_mutex_unlock(&m); if (late) x++; }
static void* wait_for_ever(void* late) { pthread_mutex_lock(&m); y = 1; pthread_cleanup_push(let_go, late); for (;;) pthread_cond_wait(&cond, &m); pthread_cleanup_pop(0); return NULL; }
static void cancel_waiter(void* late) {
  pthread_t t;
  pthread_create(&t, NULL, wait_for_ever, late);
  for (int begun = 0; !begun;) { pthread_mutex_lock(&m); begun = y; x++; pthread_mutex_unlock(&m); usleep(50); }
  pthread_cancel(t);
  pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
  if (late) x++;
  pthread_join(t, NULL);
}
static void cond_cancelled(void) { cancel_waiter(NULL); }
static void cond_cancelled_racy(void) { cancel_waiter(&y); }
static void c11_produce(void) { x = 3; mtx_lock(&cm); y = 1; cnd_signal(&cc); mtx_unlock(&cm); }
static void c11_consume(void) { mtx_lock(&cm); while (!y) cnd_wait(&cc, &cm); mtx_unlock(&cm); x++; }
static void c11_cond(void) { mtx_init(&cm, mtx_plain); cnd_init(&cc); both(c11_produce, c11_consume); }

// ---- barriers, semaphores, once
static void half_a(void) { for (int i = 0; i < 32; i++) z[i] = i; pthread_barrier_wait(&barrier); for (int i = 32; i < 64; i++) z[i]++; }
static void half_b(void) { for (int i = 32; i < 64; i++) z[i] = i; pthread_barrier_wait(&barrier); for (int i = 0; i < 32; i++) z[i]++; }
static void half_early(void) { for (int i = 16; i < 64; i++) z[i] = i; pthread_barrier_wait(&barrier); }
static void barrier_free(void) { pthread_barrier_init(&barrier, NULL, 2); both(half_a, half_b); }
static void barrier_racy(void) { pthread_barrier_init(&barrier, NULL, 2); both(half_a, half_early); }
static void rounds(void) { for (int i = 0; i < 6; i++) { if (i % 2) x++; pthread_barrier_wait(&barrier); } }
static void rounds_other(void) { for (int i = 0; i < 6; i++) { if (i % 2 == 0) x++; pthread_barrier_wait(&barrier); } }
static void barrier_rounds(void) { pthread_barrier_init(&barrier, NULL, 2); both(rounds, rounds_other); }
static void barrier_rounds_racy(void) { pthread_barrier_init(&barrier, NULL, 2); both(rounds, rounds); }
static void post(void) { x = 1; sem_post(&sem); }
static void take(void) { sem_wait(&sem); x++; }
static void sem_free(void) { sem_init(&sem, 0, 0); both(post, take); }
static void post_early(void) { sem_post(&sem); x = 1; }
static void sem_early(void) { sem_init(&sem, 0, 0); both(post_early, take); }
static void sem_locked(void) { for (int i = 0; i < 4; i++) { sem_wait(&sem); x++; sem_post(&sem); } }
static void sem_mutex(void) { sem_init(&sem, 0, 1); both(sem_locked, sem_locked); }
static void sem_two(void) { sem_init(&sem, 0, 2); both(sem_locked, sem_locked); }
static void ring_put(void) { for (int i = 0; i < 12; i++) { sem_wait(&sem2); z[i % 4] = i; sem_post(&sem); } }
static void ring_take(void) { for (int i = 0; i < 12; i++) { sem_wait(&sem); y += z[i % 4]; sem_post(&sem2); } }
static void sem_ring(void) { sem_init(&sem, 0, 0); sem_init(&sem2, 0, 4); both(ring_put, ring_take); }
static void sem_ring_racy(void) { sem_init(&sem, 0, 0); sem_init(&sem2, 0, 5); both(ring_put, ring_take); }
static void try_take(void) { while (sem_trywait(&sem) != 0) usleep(50); x++; }
static void sem_try(void) { sem_init(&sem, 0, 0); both(post, try_take); }
static void set_x(void) { x = 9; }
static void use_once(void) { pthread_once(&once, set_x); volatile int r = x; (void)r; }
static void once_free(void) { both(use_once, use_once); }
static void once_write(void) { pthread_once(&once, set_x); x++; }
static void once_racy(void) { both(once_write, once_write); }
static void use_c11_once(void) { call_once(&cflag, set_x); volatile int r = x; (void)r; }
static void c11_once(void) { both(use_c11_once, use_c11_once); }

// ---- atomics and fences
static void at_inc(void) { for (int i = 0; i < 5; i++) atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); }
static void atomic_free(void) { both(at_inc, at_inc); }
static void plain_flag(void) { *(volatile int*)&flag = 3; }
static void atomic_plain(void) { both(at_inc, plain_flag); }
static void st_release(void) { x = 1; atomic_store_explicit(&flag, 1, memory_order_release); }
static void st_relaxed(void) { x = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static void st_seq(void) { x = 1; atomic_store(&flag, 1); }
static void ld_acquire(void) { wait_for(&flag); x++; }
static void ld_relaxed(void) { wait_relaxed(&flag); x++; }
static void ld_seq(void) { while (!atomic_load(&flag)) usleep(50); x++; }
static void rel_acq(void) { both(st_release, ld_acquire); }
static void rel_rlx(void) { both(st_release, ld_relaxed); }
static void rlx_acq(void) { both(st_relaxed, ld_acquire); }
static void seq_seq(void) { both(st_seq, ld_seq); }
static void fence_rel(void) { x = 1; atomic_thread_fence(memory_order_release); atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static void fence_acq(void) { wait_relaxed(&flag); atomic_thread_fence(memory_order_acquire); x++; }
static void fence_both(void) { both(fence_rel, fence_acq); }
static void fence_store(void) { both(fence_rel, ld_acquire); }
static void fence_load(void) { both(st_release, fence_acq); }
static void fence_missing(void) { both(fence_rel, ld_relaxed); }
static void fence_wrong(void) { x = 1; atomic_thread_fence(memory_order_acquire); atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static void fence_wrong_kind(void) { both(fence_wrong, ld_acquire); }
static void rmw_middle(void) { wait_relaxed(&flag); atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); }
static void ld_two(void) { while (atomic_load_explicit(&flag, memory_order_acquire) < 2) usleep(50); x++; }
static void three(Part a, Part b, Part c) {
  pthread_t t[3];
  Part p[3] = {a, b, c};
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, call, (void*)p[i]);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
}
static void release_sequence(void) { three(st_release, rmw_middle, ld_two); }
static void store_middle(void) { wait_relaxed(&flag); atomic_store_explicit(&flag, 2, memory_order_relaxed); }
// An acquire that sees the 1 would be enough: the first one sees the 2.
static void ld_late(void) { while (atomic_load_explicit(&flag, memory_order_relaxed) < 2) usleep(50); (void)atomic_load_explicit(&flag, memory_order_acquire); x++; }
static void sequence_broken(void) { three(st_release, store_middle, ld_late); }
static void cas_lock(void) { for (int i = 0; i < 4; i++) { int zero; do { zero = 0; } while (!atomic_compare_exchange_weak_explicit(&turn, &zero, 1, memory_order_acquire, memory_order_relaxed) && usleep(50) <= 0); x++; atomic_store_explicit(&turn, 0, memory_order_release); } }
static void cas_free(void) { both(cas_lock, cas_lock); }
static void cas_lax(void) { for (int i = 0; i < 4; i++) { int zero; do { zero = 0; } while (!atomic_compare_exchange_weak_explicit(&turn, &zero, 1, memory_order_relaxed, memory_order_relaxed) && usleep(50) <= 0); x++; atomic_store_explicit(&turn, 0, memory_order_relaxed); } }
static void cas_racy(void) { both(cas_lax, cas_lax); }
static void xchg_lock(void) { for (int i = 0; i < 4; i++) { while (atomic_exchange_explicit(&turn, 1, memory_order_acquire)) usleep(50); x++; atomic_store_explicit(&turn, 0, memory_order_release); } }
static void xchg_free(void) { both(xchg_lock, cas_lock); }
static void handover_1(void) { x = 1; atomic_store_explicit(&flag, 1, memory_order_release); }
static void handover_2(void) { wait_for(&flag); x++; atomic_store_explicit(&flag2, 1, memory_order_release); }
static void handover_3(void) { wait_for(&flag2); x++; }
static void transitive(void) { three(handover_1, handover_2, handover_3); }
static void publish(void) { int* p = malloc(sizeof(int)); *p = 5; atomic_store_explicit(&published, p, memory_order_release); }
static void receive(void) { int* p; while (!(p = atomic_load_explicit(&published, memory_order_acquire))) usleep(50); *(volatile int*)p += 1; free(p); }
static void publish_free(void) { both(publish, receive); }
static void publish_lax(void) { int* p = malloc(sizeof(int)); *p = 5; atomic_store_explicit(&published, p, memory_order_relaxed); }
static void publish_racy(void) { both(publish_lax, receive); }

// ---- memory that changes hands
static void churn(void) {
  for (int i = 0; i < 50; i++) {
    volatile int* p = malloc(64 + i % 5 * 16);
    for (int k = 0; k < 8; k++) p[k] = k;
    free((void*)p);
    sched_yield();
  }
}
static void heap_churn(void) { both(churn, churn); }
static void give_back(void) { volatile int* p = malloc(40); p[0] = 1; p[9] = 1; free((void*)p); atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static void get_again(void) { wait_relaxed(&flag); churn(); }
static void main_arena(void) {
  // Both use the arena of the main thread: blocks go from one to the other.
  pthread_t t;
  pthread_create(&t, NULL, call, (void*)get_again);
  give_back();
  churn();
  pthread_join(t, NULL);
}
static void grow(void) { int* p = NULL; for (int i = 1; i < 40; i++) { p = realloc(p, (size_t)i * 24); p[i * 6 - 1] = i; } free(p); }
static void heap_realloc(void) { both(grow, churn); }
static void heap_in(void) { shared[0]++; }
static void heap_racy(void) { shared = calloc(4, 4); both(heap_in, heap_in); free(shared); }
static void many_exit(void) { for (int i = 0; i < 20; i++) { volatile int deep[200]; for (int k = 0; k < 200; k++) deep[k] = k; } }
static void stack_reuse(void) {
  for (int i = 0; i < 6; i++) {
    pthread_t t;
    pthread_create(&t, NULL, call, (void*)many_exit);
    pthread_detach(t);
    usleep(2000);
  }
  usleep(10000);
}
static int* volatile lent;
static void lend_stack(void) { int here = 1; lent = &here; atomic_store_explicit(&flag, 1, memory_order_release); wait_for(&flag2); here++; }
static void borrow(void) { wait_for(&flag); *lent += 1; atomic_store_explicit(&flag2, 1, memory_order_release); }
static void lent_stack(void) { both(lend_stack, borrow); }
static void borrow_late(void) { wait_for(&flag); atomic_store_explicit(&flag2, 1, memory_order_release); *lent += 1; atomic_store_explicit(&turn, 1, memory_order_relaxed); }
static void lend_long(void) { int here = 1; lent = &here; atomic_store_explicit(&flag, 1, memory_order_release); wait_for(&flag2); here++; wait_relaxed(&turn); }
static void lent_stack_racy(void) { both(lend_long, borrow_late); }

// ---- signals
static void handler(int number) { (void)number; sem_post(&sem); }
static void signalled(void) { x = 1; raise(SIGUSR1); }
static void signal_post(void) { sem_init(&sem, 0, 0); signal(SIGUSR1, handler); both(signalled, take); }
// A handler and the thread that it interrupts, with the same variable; the other thread has its own.
static void count_signal(int number) { (void)number; x++; }
static void interrupted(void) { x = 1; for (int i = 0; i < 3; i++) { raise(SIGUSR1); x += 2; } }
static void elsewhere(void) { for (int i = 0; i < 3; i++) y++; }
static void handler_own(void) { signal(SIGUSR1, count_signal); both(interrupted, elsewhere); }

static const struct {
  const char* name;
  Part run;
  int racy;
} all[] = {
#define FREE(name) {#name, name, 0}
#define RACY(name) {#name, name, 1}
    RACY(plain_ww), RACY(plain_rw), FREE(plain_rr), FREE(halves), RACY(overlap), FREE(interleaved), RACY(strides),
    FREE(downwards), RACY(partial), FREE(neighbours), RACY(copy_fill), FREE(thread_local_), FREE(stacks),
    FREE(join_free), RACY(before_join), FREE(chain), FREE(grandchild), FREE(detached), RACY(detached_racy), FREE(c11_join),
    RACY(c11_racy), RACY(copy_copy),
    FREE(mutex_free), RACY(mutex_two), RACY(mutex_one_side), FREE(mutex_try), RACY(mutex_try_failed),
    FREE(mutex_timed), FREE(mutex_recursive), FREE(mutex_nested), FREE(mutex_nested_free), FREE(c11_mutex),
    RACY(c11_mutex_racy), RACY(mutex_refused),
    FREE(rwlock_free), FREE(rwlock_writers), RACY(rwlock_readers_write), FREE(rwlock_try), RACY(rwlock_one_side),
    FREE(spin_free), RACY(spin_racy),
    FREE(cond_free), FREE(cond_handover), RACY(cond_late), FREE(cond_timed), FREE(c11_cond),
    FREE(cond_cancelled), RACY(cond_cancelled_racy), FREE(mutex_robust), RACY(mutex_robust_racy),
    FREE(barrier_free), RACY(barrier_racy), FREE(barrier_rounds), RACY(barrier_rounds_racy), FREE(sem_free),
    RACY(sem_early), FREE(sem_mutex), RACY(sem_two), FREE(sem_ring), RACY(sem_ring_racy), FREE(sem_try), FREE(once_free),
    RACY(once_racy), FREE(c11_once),
    FREE(atomic_free), RACY(atomic_plain), FREE(rel_acq), RACY(rel_rlx), RACY(rlx_acq), FREE(seq_seq), FREE(fence_both),
    FREE(fence_store), FREE(fence_load), RACY(fence_missing), RACY(fence_wrong_kind), FREE(release_sequence),
    RACY(sequence_broken), FREE(cas_free), RACY(cas_racy), FREE(xchg_free), FREE(transitive), FREE(publish_free),
    RACY(publish_racy),
    FREE(heap_churn), FREE(main_arena), FREE(heap_realloc), RACY(heap_racy), FREE(stack_reuse), FREE(lent_stack),
    RACY(lent_stack_racy), FREE(signal_post), FREE(handler_own),
};

int main(int argc, char** argv) {
  (void)mutex_behind;
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
    if (argc < 2 || strcmp(argv[1], "list") == 0) printf("%s %s\n", all[i].racy ? "racy" : "free", all[i].name);
    else if (strcmp(argv[1], all[i].name) == 0) return all[i].run(), 0;
  }
  return argc < 2 || strcmp(argv[1], "list") == 0 ? 0 : 2;
}
