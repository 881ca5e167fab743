#include "query/dependences/dependence_file.h"

#include <algorithm>

#include "base/checksum.h"
#include "base/squeeze.h"
#include "query/dependences/block.h"
#include "trace/state.h"

namespace vestige {

Result<DependenceReader> DependenceReader::open(const std::string& file, const Trace& trace) {
  auto cache = CacheReader::open(file, kDependenceIndex, trace.state().store.identity());
  if (!cache) return std::unexpected(std::move(cache.error()));
  DependenceReader reader(std::move(*cache));
  if (auto read = reader.read_table(trace); !read) return std::unexpected(std::move(read.error()));
  return reader;
}

Result<void> DependenceReader::read_table(const Trace& trace) {
  const auto bad = [&] {
    return fail(ErrorKind::corrupt, cache_->file() + ": its table makes no sense");
  };
  auto raw = unsqueeze(cache_->table(), "table of an index of dependences");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  auto order = take_runs(in, trace.threads().size());
  if (!order) return bad();
  order_ = std::move(*order);
  if (in.count(1) != trace.threads().size()) return bad();
  threads_.resize(trace.threads().size());
  uint64_t offset = 0;
  for (size_t thread = 0; thread < threads_.size(); ++thread) {
    BlockPlaces& blocks = threads_[thread];
    blocks.resize(in.count(14));
    uint64_t time = 1;
    for (BlockPlace& block : blocks) {
      block.first_time = time += in.varint();
      block.paths = in.varint();
      const uint64_t level = in.varint();
      const int64_t lowest = static_cast<int64_t>(level) + in.svarint();
      offset += in.varint();
      block.offset = offset;
      block.size = in.varint();
      block.checksum = in.u64();
      if (in.failed() || block.paths == 0 || block.paths > kBlockPaths || level > UINT32_MAX ||
          lowest < 0 || lowest > static_cast<int64_t>(level) || time == 0 ||
          time > Label::kEndOfTime || block.size > cache_->bytes().size())
        return bad();
      block.level = static_cast<uint32_t>(level);
      block.lowest = static_cast<uint32_t>(lowest);
      time += block.paths;
      offset += block.size;
    }
    if (blocks.empty()) continue;
    const auto& chunks = trace.state().chunks[thread];
    if (blocks.front().first_time != trace.threads()[thread].first_time || chunks.empty() ||
        blocks.back().end_time() > chunks.back().end_time())
      return bad();
    for (const BlockPlace& block : blocks)
      if (order_.order(static_cast<uint32_t>(thread), block.first_time) == 0 ||
          order_.order(static_cast<uint32_t>(thread), block.end_time() - 1) == 0)
        return bad();
  }
  if (in.failed()) return bad();
  return {};
}

size_t DependenceReader::block_at(uint32_t thread, uint64_t time) const {
  const BlockPlaces& blocks = threads_[thread];
  const auto behind = std::ranges::upper_bound(blocks, time, {}, &BlockPlace::first_time);
  return behind == blocks.begin() ? 0 : static_cast<size_t>(behind - blocks.begin()) - 1;
}

Result<ByteView> DependenceReader::piece(const BlockPlace& block) const {
  if (cache_) return cache_->piece(block.offset, block.size, block.checksum);
  return ByteView(memory_).subspan(block.offset, block.size);
}

Result<ByteView> DependenceReader::columns(const BlockPlace& block) const {
  const auto whole = piece(block);
  if (!whole) return whole;
  ByteReader in(*whole);
  const size_t pages = in.count();
  for (size_t i = 0; i < pages; ++i) in.varint();
  if (in.failed()) return fail(ErrorKind::corrupt, file() + ": a block makes no sense");
  return whole->subspan(in.at());
}

Result<std::vector<uint64_t>> DependenceReader::pages(uint32_t thread,
                                                      const BlockPlace& block) const {
  if (stored_) return stored_->pages(thread, block);
  const auto whole = piece(block);
  if (!whole) return std::unexpected(whole.error());
  ByteReader in(*whole);
  std::vector<uint64_t> pages(in.count());
  uint64_t page = Label::kEndOfTime >> kTimePageBits;
  for (uint64_t& p : pages) {
    const uint64_t back = in.varint();
    if (back > page) in.fail();
    p = page -= back;
  }
  if (in.failed()) return fail(ErrorKind::corrupt, file() + ": a block makes no sense");
  return pages;
}

Result<void> DependenceWriter::append(size_t thread, BlockPlace block, ByteView piece) {
  block.size = piece.size();
  block.checksum = checksum(piece);
  if (cache_) {
    const auto offset = cache_->append(piece);
    if (!offset) return std::unexpected(offset.error());
    block.offset = *offset;
  } else {
    const std::lock_guard lock(mutex_);
    block.offset = memory_.size();
    memory_.insert(memory_.end(), piece.begin(), piece.end());
  }
  threads_[thread].push_back(block);
  return {};
}

Result<uint64_t> DependenceWriter::finish(uint64_t identity) {
  ByteWriter table;
  put_runs(order_, threads_.size(), table);
  table.varint(threads_.size());
  uint64_t offset = 0;
  for (const BlockPlaces& blocks : threads_) {
    table.varint(blocks.size());
    uint64_t time = 1;
    for (const BlockPlace& block : blocks) {
      table.varint(block.first_time - time);
      table.varint(block.paths);
      table.varint(block.level);
      table.svarint(int64_t{block.lowest} - int64_t{block.level});
      table.varint(block.offset - offset);
      table.varint(block.size);
      table.u64(block.checksum);
      time = block.end_time();
      offset = block.offset + block.size;
    }
  }
  return cache_->finish(kDependenceIndex, identity, squeeze(table.take()));
}

}  // namespace vestige
