// Things dear to make, between two uses: at most so many are kept for whoever needs the next.
//
// Thread safety: take and give may be called from several threads.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace vestige {

template <class Thing>
class Spares {
 public:
  explicit Spares(size_t most) : most_(most) {}

  // Null when there is none.
  std::unique_ptr<Thing> take() {
    const std::lock_guard lock(mutex_);
    if (things_.empty()) return nullptr;
    auto thing = std::move(things_.back());
    things_.pop_back();
    return thing;
  }
  void give(std::unique_ptr<Thing> thing) {
    const std::lock_guard lock(mutex_);
    if (things_.size() < most_) things_.push_back(std::move(thing));
  }

 private:
  const size_t most_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Thing>> things_;
};

}  // namespace vestige
