#include "query/paths/scan_search.h"

namespace vestige {

Result<uint64_t> ScanSearch::count() {
  uint64_t found = 0;
  while (true) {
    const auto more = refill();
    if (!more) return std::unexpected(more.error());
    if (!*more) return found;
    found += scanner_.count(block_);
  }
}

Result<bool> ScanSearch::next(Hit& hit) {
  while (next_hit_ == hits_.size()) {
    hits_.clear();
    next_hit_ = 0;
    if (at_ == block_.size()) {
      at_ = 0;
      block_.clear();
      const auto more = refill();
      if (!more || !*more) return more;
    }
    for (; at_ < block_.size() && hits_.empty(); ++at_) {
      scanner_.step(block_[at_], time_, hits_);
      time_ += scanner_.terminal(block_[at_]).times;
    }
  }
  hit = hits_[next_hit_++];
  return true;
}

}  // namespace vestige
