#include "query/rows/run_folder.h"

#include <utility>

namespace vestige {

namespace {

void give(AddressRun run, std::vector<AddressRun>& done) {
  if (run.levels.empty()) run.levels.push_back({0, 1});
  done.push_back(std::move(run));
}

}  // namespace

uint64_t AddressRun::accesses() const {
  uint64_t product = 1;
  for (const Level& level : levels) product *= level.count;
  return product;
}

void RunFolder::close(size_t level, std::vector<AddressRun>& done) {
  Open& open = levels_[level];
  if (open.count == 0) return;
  AddressRun whole = std::move(open.first);
  if (open.count > 1) whole.levels.push_back({open.stride, open.count});
  open = {};
  if (level + 1 == kMostLevels) return give(std::move(whole), done);

  Open& above = levels_[level + 1];
  if (above.count > 0 && above.first.levels == whole.levels) {
    if (above.count == 1) above.stride = static_cast<int64_t>(whole.start - above.first.start);
    if (whole.start - above.last == static_cast<uint64_t>(above.stride)) {
      ++above.count;
      above.last = whole.start;
      return;
    }
  }
  close(level + 1, done);
  above.count = 1;
  above.last = whole.start;
  above.first = std::move(whole);
}

void RunFolder::finish(std::vector<AddressRun>& done) {
  for (size_t level = 0; level < kMostLevels; ++level) close(level, done);
}

}  // namespace vestige
