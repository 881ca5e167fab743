// The same for C++ (scenarios.c): what its library makes of threads and synchronization.
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

int x, y;
std::mutex m, m2;
std::recursive_mutex recursive;
std::timed_mutex timed;
std::shared_mutex shared;
std::condition_variable cond;
std::condition_variable_any cond_any;
std::once_flag flag;

void inc() { for (int i = 0; i < 3; ++i) ++x; }
template <class A, class B>
void both(A a, B b) {
  std::thread s(a), t(b);
  s.join();
  t.join();
}

void thread_racy() { both(inc, inc); }
void thread_join() { x = 1; std::thread t(inc); t.join(); ++x; }
void jthread_free() { x = 1; { std::jthread t(inc); } ++x; }
void locked() { for (int i = 0; i < 4; ++i) { std::lock_guard lock(m); ++x; } }
void locked2() { for (int i = 0; i < 4; ++i) { std::lock_guard lock(m2); ++x; } }
void guard_free() { both(locked, locked); }
void guard_racy() { both(locked, locked2); }
void scoped() { for (int i = 0; i < 4; ++i) { std::scoped_lock lock(m, m2); ++x; } }
void scoped_free() { both(scoped, locked2); }
void recursive_free() { auto f = [] { std::lock_guard a(recursive); std::lock_guard b(recursive); ++x; }; both(f, f); }
void timed_free() { auto f = [] { std::unique_lock a(timed, std::chrono::seconds(10)); if (a) ++x; }; both(f, f); }
void shared_free() { both([] { std::unique_lock l(shared); ++x; }, [] { std::shared_lock l(shared); volatile int r = x; (void)r; }); }
void shared_racy() { auto f = [] { std::shared_lock l(shared); ++x; }; both(f, f); }
void cond_free() {
  both([] { { std::lock_guard l(m); x = 1; y = 1; } cond.notify_one(); },
       [] { std::unique_lock l(m); cond.wait(l, [] { return y != 0; }); ++x; });
}
void cond_any_free() {
  both([] { { std::lock_guard l(m); x = 1; y = 1; } cond_any.notify_all(); },
       [] { std::unique_lock l(m); cond_any.wait(l, [] { return y != 0; }); ++x; });
}
void cond_racy() {
  both([] { { std::lock_guard l(m); y = 1; } cond.notify_one(); x = 1; },
       [] { { std::unique_lock l(m); cond.wait(l, [] { return y != 0; }); } ++x; });
}
void once_free() { auto f = [] { std::call_once(flag, [] { x = 7; }); volatile int r = x; (void)r; }; both(f, f); }
// The first one who comes is thrown out in the middle of it; whoever is next knows what it did.
std::atomic<int> attempts;
void attempt_once() { ++x; if (attempts.fetch_add(1, std::memory_order_relaxed) == 0) throw 1; }
void use_attempted() { try { std::call_once(flag, attempt_once); volatile int r = x; (void)r; } catch (int) {} }
void once_thrown_free() { both(use_attempted, use_attempted); }
void once_thrown_racy() { auto f = [] { try { std::call_once(flag, attempt_once); } catch (int) { ++x; } }; both(f, f); }
void once_nested_free() {
  static std::once_flag outer;
  auto f = [] { try { std::call_once(outer, use_attempted); std::call_once(flag, attempt_once); volatile int r = x; (void)r; } catch (int) {} };
  both(f, f);
}
struct Thrown { int value; Thrown() { attempt_once(); value = x; } };
void use_thrown() { try { static Thrown thrown; volatile int r = thrown.value + x; (void)r; } catch (int) {} }
void static_thrown_free() { both(use_thrown, use_thrown); }
// Frames that follow each other, each with its own.
template <class Object, class Use>
[[gnu::noinline]] void one_frame(int round, Use use) {
  Object object;
  std::thread([&object, use, round] { use(object); attempts.store(round, std::memory_order_relaxed); }).detach();
  while (attempts.load(std::memory_order_relaxed) < round) std::this_thread::sleep_for(std::chrono::microseconds(50));
}
template <class Object, class Use>
void frames(Use use) { for (int round = 1; round <= 3; ++round) one_frame<Object>(round, use); attempts.load(std::memory_order_relaxed); }
void frame_mutex_racy() { frames<std::mutex>([](auto& object) { std::lock_guard lock(object); ++x; }); }
void frame_recursive_racy() { frames<std::recursive_mutex>([](auto& object) { std::lock_guard lock(object); ++x; }); }
void frame_shared_racy() { frames<std::shared_mutex>([](auto& object) { std::unique_lock lock(object); ++x; }); }
struct Counter { std::atomic<int> count = 0; };
void frame_atomic_racy() { frames<Counter>([](auto& object) { ++x; object.count++; ++x; }); }
struct Waiting { std::mutex m; std::condition_variable c; };
void frame_cond_racy() { frames<Waiting>([](auto& object) { std::unique_lock lock(object.m); object.c.wait_for(lock, std::chrono::milliseconds(1)); ++x; }); }
void frame_semaphore_racy() { struct One { std::binary_semaphore s{1}; }; frames<One>([](auto& object) { object.s.acquire(); ++x; object.s.release(); }); }
void frame_waited_free() { for (int i = 0; i < 3; ++i) { std::mutex own; auto f = [&own] { std::lock_guard lock(own); ++x; }; both(f, f); } }
struct Big { int values[4]; Big() { for (int& v : values) v = x + 1; } };
Big& the_big() { static Big big; return big; }
void static_free() { auto f = [] { for (int i = 0; i < 5; ++i) { volatile int r = the_big().values[2]; (void)r; } }; both(f, f); }
void static_racy() { auto f = [] { the_big().values[2]++; }; both(f, f); }
std::atomic<int> a;
void atomic_free() { both([] { x = 1; a = 1; }, [] { while (a.load() == 0) std::this_thread::sleep_for(std::chrono::microseconds(50)); ++x; }); }
void atomic_wait_free() { both([] { x = 1; a.store(1); a.notify_one(); }, [] { a.wait(0); ++x; }); }
void atomic_racy() { both([] { x = 1; a.store(1, std::memory_order_relaxed); }, [] { while (a.load(std::memory_order_relaxed) == 0) std::this_thread::sleep_for(std::chrono::microseconds(50)); ++x; }); }
void latch_free() { std::latch l(1); both([&] { x = 1; l.count_down(); }, [&] { l.wait(); ++x; }); }
void latch_racy() { std::latch l(1); both([&] { l.count_down(); x = 1; }, [&] { l.wait(); ++x; }); }
void barrier_free() { std::barrier b(2); both([&] { x = 1; b.arrive_and_wait(); b.arrive_and_wait(); ++x; }, [&] { b.arrive_and_wait(); ++x; b.arrive_and_wait(); }); }
void barrier_racy() { std::barrier b(2); both([&] { b.arrive_and_wait(); ++x; }, [&] { b.arrive_and_wait(); ++x; }); }
void semaphore_free() { std::counting_semaphore<4> s(0); both([&] { x = 1; s.release(); }, [&] { s.acquire(); ++x; }); }
void semaphore_racy() { std::counting_semaphore<4> s(0); both([&] { s.release(); x = 1; }, [&] { s.acquire(); ++x; }); }
void binary_free() { std::binary_semaphore s(1); auto f = [&] { for (int i = 0; i < 4; ++i) { s.acquire(); ++x; s.release(); } }; both(f, f); }
void future_free() { auto f = std::async(std::launch::async, [] { x = 5; return 1; }); x += f.get(); }
void promise_free() { std::promise<int> p; auto f = p.get_future(); both([&] { x = 1; p.set_value(2); }, [&] { x += f.get(); }); }
void future_racy() { auto f = std::async(std::launch::async, [] { ++x; return 1; }); ++x; f.get(); }
void shared_ptr_free() {
  auto p = std::make_shared<std::vector<int>>(100, 1);
  auto f = [p] { volatile long sum = 0; for (int v : *p) sum = sum + v; };
  std::thread s(f), t(f);
  p.reset();
  s.join();
  t.join();
}
void shared_ptr_racy() {
  auto p = std::make_shared<int>(1);
  int* inside = p.get();  // copies of p would order the two, now and then
  both([=] { ++*inside; }, [=] { ++*inside; });
}
void queue_free() {
  std::deque<std::string> queue;
  both([&] { for (int i = 0; i < 50; ++i) { std::lock_guard l(m); queue.push_back(std::string(40 + i, 'x')); cond.notify_one(); } },
       [&] { for (int i = 0; i < 50; ++i) { std::string s; { std::unique_lock l(m); cond.wait(l, [&] { return !queue.empty(); }); s = std::move(queue.front()); queue.pop_front(); } y += static_cast<int>(s.size()); } });
}
void churn() { for (int i = 0; i < 40; ++i) { std::vector<std::string> v; for (int k = 0; k < 10; ++k) v.push_back(std::string(static_cast<size_t>(20 + k * i), 'y')); std::this_thread::yield(); } }
void vector_churn() { both(churn, churn); }
thread_local std::vector<int> own;
void local_free() { auto f = [] { for (int i = 0; i < 20; ++i) own.push_back(i); }; both(f, f); }
void exception_free() { auto f = [] { try { std::lock_guard l(m); ++x; throw 1; } catch (int) {} }; both(f, f); }
void vptr_free() { struct B { virtual ~B() = default; virtual int f() { return 1; } }; struct D : B { int f() override { return 2; } }; std::unique_ptr<B> b = std::make_unique<D>(); auto f = [&] { volatile int r = b->f(); (void)r; }; both(f, f); }

struct Scenario { const char* name; void (*run)(); bool racy; };
const Scenario all[] = {
#define FREE(name) {#name, name, false}
#define RACY(name) {#name, name, true}
    RACY(thread_racy), FREE(thread_join), FREE(jthread_free), FREE(guard_free), RACY(guard_racy), FREE(scoped_free),
    FREE(recursive_free), FREE(timed_free), FREE(shared_free), RACY(shared_racy), FREE(cond_free), FREE(cond_any_free),
    RACY(cond_racy), FREE(once_free), FREE(static_free), RACY(static_racy), FREE(atomic_free), FREE(atomic_wait_free),
    RACY(atomic_racy), FREE(latch_free), RACY(latch_racy), FREE(barrier_free), RACY(barrier_racy), FREE(semaphore_free),
    RACY(semaphore_racy), FREE(binary_free), FREE(future_free), FREE(promise_free), RACY(future_racy), FREE(shared_ptr_free),
    RACY(shared_ptr_racy), FREE(queue_free), FREE(vector_churn), FREE(local_free), FREE(exception_free), FREE(vptr_free),
    FREE(once_thrown_free), RACY(once_thrown_racy), FREE(once_nested_free), FREE(static_thrown_free),
    RACY(frame_mutex_racy), RACY(frame_recursive_racy), RACY(frame_shared_racy), RACY(frame_atomic_racy),
    RACY(frame_cond_racy), RACY(frame_semaphore_racy), FREE(frame_waited_free),
};

}  // namespace

int main(int argc, char** argv) {
  const bool list = argc < 2 || std::strcmp(argv[1], "list") == 0;
  for (const Scenario& s : all) {
    if (list) std::printf("%s %s\n", s.racy ? "racy" : "free", s.name);
    else if (std::strcmp(argv[1], s.name) == 0) return s.run(), 0;
  }
  return list ? 0 : 2;
}
