// The payload of each kind of chunk: whatever decodes must mean the same when it is written and
// read again.
#include "kinds.h"
#include "store/chunks.h"
#include "store/sync_rows.h"

namespace vestige {
namespace {

template <class Chunk>
void round_trip(ByteView payload) {
  const auto chunk = Chunk::decode(payload);
  if (!chunk) {
    require(!chunk.error().message.empty(), "an error without a message");
    return;
  }
  const Bytes once = chunk->encode();
  const auto again = Chunk::decode(once);
  require(again.has_value(), "what was written is not read");
  require(again->encode() == once, "what was read is not what was written");
}

// Rows that decode are the same when they are written and read again.
void round_trip_syncs(ByteView payload) {
  const auto chunk = SyncChunk::view(payload);
  if (!chunk) return;
  std::vector<SyncRow> rows;
  SyncRowsDecoder decoder(chunk->rows, chunk->count);
  SyncRowsEncoder encoder;
  for (;;) {
    const auto more = decoder.next();
    if (!more) require(!more.error().message.empty(), "an error without a message");
    if (!more || more->empty()) break;
    rows.insert(rows.end(), more->begin(), more->end());
    for (const SyncRow& row : *more) encoder.append(row);
  }
  const Bytes bytes = encoder.finish();
  SyncRowsDecoder again(bytes, rows.size());
  size_t at = 0;
  for (;;) {
    const auto more = again.next();
    require(more.has_value(), "rows that were written are not read");
    if (more->empty()) break;
    for (const SyncRow& row : *more) require(row == rows[at++], "rows that were read are others");
  }
  require(at == rows.size(), "rows are missing");
}

}  // namespace

void use_input(uint8_t kind, ByteView payload) {
  switch (kind) {
    case 1:
      round_trip<MetaChunk>(payload);
      break;
    case 2:
      round_trip<ProcessChunk>(payload);
      break;
    case 3:
      round_trip<ModuleChunk>(payload);
      break;
    case 4:
      round_trip<ThreadChunk>(payload);
      break;
    case 5:
      round_trip<ControlChunk>(payload);
      break;
    case 6:
      round_trip<EndChunk>(payload);
      break;
    case 7:
      round_trip<DirectoryChunk>(payload);
      break;
    case 8:
      (void)decode_stack(payload);
      break;
    case 9:
      (void)decode_events(payload);
      break;
    case 10:
      round_trip<SyncChunk>(payload);
      round_trip_syncs(payload);
      break;
    default:
      break;
  }
}

}  // namespace vestige
