// The blocks of a trace's threads in the file T.vst.dep (trace/index/cache_file.h), or in memory.
// docs/index-format.md describes it.
//
//   table := squeezed( list( run ), list of threads( list of blocks ) )
//   run   := thread, first - end of the one before of the thread, paths
//   block := first - end of the one before, paths, level:varint, lowest - level:svarint, offset -
//            end of the piece before, size, checksum:u64
//   piece := list( page ), columns (block_columns.h)
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "query/dependences/interleaving.h"
#include "query/dependences/stored_blocks.h"
#include "trace/index/cache_file.h"
#include "vestige/trace.h"

namespace vestige {

inline constexpr CacheKind kDependenceIndex = {
    {'\x89', 'V', 'S', 'D', '\r', '\n', '\x1a', '\n'}, 2, ".dep"};

// Orders (Interleaving) in pages of this many: which of them a block reads from.
inline constexpr unsigned kTimePageBits = 12;

// Of blocks that the trace keeps, `offset` and `size` mean what StoredBlocks likes.
struct BlockPlace {
  uint64_t first_time = 1;
  uint64_t paths = 0;
  uint32_t level = 0;   // of its first path
  uint32_t lowest = 0;  // of all of them
  uint64_t offset = 0, size = 0, checksum = 0;
  uint64_t end_time() const { return first_time + paths; }
};
// Of one thread, by rising time.
using BlockPlaces = std::vector<BlockPlace>;

// Immutable.
class DependenceReader {
 public:
  static Result<DependenceReader> open(const std::string& file, const Trace& trace);
  DependenceReader(Interleaving order, std::vector<BlockPlaces> threads, Bytes pieces)
      : order_(std::move(order)), threads_(std::move(threads)), memory_(std::move(pieces)) {}
  DependenceReader(Interleaving order, std::vector<BlockPlaces> threads,
                   std::shared_ptr<const StoredBlocks> stored)
      : order_(std::move(order)), threads_(std::move(threads)), stored_(std::move(stored)) {}

  // Empty: it is in memory.
  std::string file() const { return cache_ ? cache_->file() : std::string(); }
  const Interleaving& order() const { return order_; }
  const BlockPlaces& of(uint32_t thread) const { return threads_[thread]; }
  // The block that the path of this time is in; its first or last when there is none.
  size_t block_at(uint32_t thread, uint64_t time) const;
  // Null: the blocks are columns.
  const StoredBlocks* stored() const { return stored_.get(); }
  // The block's columns. Their checksum is right.
  Result<ByteView> columns(const BlockPlace& block) const;
  // Pages of orders (kTimePageBits) that it reads from, but for what is in the block; in falling
  // order.
  Result<std::vector<uint64_t>> pages(uint32_t thread, const BlockPlace& block) const;

 private:
  explicit DependenceReader(CacheReader cache) : cache_(std::move(cache)) {}
  Result<void> read_table(const Trace& trace);
  Result<ByteView> piece(const BlockPlace& block) const;

  std::optional<CacheReader> cache_;
  Interleaving order_;
  std::vector<BlockPlaces> threads_;
  Bytes memory_;
  std::shared_ptr<const StoredBlocks> stored_;
};

// append may be called from several threads, each for threads of its own.
class DependenceWriter {
 public:
  // Without a cache the pieces stay in memory.
  DependenceWriter(std::unique_ptr<CacheWriter> cache, size_t threads)
      : cache_(std::move(cache)), threads_(threads) {}
  void set_order(Interleaving order) { order_ = std::move(order); }
  const Interleaving& order() const { return order_; }

  std::string file() const { return cache_ ? cache_->file() : std::string(); }
  Result<void> append(size_t thread, BlockPlace block, ByteView piece);
  // How big the file is. There must be a cache.
  Result<uint64_t> finish(uint64_t identity);
  // What was written, when there is none.
  DependenceReader take() { return {std::move(order_), std::move(threads_), std::move(memory_)}; }

 private:
  std::unique_ptr<CacheWriter> cache_;
  Interleaving order_;
  std::mutex mutex_;  // guards memory_
  Bytes memory_;
  std::vector<BlockPlaces> threads_;
};

}  // namespace vestige
