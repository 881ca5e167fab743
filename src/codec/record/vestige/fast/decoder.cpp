// Unpacks a block's streams and lets the coders of its columns rebuild it, stretch by stretch.
#include "codec/record/vestige/fast/bare.h"
#include "codec/record/vestige/fast/fast.h"
#include "codec/record/vestige/fast/lead_decoder.h"
#include "codec/record/vestige/fast/value_decoder.h"
#include "codec/record/vestige/repeat/probe.h"

namespace vestige {
namespace {

using namespace fast;

template <bool kRich>
std::unique_ptr<LeadDecoder> lead_decoder(const Shape& shape, unsigned width) {
  if (width <= 4) return std::make_unique<LeadDecoderOf<uint32_t, kRich>>(shape, width);
  return std::make_unique<LeadDecoderOf<uint64_t, kRich>>(shape, width);
}
template <bool kRich>
std::unique_ptr<ValueDecoder> value_decoder(const Shape& shape, unsigned width) {
  if (width == 1) return std::make_unique<ValueDecoderOf<uint8_t, kRich>>(shape, width);
  if (width <= 4) return std::make_unique<ValueDecoderOf<uint32_t, kRich>>(shape, width);
  return std::make_unique<ValueDecoderOf<uint64_t, kRich>>(shape, width);
}

std::unexpected<Error> corrupt(const char* what) {
  return fail(ErrorKind::corrupt, std::string("fast block: ") + what);
}

class FastDecoder final : public RecordDecoder {
 public:
  FastDecoder(const RecordLayout& layout, const FastShape& shape)
      : layout_(layout),
        shape_(shape.shape),
        lead_field_(layout.pc_field().value_or(0)),
        has_pc_(layout.pc_field().has_value()) {
    columns_.resize(layout.fields.size());
    for (size_t f = 0; f < columns_.size(); ++f) {
      const unsigned width = layout.fields[f].width;
      if (f == lead_field_)
        lead_ = shape.rich ? lead_decoder<true>(shape_, width) : lead_decoder<false>(shape_, width);
      else
        columns_[f] =
            shape.rich ? value_decoder<true>(shape_, width) : value_decoder<false>(shape_, width);
    }
  }

  Result<void> decode(ByteView bytes, RecordBlock& block) override {
    if (block.rows > kBlockRows) return corrupt("more rows than a block can hold");
    block.columns.resize(layout_.fields.size());
    for (auto& column : block.columns) column.resize(block.rows);
    ByteReader in(bytes);
    if (block.rows == 0 || lead_ == nullptr) {
      if (in.remaining() != 0) return corrupt("bytes without rows");
      return {};
    }
    const uint8_t mode = in.u8();
    if (in.failed() || (mode & ~(kDifferences | kBare)) != 0 || (has_pc_ && (mode & kDifferences)))
      return corrupt("unknown mode");
    const uint64_t bare = mode & kBare ? in.varint() : 0;
    if (is_bare(bare, lead_field_) || (columns_.size() < 64 && bare >> columns_.size() != 0))
      return corrupt("no such bare column");
    if (!unpack(in, block, bare)) return corrupt("a damaged stream");
    if (in.remaining() != 0) return corrupt("bytes left over");
    return decode_rows(block, mode & kDifferences, bare);
  }

 private:
  bool unpack(ByteReader& in, RecordBlock& block, uint64_t bare) {
    // A count per row at most, and the bytes of counts beyond 255.
    const size_t limit = 2 * block.rows + 16;
    const auto unpack_planes = [&](auto& coder) {
      for (PlaneReader& plane : coder.planes) {
        if (!unpacker_.unpack(in, limit, plane.buffer())) return false;
        plane.rewind();
      }
      coder.begin_block();
      return true;
    };
    if (!unpack_planes(*lead_)) return false;
    for (size_t f = 0; f < columns_.size(); ++f) {
      if (columns_[f] == nullptr) continue;
      const bool taken = is_bare(bare, f)
                             ? take_bare(in, layout_.fields[f].width, unpacker_, block.columns[f])
                             : unpack_planes(*columns_[f]);
      if (!taken) return false;
    }
    return true;
  }
  static bool is_bare(uint64_t bare, size_t field) { return field < 64 && (bare >> field & 1); }
  Result<void> decode_rows(RecordBlock& block, bool differences, uint64_t bare) {
    uint64_t* const leads = block.columns[lead_field_].data();
    const unsigned width = layout_.fields[lead_field_].width;
    for (size_t at = 0; at < block.rows;) {
      const uint32_t history = uint32_t{1} << shape_.history;
      const uint32_t rows = static_cast<uint32_t>(
          std::min<size_t>({block.rows - at, kStretchRows, history - (row_ & (history - 1))}));
      if (!lead_->decode(leads + at, rows)) return corrupt("no such code in the leading column");
      for (size_t f = 0; f < columns_.size(); ++f) {
        if (columns_[f] == nullptr) continue;
        uint64_t* const out = block.columns[f].data() + at;
        if (is_bare(bare, f))
          columns_[f]->keep(out, row_, rows);
        else if (!columns_[f]->decode(out, differences ? nullptr : leads + at, row_, rows,
                                      lead_->segments()))
          return corrupt("no such code or value in a column");
      }
      if (differences) {
        for (size_t i = at; i < at + rows; ++i)
          leads[i] = last_lead_ = undo_difference(leads[i], last_lead_, width);
      } else {
        last_lead_ = leads[at + rows - 1];
      }
      row_ += rows;
      at += rows;
    }
    return {};
  }

  const RecordLayout layout_;
  const Shape& shape_;
  const size_t lead_field_;
  const bool has_pc_;
  std::unique_ptr<LeadDecoder> lead_;
  std::vector<std::unique_ptr<ValueDecoder>> columns_;
  StreamUnpacker unpacker_;
  uint32_t row_ = 0;
  uint64_t last_lead_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordDecoder>> make_fast_decoder(const RecordLayout& layout,
                                                         ByteView parameters) {
  if (parameters.size() != 1 || parameters[0] < 1 || parameters[0] > kLevels)
    return fail(ErrorKind::corrupt, "parameters that no fast level has");
  return std::make_unique<FastDecoder>(layout, kShapes[parameters[0] - 1]);
}

}  // namespace vestige
