#include "codec/record/hybrid/hybrid.h"

#include <algorithm>

#include "codec/record/streams/stream_records.h"
#include "codec/record/vpc/vpc.h"
#include "codec/stream_codec.h"

namespace vestige {

namespace {

bool has_values(const RecordLayout& layout) {
  return layout.fields.size() > (layout.pc_field() ? 1u : 0u);
}
size_t part_rows(size_t first, size_t rows) { return std::min(kVpcBlockRows, rows - first); }

class HybridEncoder final : public RecordEncoder {
 public:
  HybridEncoder(const RecordLayout& layout, std::unique_ptr<RecordEncoder> values)
      : layout_(layout), values_(std::move(values)) {}

  Bytes encode(const RecordBlock& block) override {
    ByteWriter out;
    if (const auto pc = layout_.pc_field())
      write_stream_column(StreamCodec::sequitur, block.columns[*pc], out);
    const size_t grammar = out.size();
    if (has_values(layout_))
      for (size_t first = 0; first < block.rows; first += kVpcBlockRows)
        encode_part(block, first, out);
    explain(grammar);
    return out.take();
  }
  Bytes parameters() const override { return values_->parameters(); }
  size_t block_rows() const override { return kStreamRows; }
  const Explanation* explanation() const override {
    return values_->explanation() ? &explanation_ : nullptr;
  }

 private:
  void encode_part(const RecordBlock& block, size_t first, ByteWriter& out) {
    part_.rows = part_rows(first, block.rows);
    part_.columns.resize(block.columns.size());
    for (size_t f = 0; f < block.columns.size(); ++f) {
      const auto from = block.columns[f].begin() + static_cast<std::ptrdiff_t>(first);
      part_.columns[f].assign(from, from + static_cast<std::ptrdiff_t>(part_.rows));
    }
    const Bytes bytes = values_->encode(part_);
    out.varint(bytes.size());
    out.bytes(bytes);
  }
  // The predictors', and what the grammar of the PCs takes.
  void explain(size_t grammar) {
    if (!values_->explanation()) return;
    grammar_bytes_ += grammar;
    explanation_ = *values_->explanation();
    if (const auto pc = layout_.pc_field()) explanation_[*pc].bytes = grammar_bytes_;
  }

  const RecordLayout layout_;
  std::unique_ptr<RecordEncoder> values_;
  RecordBlock part_;
  uint64_t grammar_bytes_ = 0;
  Explanation explanation_;
};

class HybridDecoder final : public RecordDecoder {
 public:
  HybridDecoder(const RecordLayout& layout, std::unique_ptr<RecordDecoder> values)
      : layout_(layout), values_(std::move(values)) {}

  Result<void> decode(ByteView bytes, RecordBlock& block) override {
    if (block.rows > kStreamRows)
      return fail(ErrorKind::corrupt, "a hybrid block of " + std::to_string(block.rows) + " rows");
    ByteReader in(bytes);
    block.columns.resize(layout_.fields.size());
    if (const auto pc = layout_.pc_field())
      if (auto read = read_stream_column(in, layout_.fields[*pc], block.rows, block.columns[*pc]);
          !read)
        return read;
    if (has_values(layout_))
      for (size_t first = 0; first < block.rows; first += kVpcBlockRows)
        if (auto read = decode_part(in, first, block); !read) return read;
    if (in.failed() || in.remaining() != 0)
      return fail(ErrorKind::corrupt, "a hybrid block does not end where it should");
    return {};
  }

 private:
  Result<void> decode_part(ByteReader& in, size_t first, RecordBlock& block) {
    const auto pc = layout_.pc_field();
    const ByteView bytes = in.bytes(in.varint());
    if (in.failed()) return fail(ErrorKind::corrupt, "a hybrid block is cut short");
    part_.rows = part_rows(first, block.rows);
    part_.columns.resize(layout_.fields.size());
    if (pc) {
      const auto from = block.columns[*pc].begin() + static_cast<std::ptrdiff_t>(first);
      part_.columns[*pc].assign(from, from + static_cast<std::ptrdiff_t>(part_.rows));
    }
    if (auto decoded = values_->decode(bytes, part_); !decoded) return decoded;
    // A column grows with what was really decoded.
    for (size_t f = 0; f < part_.columns.size(); ++f) {
      if (f == pc) continue;
      block.columns[f].resize(first + part_.rows);
      std::ranges::copy(part_.columns[f],
                        block.columns[f].begin() + static_cast<std::ptrdiff_t>(first));
    }
    return {};
  }

  const RecordLayout layout_;
  std::unique_ptr<RecordDecoder> values_;
  RecordBlock part_;
};

}  // namespace

Result<std::unique_ptr<RecordEncoder>> make_hybrid_encoder(const RecordLayout& layout,
                                                           const RecordCodecOptions& options) {
  auto values = make_vpc_encoder(layout, options, true, VpcPcs::told);
  if (!values) return values;
  return std::make_unique<HybridEncoder>(layout, std::move(*values));
}

Result<std::unique_ptr<RecordDecoder>> make_hybrid_decoder(const RecordLayout& layout,
                                                           ByteView parameters) {
  auto values = make_vpc_decoder(layout, parameters, true, VpcPcs::told);
  if (!values) return values;
  return std::make_unique<HybridDecoder>(layout, std::move(*values));
}

}  // namespace vestige
