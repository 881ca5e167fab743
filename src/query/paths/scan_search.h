// What schemes 1 and 3 share: terminals come in blocks, and a Scanner goes over them.
#pragma once

#include <vector>

#include "query/paths/scanner.h"
#include "query/paths/scheme.h"

namespace vestige {

class ScanSearch : public Scheme {
 public:
  Result<uint64_t> count() override;
  Result<bool> next(Hit& hit) override;

 protected:
  ScanSearch(const SearchSpace& space, uint64_t first_time)
      : space_(space), scanner_(space.trace, space.pattern), time_(first_time) {}
  // Makes block_ the next terminals, at least one, and shows the scanner the table they are numbers
  // of. False at the end.
  virtual Result<bool> refill() = 0;

  const SearchSpace space_;
  Scanner scanner_;
  std::vector<uint32_t> block_;
  uint64_t time_;  // of the next path, where hits are wanted

 private:
  size_t at_ = 0;  // in block_
  std::vector<Hit> hits_;
  size_t next_hit_ = 0;
};

}  // namespace vestige
