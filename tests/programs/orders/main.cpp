// orders COUNT THREADS: makes COUNT requests from a fixed seed and runs them on an exchange of
// THREADS workers. What it prints depends on the requests only, not on the threads' timing. Exit
// status 3: something was rejected.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "orders.h"

namespace {

using namespace orders;

class Queue {
 public:
  void push(std::unique_ptr<Request> request) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(request));
    ready_.notify_one();
  }
  std::unique_ptr<Request> pop() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return !items_.empty(); });
    auto request = std::move(items_.front());
    items_.pop_front();
    return request;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::unique_ptr<Request>> items_;
};

// Counts the scopes that an exception leaves.
struct Scope {
  explicit Scope(long& unwound) : unwound(unwound), before(std::uncaught_exceptions()) {}
  ~Scope() { unwound += std::uncaught_exceptions() > before; }
  long& unwound;
  int before;
};

struct Worker {
  Queue queue;
  std::map<std::string, Book> books;
  std::map<int, long> rejected;
  std::map<std::string, long> kinds;
  long unwound = 0;
  std::exception_ptr failure;
  std::thread thread;

  void apply(const Request& request) {
    const Scope scope(unwound);
    ++kinds[request.kind()];
    request.apply(books[request.symbol()]);
  }
  void run() try {
    while (auto request = queue.pop()) {
      try {
        apply(*request);
      } catch (const Rejected& rejection) {
        ++rejected[rejection.code];
      }
    }
    throw std::logic_error("stopped after " + std::to_string(books.size()) + " books");
  } catch (...) {
    failure = std::current_exception();
  }
};

uint32_t next(uint32_t& seed) {
  seed = seed * 1664525 + 1013904223;
  return seed >> 8;
}

std::string make_line(uint32_t& seed, uint64_t id) {
  static const char* const symbols[] = {"ASH", "BIRCH", "CEDAR", "ELM", "FIR", "OAK"};
  std::string line = symbols[next(seed) % 6];
  const uint32_t what = next(seed) % 20;
  if (what < 14) {
    line += what % 2 ? " buy " : " sell ";
    line += std::to_string(next(seed) % 40 == 0 ? id / 2 : id) + " " +
            std::to_string(95 + next(seed) % 11) + " ";
    line += std::to_string(int(next(seed) % 50) - 1);
  } else if (what < 18) {
    line += " cancel " + std::to_string(id > 6 ? id - next(seed) % 6 - 1 : id);
  } else if (what == 18) {
    line += " sweep " + std::to_string(id > 20 ? id - 20 : 0) + " " + std::to_string(id);
  } else {
    line += next(seed) % 2 ? " amend" : " buy 7";
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1000;
  const size_t threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 3;
  std::vector<Worker> workers(threads);
  for (Worker& worker : workers) worker.thread = std::thread(&Worker::run, &worker);
  uint32_t seed = 42;
  long malformed = 0;
  for (long i = 1; i <= count; ++i) {
    try {
      auto request = parse(make_line(seed, static_cast<uint64_t>(i)));
      // One worker per symbol, so that each book sees its requests in order.
      const size_t at = static_cast<unsigned char>(request->symbol()[0]) % threads;
      workers[at].queue.push(std::move(request));
    } catch (const SyntaxError& error) {
      if (malformed++ == 0) std::printf("first malformed line: %s\n", error.what());
    }
  }
  for (Worker& worker : workers) worker.queue.push(nullptr);
  std::map<std::string, const Book*> books;
  std::map<int, long> rejected;
  std::map<std::string, long> kinds;
  long unwound = 0;
  for (Worker& worker : workers) {
    worker.thread.join();
    try {
      std::rethrow_exception(worker.failure);
    } catch (const std::logic_error& error) {
      std::printf("worker: %s\n", error.what());
    }
    for (const auto& [symbol, book] : worker.books) books[symbol] = &book;
    for (const auto& [code, times] : worker.rejected) rejected[code] += times;
    for (const auto& [kind, times] : worker.kinds) kinds[kind] += times;
    unwound += worker.unwound;
  }
  for (const auto& [symbol, book] : books)
    std::printf("%-6s traded %lld, open %zu, digest %016llx\n", symbol.c_str(),
                (long long)book->traded(), book->open(), (unsigned long long)book->digest());
  for (const auto& [kind, times] : kinds) std::printf("%s: %ld\n", kind.c_str(), times);
  for (const auto& [code, times] : rejected)
    std::printf("rejected with code %d: %ld\n", code, times);
  std::printf("malformed: %ld, scopes unwound: %ld\n", malformed, unwound);
  return rejected.empty() ? 0 : 3;
}
