// Folds a sequence of addresses into nests of runs, greedily and in one pass.
//
// Level 0 grows a run while the distance between addresses stays the same. A run that ends goes to
// level 1, which grows a run of runs while they have the same shape (all levels below alike) and
// the same distance between their starts, and so on up to kMostLevels. Nothing is kept but one open
// nest per level.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/values.h"

namespace vestige {

class RunFolder {
 public:
  static constexpr size_t kMostLevels = 4;

  // Finished nests are appended to `done`.
  void add(uint64_t address, uint64_t instance, std::vector<AddressRun>& done) {
    if (Open& run = levels_[0]; run.count > 0) {
      if (run.count == 1) run.stride = address - run.first.start;
      if (address - run.last == static_cast<uint64_t>(run.stride)) {
        ++run.count;
        run.last = address;
        return;
      }
    }
    close(0, done);
    levels_[0].count = 1;
    levels_[0].first.start = levels_[0].last = address;
    levels_[0].first.first_instance = instance;
  }
  void finish(std::vector<AddressRun>& done);
  // Whether the address goes on with the open run at its stride; then stride() is the distance.
  bool inside() const { return levels_[0].count > 1; }
  int64_t stride() const { return levels_[0].stride; }

 private:
  struct Open {
    AddressRun first;   // its levels: those below this one
    uint64_t last = 0;  // start of the last one
    int64_t stride = 0;
    uint64_t count = 0;  // 0: nothing is open
  };
  // Ends the run of this level: it becomes one of the next.
  void close(size_t level, std::vector<AddressRun>& done);
  Open levels_[kMostLevels];
};

}  // namespace vestige
