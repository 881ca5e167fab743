// Threads that help their owner with the parts of a job. The owner does parts itself and waits only
// for those that somebody is at: a helper that comes late finds nothing to do.
//
// Thread safety: share() is the owner's. Parts may wait for anything but another part.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vestige {

class Crew {
 public:
  explicit Crew(unsigned helpers);
  ~Crew();
  Crew(const Crew&) = delete;

  // Calls part(i) for each i below `count`, once, by whoever is free. When it comes back all are
  // done, and what they wrote is the owner's to read.
  void share(size_t count, const std::function<void(size_t)>& part);

 private:
  void help();
  void do_parts(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(size_t)>* part_ = nullptr;
  size_t next_ = 0, count_ = 0;
  unsigned at_it_ = 0;  // helpers
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace vestige
