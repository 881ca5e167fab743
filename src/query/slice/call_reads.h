// What library calls among the members of a slice read. Calls that come back much later are left
// out.
#pragma once

#include <map>

#include "query/dependences/block_cursor.h"
#include "query/rows/transfer_source.h"

namespace vestige {

// Of the calls of one thread.
class CallReads {
 public:
  // All must outlive it.
  CallReads(const SliceGround& ground, const Windows& windows, uint32_t thread)
      : ground_(ground), windows_(windows), thread_(thread), source_(ground.trace, windows) {}

  // All that are wanted, by rising time.
  Result<void> read(const std::vector<uint64_t>& call_times);
  // The address of a byte of all that a call read, one range behind the other. Nothing: it is not
  // known.
  std::optional<uint64_t> place(uint64_t call_time, uint64_t offset) const;

 private:
  static constexpr uint64_t kSoon = 1 << 12;  // paths

  void add(const Transfer& transfer);
  Result<void> read_stored(const std::vector<uint64_t>& call_times);

  const SliceGround& ground_;
  const Windows& windows_;
  const uint32_t thread_;
  TransferSource source_;
  std::map<uint64_t, std::vector<std::pair<uint64_t, uint64_t>>> ranges_;
};

}  // namespace vestige
