// Scheme 1 (section 4.1 of the path-matching paper): unpack the trace, then match.
#include "query/paths/scanner.h"
#include "query/paths/unpacker.h"

namespace vestige {

namespace {

class UnpackingSearch final : public Scheme {
 public:
  explicit UnpackingSearch(const SearchSpace& space)
      : space_(space), scanner_(space.trace, space.pattern), time_(space.whole.first_time) {}

  Result<uint64_t> count() override {
    uint64_t found = 0;
    while (refill()) found += scanner_.count(block_);
    return found;
  }
  Result<bool> next(Hit& hit) override {
    while (next_hit_ == hits_.size()) {
      hits_.clear();
      next_hit_ = 0;
      if (at_ == block_.size() && !refill()) return false;
      for (; at_ < block_.size() && hits_.empty(); ++at_) {
        scanner_.step(block_[at_], time_, hits_);
        time_ += space_.whole.parts[part_ - 1].terminals[block_[at_]].times;
      }
    }
    hit = hits_[next_hit_++];
    return true;
  }

 private:
  bool refill() {
    at_ = 0;
    while (true) {
      if (unpacker_) unpacker_->read(block_);
      if (unpacker_ && !block_.empty()) return true;
      if (part_ == space_.whole.parts.size()) return false;
      const PathGrammar& part = space_.whole.parts[part_++];
      unpacker_.emplace(part);
      scanner_.use(part.terminals, true);
    }
  }

  const SearchSpace space_;
  Scanner scanner_;
  std::optional<Unpacker> unpacker_;
  size_t part_ = 0;  // the next one
  std::vector<uint32_t> block_;
  size_t at_ = 0;
  uint64_t time_;
  std::vector<Hit> hits_;
  size_t next_hit_ = 0;
};

}  // namespace

std::unique_ptr<Scheme> make_unpacking_scheme(const SearchSpace& space) {
  return std::make_unique<UnpackingSearch>(space);
}

}  // namespace vestige
