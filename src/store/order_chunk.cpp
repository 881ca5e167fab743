// Column by column: where the later access is, and which one of another thread comes before it.
#include "store/order_chunk.h"

#include "base/squeeze.h"

namespace vestige {

namespace {

uint64_t zigzag(uint64_t difference) {
  return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}
uint64_t unzigzag(uint64_t coded) { return coded >> 1 ^ (coded & 1 ? UINT64_MAX : 0); }

}  // namespace

Bytes OrderChunk::encode() const {
  ByteWriter columns;
  uint64_t time = 0;
  for (const OrderRow& row : rows) columns.varint(row.to_time - std::exchange(time, row.to_time));
  for (const OrderRow& row : rows) columns.varint(row.to_statement);
  for (const OrderRow& row : rows) columns.varint(row.from_thread);
  time = 0;
  for (const OrderRow& row : rows)
    columns.varint(zigzag(row.from_time - std::exchange(time, row.from_time)));
  for (const OrderRow& row : rows) columns.varint(row.from_statement);
  ByteWriter out;
  out.varint(thread);
  out.varint(rows.size());
  out.bytes(squeeze(columns.take()));
  return out.take();
}

Result<OrderChunk> OrderChunk::decode(ByteView payload) {
  const auto malformed = [] {
    return fail(ErrorKind::corrupt, "order chunk: its payload is malformed");
  };
  ByteReader head(payload);
  OrderChunk chunk;
  chunk.thread = head.varint32();
  const uint64_t count = head.varint();
  const ByteView squeezed = head.bytes(head.remaining());
  if (head.failed()) return malformed();
  const auto raw = unsqueeze(squeezed, "order chunk");
  if (!raw) return std::unexpected(raw.error());
  constexpr uint64_t kLeastRow = 5;  // a byte of each column
  if (count > raw->size() / kLeastRow) return malformed();
  ByteReader in(*raw);
  chunk.rows.resize(count);
  uint64_t time = 0;
  for (OrderRow& row : chunk.rows) {
    const uint64_t difference = in.varint();
    if (difference > UINT64_MAX - time) return malformed();
    row.to_time = time += difference;
  }
  for (OrderRow& row : chunk.rows) row.to_statement = in.varint32();
  for (OrderRow& row : chunk.rows) row.from_thread = in.varint32();
  time = 0;
  for (OrderRow& row : chunk.rows) row.from_time = time += unzigzag(in.varint());
  for (OrderRow& row : chunk.rows) row.from_statement = in.varint32();
  if (in.failed() || in.remaining() != 0) return malformed();
  return chunk;
}

Result<uint32_t> OrderChunk::thread_of(ByteView payload) {
  ByteReader in(payload);
  const uint32_t thread = in.varint32();
  if (in.failed()) return fail(ErrorKind::corrupt, "order chunk: its payload is malformed");
  return thread;
}

}  // namespace vestige
