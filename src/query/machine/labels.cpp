#include "query/machine/labels.h"

#include <algorithm>

#include "base/checksum.h"
#include "base/squeeze.h"
#include "codec/pack/values.h"

namespace vestige {

namespace {

void encode_geometry(const CacheGeometry& geometry, ByteWriter& out) {
  out.varint(geometry.bytes);
  out.varint(geometry.ways);
  out.varint(geometry.line);
}

CacheGeometry decode_geometry(ByteReader& in) {
  CacheGeometry geometry;
  geometry.bytes = in.varint();
  geometry.ways = in.varint32();
  geometry.line = in.varint32();
  return geometry;
}

}  // namespace

Bytes LabelTable::encode() const {
  ByteWriter out;
  out.u8(static_cast<uint8_t>(model.predictor));
  encode_geometry(model.l1, out);
  encode_geometry(model.l2, out);
  out.u8(caches);
  out.varint(threads.size());
  uint64_t end = 0;
  for (const std::vector<LabelRow>& rows : threads) {
    out.varint(rows.size());
    uint64_t id = 0;
    for (const LabelRow& row : rows) {
      out.varint(row.id - id);
      id = row.id;
      out.u8(static_cast<uint8_t>(row.kind));
      for (const uint64_t n : {row.executions, row.unknown, row.misses, row.l2_misses})
        out.varint(n);
      out.varint(row.pieces.size());
      for (const LabelRow::Piece& piece : row.pieces) {
        out.svarint(static_cast<int64_t>(piece.offset - end));
        out.varint(piece.size);
        out.u64(piece.checksum);
        end = piece.offset + piece.size;
      }
    }
  }
  return squeeze(out.take());
}

bool LabelTable::decode(ByteView table) {
  auto raw = unsqueeze(table, "table of machine labels");
  if (!raw) return false;
  ByteReader in(*raw);
  model.predictor = static_cast<PredictorKind>(in.u8());
  model.l1 = decode_geometry(in);
  model.l2 = decode_geometry(in);
  caches = in.u8() != 0;
  threads.assign(in.count(1), {});
  uint64_t end = 0;
  for (std::vector<LabelRow>& rows : threads) {
    rows.resize(in.count(7));
    uint64_t id = 0;
    for (LabelRow& row : rows) {
      row.id = id += in.varint();
      const uint8_t kind = in.u8();
      if (kind > static_cast<uint8_t>(MachineKind::store)) return false;
      row.kind = static_cast<MachineKind>(kind);
      for (uint64_t* n : {&row.executions, &row.unknown, &row.misses, &row.l2_misses})
        *n = in.varint();
      row.pieces.resize(in.count(10));
      for (LabelRow::Piece& piece : row.pieces) {
        piece.offset = end + static_cast<uint64_t>(in.svarint());
        piece.size = in.varint();
        piece.checksum = in.u64();
        end = piece.offset + piece.size;
      }
      if (row.misses > row.executions || row.l2_misses > row.misses) return false;
    }
  }
  return !in.failed() && in.remaining() == 0;
}

uint32_t LabelBuilder::add_row(uint64_t id, MachineKind kind) {
  Growing& growing = rows_.emplace_back();
  growing.row.id = id;
  growing.row.kind = kind;
  return static_cast<uint32_t>(rows_.size() - 1);
}

void LabelBuilder::add_miss(Growing& growing, bool l2) {
  LabelRow& row = growing.row;
  ++row.misses;
  row.l2_misses += l2;
  growing.values.push_back((row.executions - growing.last) << 1 | l2);
  growing.last = row.executions;
  pending_ += sizeof(uint64_t);
  if (growing.values.size() == kLabelBlock) pack(growing);
}

void LabelBuilder::pack(Growing& growing) {
  pending_ -= growing.values.size() * sizeof(uint64_t);
  const size_t before = growing.packed.size();
  pack_values(growing.values, growing.packed);
  pending_ += growing.packed.size() - before;
  growing.values.clear();
}

Result<void> LabelBuilder::write() {
  for (Growing& growing : rows_) {
    if (!growing.values.empty()) pack(growing);
    growing.values.shrink_to_fit();
    if (growing.packed.size() == 0) continue;
    const Bytes piece = growing.packed.take();
    growing.packed = {};
    const auto offset = writer_.append(piece);
    if (!offset) return std::unexpected(offset.error());
    growing.row.pieces.push_back({*offset, piece.size(), checksum(piece)});
  }
  pending_ = 0;
  return {};
}

Result<std::vector<LabelRow>> LabelBuilder::finish() {
  if (auto written = write(); !written) return std::unexpected(std::move(written.error()));
  std::vector<LabelRow> rows;
  for (Growing& growing : rows_)
    if (growing.row.executions > 0) rows.push_back(std::move(growing.row));
  std::ranges::sort(rows, {}, [](const LabelRow& row) { return std::pair(row.id, row.kind); });
  return rows;
}

bool read_labels(ByteView piece, const LabelRow& row, uint64_t& last,
                 const std::function<bool(uint64_t instance, bool l2)>& take, bool& stopped) {
  ByteReader in(piece);
  while (in.remaining() > 0 && !stopped) {
    const auto values = unpack_values(in, kLabelBlock);
    if (!values) return false;
    for (const uint64_t value : *values) {
      const uint64_t distance = value >> 1;
      if (distance == 0 || distance > row.executions - last) return false;
      last += distance;
      if (!take(last, (value & 1) != 0)) {
        stopped = true;
        break;
      }
    }
  }
  return true;
}

}  // namespace vestige
