// The same (pools.c) with what C++ has: threads, functions, futures.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> arrived;
void sleep_ms(int time) { std::this_thread::sleep_for(std::chrono::milliseconds(time)); }

// Two workers, of which the second is late.
class Pool {
 public:
  explicit Pool(int workers = 2) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard held(lock_);
      over_ = true;
    }
    there_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  void submit(std::function<void()> job) {
    {
      std::lock_guard held(lock_);
      jobs_.push_back(std::move(job));
    }
    there_.notify_one();
  }
  template <class Job>
  auto ask(Job job) {
    auto task = std::make_shared<std::packaged_task<decltype(job())()>>(std::move(job));
    auto result = task->get_future();
    submit([task] { (*task)(); });
    return result;
  }

 private:
  void work() {
    sleep_ms(120 * arrived++);
    while (true) {
      std::function<void()> job;
      {
        std::unique_lock held(lock_);
        there_.wait(held, [this] { return over_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  std::mutex lock_;
  std::condition_variable there_;
  std::deque<std::function<void()>> jobs_;
  bool over_ = false;
  std::vector<std::thread> workers_;
};

constexpr int N = 6;
int x, y, a[2 * N];
std::mutex one;
std::atomic<int> sum;
thread_local std::vector<int> scratch;

void functions_racy() {
  Pool pool;
  for (int i = 0; i < N; ++i) pool.submit([i] { x += i; });
}
void functions_locked_free() {
  Pool pool;
  for (int i = 0; i < N; ++i)
    pool.submit([i] {
      std::lock_guard held(one);
      x += i;
    });
}
void functions_atomic_free() {
  Pool pool;
  for (int i = 0; i < N; ++i) pool.submit([i] { sum += i; });
}
void vector_racy() {
  std::vector<int> all;
  all.reserve(N);
  Pool pool;
  for (int i = 0; i < N; ++i) pool.submit([i, &all] { all.push_back(i); });
}
void places_free() {
  std::vector<int> all(N);
  Pool pool;
  for (int i = 0; i < N; ++i) pool.submit([i, &all] { all[i] = i; });
}
void string_racy() {
  std::string text(64, ' ');
  Pool pool;
  for (int i = 0; i < N; ++i) pool.submit([i, &text] { text[i / 2] = static_cast<char>('a' + i); });
}
void future_free() {
  Pool pool;
  auto first = pool.ask([] { return x = 5; });
  first.wait();
  pool.ask([] { return y = x; }).wait();
}
void future_racy() {
  Pool pool;
  auto first = pool.ask([] { return x = 5; });
  auto second = pool.ask([] { return y = x; });
  first.wait();
  second.wait();
}
void future_value_free() {
  Pool pool;
  auto first = pool.ask([] { return std::vector<int>{1, 2, 3}; });
  auto all = std::make_shared<std::vector<int>>(first.get());
  pool.ask([all] { return y = std::accumulate(all->begin(), all->end(), 0); }).wait();
}
void shared_counter_racy() {
  Pool pool;
  auto counter = std::make_shared<int>(0);
  std::vector<std::future<int>> all;
  for (int i = 0; i < N; ++i) all.push_back(pool.ask([counter] { return ++*counter; }));
  for (auto& one : all) one.get();
}
void moved_free() {
  Pool pool;
  for (int i = 0; i < N; ++i) {
    auto mine = std::make_shared<std::vector<int>>(4, i);
    pool.submit([mine] { (*mine)[1]++; });
  }
}
void scratch_free() {
  Pool pool;
  for (int i = 0; i < N; ++i)
    pool.submit([i] {
      scratch.clear();
      scratch.push_back(i);
      a[i] = scratch[0];
    });
}
void chain_free() {
  Pool pool;
  std::function<void(int)> next = [&](int i) {
    x += i;
    if (i < N) pool.submit([&next, i] { next(i + 1); });
  };
  pool.submit([&next] { next(0); });
  sleep_ms(200);
}
void children_racy() {
  Pool pool;
  for (int i = 0; i < 2; ++i)
    pool.submit([&pool, i] {
      pool.submit([] { y += x; });
      x = i;
    });
  sleep_ms(60);
}
void local_free() {
  Pool pool;
  for (int i = 0; i < N; ++i)
    pool.submit([i] {
      std::vector<int> mine(8, i);
      a[i] = std::accumulate(mine.begin(), mine.end(), 0);
    });
}
void one_worker_free() {
  Pool pool(1);
  for (int i = 0; i < N; ++i) pool.submit([i] { x += i; });
}
void by_id_free() {
  static std::thread::id first;
  static int mine[2];
  Pool pool;
  pool.submit([] { first = std::this_thread::get_id(); });
  sleep_ms(20);
  for (int i = 0; i < N; ++i) pool.submit([] { mine[std::this_thread::get_id() == first]++; });
}

struct Program {
  const char* name;
  void (*run)();
};
const Program all[] = {
#define PROGRAM(name) {#name, name}
    PROGRAM(functions_racy),
    PROGRAM(functions_locked_free),
    PROGRAM(functions_atomic_free),
    PROGRAM(vector_racy),
    PROGRAM(places_free),
    PROGRAM(string_racy),
    PROGRAM(future_free),
    PROGRAM(future_racy),
    PROGRAM(future_value_free),
    PROGRAM(shared_counter_racy),
    PROGRAM(moved_free),
    PROGRAM(scratch_free),
    PROGRAM(chain_free),
    PROGRAM(children_racy),
    PROGRAM(local_free),
    PROGRAM(one_worker_free),
    PROGRAM(by_id_free),
};

}  // namespace

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "list";
  for (const Program& program : all) {
    const bool racy = std::strstr(program.name, "_racy") != nullptr;
    if (std::strcmp(wanted, "list") == 0)
      std::printf("%s %s\n", racy ? "racy" : "free", program.name);
    if (std::strcmp(wanted, program.name) == 0) program.run();
  }
}
