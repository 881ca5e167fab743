#include "base/crew.h"

#include "base/quiet_thread.h"

namespace vestige {

Crew::Crew(unsigned helpers) {
  for (unsigned i = 0; i < helpers; ++i) threads_.push_back(quiet_thread([this] { help(); }));
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::share(size_t count, const std::function<void(size_t)>& part) {
  std::unique_lock lock(mutex_);
  part_ = &part;
  next_ = 0;
  count_ = count;
  if (count > 1) wake_.notify_all();
  do_parts(lock);
  done_.wait(lock, [this] { return at_it_ == 0; });
}

void Crew::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || next_ < count_; });
    if (stopping_) return;
    ++at_it_;
    do_parts(lock);
    if (--at_it_ == 0) done_.notify_one();
  }
}

void Crew::do_parts(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const size_t mine = next_++;
    lock.unlock();
    (*part_)(mine);
    lock.lock();
  }
}

}  // namespace vestige
