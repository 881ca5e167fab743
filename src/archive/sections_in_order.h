// The sections of a .vcz file decoded side by side, a thread each, their rows handed over in order.
//
// What is decoded ahead waits in memory: at most kAhead bytes for each thread, and then the threads
// that are ahead wait, too; the one whose section is being handed over never does. A section's rows
// appear as they are decoded, so a file of one section is as good as any.
//
// Thread safety: one thread; `rows` is called from it.
#pragma once

#include <functional>

#include "archive/block_reader.h"

namespace vestige {

class SectionsInOrder {
 public:
  static constexpr size_t kAhead = size_t{64} << 20;

  // All must outlive it, and `opened` must not be used meanwhile.
  SectionsInOrder(const ByteSource& source, const BlockReader& opened,
                  const ArchiveDirectory& directory, unsigned threads)
      : source_(source), opened_(opened), directory_(directory), threads_(threads) {}

  // Gives each block's rows and the place in the file behind it to `rows`, whose failure ends it.
  // A failure of a section ends it, too, when all rows before were handed over. Gives the chain
  // (archive_header.h) behind the last section.
  using Rows = std::function<Result<void>(uint32_t rows, ByteView raw, uint64_t at)>;
  Result<uint64_t> run(const Rows& rows);

 private:
  const ByteSource& source_;
  const BlockReader& opened_;
  const ArchiveDirectory& directory_;
  const unsigned threads_;
};

}  // namespace vestige
