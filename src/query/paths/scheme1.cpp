// Scheme 1 (section 4.1 of the path-matching paper): unpack the trace, then match.
#include <optional>

#include "query/paths/scan_search.h"
#include "query/paths/unpacker.h"

namespace vestige {

namespace {

class UnpackingSearch final : public ScanSearch {
 public:
  explicit UnpackingSearch(const SearchSpace& space) : ScanSearch(space, space.whole.first_time) {}

 private:
  Result<bool> refill() override {
    while (true) {
      if (unpacker_) unpacker_->read(block_);
      if (unpacker_ && !block_.empty()) return true;
      if (next_part_ == space_.whole.parts.size()) return false;
      const PathGrammar& part = space_.whole.parts[next_part_++];
      unpacker_.emplace(part);
      scanner_.use(part.terminals, true);
    }
  }

  std::optional<Unpacker> unpacker_;
  size_t next_part_ = 0;
};

}  // namespace

std::unique_ptr<Scheme> make_unpacking_scheme(const SearchSpace& space) {
  return std::make_unique<UnpackingSearch>(space);
}

}  // namespace vestige
