#include "store/sync_rows.h"

#include "store/squeeze.h"

namespace vestige {

bool has_other(SyncKind kind) {
  return kind == SyncKind::cond_wait || kind == SyncKind::cond_wake ||
         kind == SyncKind::barrier_init || kind == SyncKind::sem_init;
}

void SyncRowsEncoder::append(const SyncRow& row) {
  block_.push_back(row);
  ++count_;
  atomics_ += is_atomic(row.kind);
  if (block_.size() == kSyncBlockRows) write_block();
}

void SyncRowsEncoder::write_block() {
  if (block_.empty()) return;
  ByteWriter columns;
  for (const SyncRow& row : block_)
    columns.varint(static_cast<uint64_t>(row.kind) | uint64_t{row.result} << 8);
  for (const SyncRow& row : block_) columns.varint(row.time - std::exchange(time_, row.time));
  for (const SyncRow& row : block_) columns.varint(row.stamp - std::exchange(stamp_, row.stamp));

  std::unordered_map<uint64_t, uint64_t> places;
  std::vector<uint64_t> entries;
  for (const SyncRow& row : block_)
    if (places.try_emplace(row.object, entries.size()).second) entries.push_back(row.object);
  columns.varint(entries.size());
  uint64_t before = 0;
  for (const uint64_t entry : entries)
    columns.svarint(static_cast<int64_t>(entry - std::exchange(before, entry)));
  for (const SyncRow& row : block_) columns.varint(places[row.object]);
  for (const SyncRow& row : block_)
    if (has_other(row.kind)) columns.svarint(static_cast<int64_t>(row.other - row.object));

  const Bytes squeezed = squeeze(columns.take());
  out_.varint(block_.size());
  out_.varint(squeezed.size());
  out_.bytes(squeezed);
  block_.clear();
}

Bytes SyncRowsEncoder::finish() {
  write_block();
  count_ = atomics_ = time_ = stamp_ = 0;
  return std::exchange(out_, {}).take();
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
    if (has_other(row.kind)) row.other = row.object + static_cast<uint64_t>(in.svarint());
  if (in.failed()) return fail(ErrorKind::corrupt, "sync chunk: its rows are malformed");
  return {};
}

}  // namespace vestige
