#include "store/sync_rows.h"

#include <algorithm>

#include "base/squeeze.h"

namespace vestige {

namespace {

constexpr size_t kMostWaiting = 8;  // blocks
// A program may do millions of operations a second: less time than our usual level takes, for a
// tenth more bytes.
constexpr int kLevel = 1;

uint64_t zigzag(uint64_t difference) {
  return difference << 1 ^ static_cast<uint64_t>(static_cast<int64_t>(difference) >> 63);
}

}  // namespace

bool has_other(SyncKind kind, uint32_t result) {
  if (is_message(kind)) return (result & kMessageDetails) != 0;
  return kind == SyncKind::cond_wait || kind == SyncKind::cond_wake ||
         kind == SyncKind::barrier_init || kind == SyncKind::sem_init ||
         kind == SyncKind::allocated;
}

void SyncRowsEncoder::append(const SyncRow& row) {
  whats_.append(static_cast<uint64_t>(row.kind) | uint64_t{row.result} << 8);
  gaps_.append(row.time - std::exchange(time_, row.time));
  stamps_.append(row.stamp - std::exchange(stamp_, row.stamp));
  places_.append(place_of(row.object));
  if (has_other(row.kind, row.result))
    others_.append(zigzag(row.other - (is_message(row.kind) ? 0 : row.object)));
  ++count_;
  atomics_ += is_atomic(row.kind);
  if (++rows_ == kSyncBlockRows) write_block();
}

SyncRowsEncoder::Slot& SyncRowsEncoder::slot_of(uint64_t object) {
  const size_t mask = slots_.size() - 1;
  size_t at = object * 0x9e3779b97f4a7c15 >> 40 & mask;
  while (slots_[at].block == block_ && slots_[at].object != object) at = (at + 1) & mask;
  return slots_[at];
}

void SyncRowsEncoder::grow() {
  slots_.assign(std::max<size_t>(64, 2 * slots_.size()), {});
  for (uint32_t place = 0; place < entries_.size(); ++place)
    slot_of(entries_[place]) = {entries_[place], place, block_};
}

uint32_t SyncRowsEncoder::place_of(uint64_t object) {
  if (object == last_object_ && last_block_ == block_) return last_place_;
  if (2 * entries_.size() >= slots_.size()) grow();
  Slot& slot = slot_of(object);
  if (slot.block != block_) {
    slot = {object, static_cast<uint32_t>(entries_.size()), block_};
    entries_.push_back(object);
  }
  last_object_ = object;
  last_block_ = block_;
  return last_place_ = slot.place;
}

void SyncRowsEncoder::write_block() {
  if (rows_ == 0) return;
  ByteWriter columns;
  columns.bytes(whats_.bytes());
  columns.bytes(gaps_.bytes());
  columns.bytes(stamps_.bytes());
  columns.varint(entries_.size());
  uint64_t before = 0;
  for (const uint64_t entry : entries_)
    columns.varint(zigzag(entry - std::exchange(before, entry)));
  columns.bytes(places_.bytes());
  columns.bytes(others_.bytes());
  for (Column* column : {&whats_, &gaps_, &stamps_, &places_, &others_}) column->clear();
  entries_.clear();
  ++block_;

  Block& block = blocks_.emplace_back(Block{std::exchange(rows_, 0), {}});
  tasks_.run([this, &block, raw = columns.take()]() mutable {
    block.squeezed = squeeze(std::move(raw), kLevel);
    const std::lock_guard lock(mutex_);
    squeezed_bytes_ += block.squeezed.size();
  });
  tasks_.wait(kMostWaiting);
}

Bytes SyncRowsEncoder::finish() {
  write_block();
  tasks_.wait();
  ByteWriter out;
  for (const Block& block : blocks_) {
    out.varint(block.rows);
    out.varint(block.squeezed.size());
    out.bytes(block.squeezed);
  }
  blocks_.clear();
  count_ = atomics_ = time_ = stamp_ = squeezed_bytes_ = 0;
  return out.take();
}

Result<std::span<const SyncRow>> SyncRowsDecoder::next() {
  rows_.clear();
  if (left_ == 0) return std::span<const SyncRow>();
  const uint64_t count = in_.varint();
  const ByteView squeezed = in_.bytes(in_.varint());
  if (in_.failed() || count == 0 || count > std::min<uint64_t>(left_, kSyncBlockRows))
    return fail(ErrorKind::corrupt, "sync chunk: its rows end early");
  if (auto ok = decode(squeezed, count); !ok) return std::unexpected(std::move(ok.error()));
  left_ -= count;
  return std::span<const SyncRow>(rows_);
}

Result<void> SyncRowsDecoder::decode(ByteView squeezed, size_t count) {
  auto raw = unsqueeze(squeezed, "sync chunk");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  rows_.resize(count);
  for (SyncRow& row : rows_) {
    const uint64_t what = in.varint();
    if (what >> 40 != 0) in.fail();
    row.kind = static_cast<SyncKind>(what & 0xff);
    row.result = static_cast<uint32_t>(what >> 8);
  }
  for (SyncRow& row : rows_) row.time = time_ += in.varint();
  for (SyncRow& row : rows_) row.stamp = stamp_ += in.varint();
  std::vector<uint64_t> entries(in.count(1));
  uint64_t before = 0;
  for (uint64_t& entry : entries) entry = before += static_cast<uint64_t>(in.svarint());
  for (SyncRow& row : rows_) {
    const uint64_t place = in.varint();
    if (place >= entries.size()) {
      in.fail();
      break;
    }
    row.object = entries[place];
  }
  for (SyncRow& row : rows_)
    if (has_other(row.kind, row.result))
      row.other = (is_message(row.kind) ? 0 : row.object) + static_cast<uint64_t>(in.svarint());
  if (in.failed()) return fail(ErrorKind::corrupt, "sync chunk: its rows are malformed");
  return {};
}

}  // namespace vestige
