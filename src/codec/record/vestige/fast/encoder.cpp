// Cuts blocks into stretches and hands their columns to the coders; packs what they put out.
#include "codec/record/prediction_tally.h"
#include "codec/record/vestige/fast/bare.h"
#include "codec/record/vestige/fast/fast.h"
#include "codec/record/vestige/fast/lead_encoder.h"
#include "codec/record/vestige/fast/value_encoder.h"
#include "codec/record/vestige/repeat/probe.h"
#include "codec/record/vestige/repeat/report.h"

namespace vestige {
namespace {

using namespace fast;

template <bool kRich>
std::unique_ptr<LeadEncoder> lead_encoder(const Shape& shape, unsigned width) {
  if (width <= 4) return std::make_unique<LeadEncoderOf<uint32_t, kRich>>(shape, width);
  return std::make_unique<LeadEncoderOf<uint64_t, kRich>>(shape, width);
}
template <bool kRich>
std::unique_ptr<ValueEncoder> value_encoder(const Shape& shape, unsigned width) {
  if (width == 1) return std::make_unique<ValueEncoderOf<uint8_t, kRich>>(shape);
  if (width <= 4) return std::make_unique<ValueEncoderOf<uint32_t, kRich>>(shape);
  return std::make_unique<ValueEncoderOf<uint64_t, kRich>>(shape);
}

class FastEncoder final : public RecordEncoder {
 public:
  FastEncoder(const RecordLayout& layout, const RecordCodecOptions& options)
      : layout_(layout),
        level_(static_cast<uint8_t>(std::clamp<int>(options.level, 1, kLevels))),
        shape_(kShapes[level_ - 1].shape),
        rich_(kShapes[level_ - 1].rich),
        lead_field_(layout.pc_field().value_or(0)),
        has_pc_(layout.pc_field().has_value()),
        packer_(kShapes[level_ - 1].zstd_level) {
    columns_.resize(layout.fields.size());
    trials_.resize(layout.fields.size());
    for (size_t f = 0; f < columns_.size(); ++f) {
      const unsigned width = layout.fields[f].width;
      if (f == lead_field_)
        lead_ = rich_ ? lead_encoder<true>(shape_, width) : lead_encoder<false>(shape_, width);
      else
        columns_[f] =
            rich_ ? value_encoder<true>(shape_, width) : value_encoder<false>(shape_, width);
    }
    if (options.explain) begin_explanation();
  }

  Bytes encode(const RecordBlock& block) override {
    ByteWriter out;
    if (block.rows == 0 || lead_ == nullptr) return out.take();
    const std::span leads(block.columns[lead_field_]);
    const unsigned lead_width = layout_.fields[lead_field_].width;
    const bool differences = !has_pc_ && differences_are_shorter(leads, lead_width);
    const uint64_t bare = bare_columns();
    out.u8((differences ? kDifferences : 0) | (bare != 0 ? kBare : 0));
    if (bare != 0) out.varint(bare);
    for (size_t at = 0; at < block.rows;) {
      const uint32_t history = uint32_t{1} << shape_.history;
      const uint32_t rows = static_cast<uint32_t>(
          std::min<size_t>({block.rows - at, kStretchRows, history - (row_ & (history - 1))}));
      const uint64_t* symbols = leads.data() + at;
      if (differences) {
        differences_.resize(rows);
        for (uint32_t i = 0; i < rows; ++i) {
          differences_[i] = difference(leads[at + i], last_lead_, lead_width);
          last_lead_ = leads[at + i];
        }
        symbols = differences_.data();
      } else {
        last_lead_ = leads[at + rows - 1];
      }
      if (explaining()) outcomes_.assign(rows, kLeadRepeats);
      lead_->encode(symbols, rows, explaining() ? outcomes_.data() : nullptr);
      for (size_t f = 0; f < columns_.size(); ++f) {
        if (columns_[f] == nullptr) continue;
        if (bare >> f & 1)
          columns_[f]->keep(block.columns[f].data() + at, row_, rows);
        else
          columns_[f]->encode(block.columns[f].data() + at, differences ? nullptr : symbols, row_,
                              rows, lead_->segments());
      }
      if (explaining()) explain(leads.data() + at, rows);
      row_ += rows;
      encoded_ += rows;
      at += rows;
    }
    lead_->end_block();
    const size_t before = out.size();
    pack(lead_->planes, out);
    if (explaining()) explanation_[lead_field_].bytes += out.size() - before;
    for (size_t f = 0; f < columns_.size(); ++f) {
      if (columns_[f] == nullptr) continue;
      const size_t before = out.size();
      if (bare >> f & 1) {
        put_bare(std::span(block.columns[f]).first(block.rows), layout_.fields[f].width, packer_,
                 out);
        trials_[f].was_bare(block.rows, out.size() - before);
      } else {
        columns_[f]->end_block();
        pack(columns_[f]->planes, out);
        trials_[f].was_coded(block.rows, layout_.fields[f].width, out.size() - before);
      }
      if (explaining()) explanation_[f].bytes += out.size() - before;
    }
    return out.take();
  }
  Bytes parameters() const override { return {level_}; }
  bool restart() override {
    if (explaining() || lead_ == nullptr) return false;
    lead_->restart(encoded_);
    for (const auto& column : columns_)
      if (column != nullptr) column->restart(encoded_);
    packer_.restart();
    trials_.assign(trials_.size(), {});
    row_ = 0;
    last_lead_ = encoded_ = 0;
    return true;
  }
  size_t block_rows() const override { return kBlockRows; }
  const Explanation* explanation() const override { return explaining() ? &explanation_ : nullptr; }

 private:
  bool explaining() const { return !tallies_.empty(); }
  template <size_t kStreams>
  void pack(std::array<Plane, kStreams>& planes, ByteWriter& out) {
    for (Plane& plane : planes) {
      packer_.pack(plane.view(), out);
      plane.clear();
    }
  }

  uint64_t bare_columns() {
    uint64_t bare = 0;
    for (size_t f = 0; f < columns_.size() && f < 64; ++f)
      if (columns_[f] != nullptr && trials_[f].goes_bare()) bare |= uint64_t{1} << f;
    return bare;
  }
  // The first names are those of LeadOutcome, but the last.
  void begin_explanation() {
    explanation_.resize(columns_.size());
    for (size_t f = 0; f < columns_.size(); ++f) {
      explanation_[f].field = layout_.fields[f].name;
      tallies_.emplace_back(explanation_[f],
                            f == lead_field_
                                ? std::vector<const char*>{"repeat", "successor", "known"}
                                : outcome_names(rich_));
    }
  }
  void explain(const uint64_t* leads, uint32_t rows) {
    for (size_t f = 0; f < columns_.size(); ++f) {
      PredictionTally& tally = tallies_[f];
      for (uint32_t i = 0; i < rows; ++i)
        tally.saw(has_pc_ ? leads[i] : 0,
                  f == lead_field_
                      ? outcomes_[i]
                      : outcome_of(certain(columns_[f]->favourite(row_ + i)), tally.none()));
    }
  }

  const RecordLayout layout_;
  const uint8_t level_;
  const Shape& shape_;
  const bool rich_;
  const size_t lead_field_;
  const bool has_pc_;
  std::unique_ptr<LeadEncoder> lead_;                   // null when there are no fields
  std::vector<std::unique_ptr<ValueEncoder>> columns_;  // by field, the lead's null
  std::vector<BareTrials> trials_;                      // by field
  StreamPacker packer_;
  uint32_t row_ = 0;      // modulo 2^32
  uint64_t encoded_ = 0;  // rows
  uint64_t last_lead_ = 0;
  std::vector<uint64_t> differences_;
  std::vector<LeadOutcome> outcomes_;
  Explanation explanation_;
  std::vector<PredictionTally> tallies_;  // by field; none when nobody asks
};

}  // namespace

std::unique_ptr<RecordEncoder> make_fast_encoder(const RecordLayout& layout,
                                                 const RecordCodecOptions& options) {
  return std::make_unique<FastEncoder>(layout, options);
}

}  // namespace vestige
