#include "store/sync_index_chunk.h"

namespace vestige {

namespace {

constexpr uint64_t kNobody = 0;

}  // namespace

Bytes SyncIndexChunk::encode() const {
  ByteWriter out;
  out.varint(thread);
  out.varint(walks);
  out.varint(chunks.size());
  uint64_t known = 0;
  for (const Control& chunk : chunks) {
    out.varint(chunk.before - known);
    out.varint(chunk.marks);
    known = chunk.before + chunk.marks;
  }
  out.varint(misuses.size());
  uint64_t last = 0;
  for (const Misuse& misuse : misuses) {
    out.varint(misuse.number - last);
    out.varint(misuse.holder == kNone ? kNobody : uint64_t{misuse.holder} + 1);
    last = misuse.number;
  }
  return out.take();
}

Result<SyncIndexChunk> SyncIndexChunk::decode(ByteView payload) {
  ByteReader in(payload);
  SyncIndexChunk index;
  index.thread = in.varint32();
  index.walks = in.varint() != 0;
  const size_t chunks = in.count(2);
  uint64_t known = 0;
  for (size_t i = 0; i < chunks && !in.failed(); ++i) {
    Control& chunk = index.chunks.emplace_back();
    if (__builtin_add_overflow(known, in.varint(), &chunk.before) ||
        __builtin_add_overflow(chunk.before, chunk.marks = in.varint(), &known))
      return fail(ErrorKind::corrupt, "sync index: more operations than there can be");
  }
  const size_t misuses = in.count(2);
  uint64_t last = 0;
  for (size_t i = 0; i < misuses && !in.failed(); ++i) {
    Misuse& misuse = index.misuses.emplace_back();
    misuse.number = last += in.varint();
    const uint64_t holder = in.varint();
    if (holder > kNone) return fail(ErrorKind::corrupt, "sync index: a holder that cannot be");
    misuse.holder = holder == kNobody ? kNone : static_cast<uint32_t>(holder - 1);
  }
  if (in.failed()) return fail(ErrorKind::corrupt, "a sync index is cut short");
  return index;
}

}  // namespace vestige
