// The models of all columns of a layout, in the order they are coded in.
#pragma once

#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codec/record/vestige/strong/data.h"
#include "codec/record/vestige/strong/sequence.h"
#include "codec/record_codec.h"

namespace vestige::strong {

inline constexpr size_t kBlockRows = 256 * 1024;
enum class ColumnOrder : uint8_t { columns = 0, rows = 1 };  // on disk

template <int kLevel>
class Columns {
 public:
  explicit Columns(const RecordLayout& layout) : pc_field_(layout.pc_field()) {
    const auto add = [&](size_t field) {
      fields_.push_back(field);
      widths_.push_back(layout.fields[field].width);
    };
    if (pc_field_) add(*pc_field_);
    for (size_t i = 0; i < layout.fields.size(); ++i)
      if (i != pc_field_) add(i);
    const size_t columns = fields_.size();
    if (columns == 1) {
      stream_ = std::make_unique<Stream>(sequence_sizes(), widths_[0]);
    } else if (columns > 1) {
      if (pc_field_) pcs_ = std::make_unique<Pcs>(sequence_sizes(), widths_[0]);
      for (size_t i = first_data(); i < columns; ++i)
        data_.push_back(std::make_unique<Data>(data_sizes(columns - first_data()), widths_[i]));
    }
  }

  size_t size() const { return fields_.size(); }
  size_t field(size_t i) const { return fields_[i]; }
  std::optional<size_t> pc_field() const { return pc_field_; }
  bool is_pc_and_one() const { return pcs_ != nullptr && data_.size() == 1; }

  // Column i of a block: PCs are zeros in a layout without. Safe for different columns at once.
  template <class Coder>
  void code(Coder& coder, size_t i, ColumnOrder order, std::span<const uint64_t> pcs,
            const RecordBlock& block, ColumnOf<Coder> values, PredictionTally* tally) {
    if (stream_) return stream_->code(coder, values, {}, tally);
    if (i < first_data()) {
      std::span<const uint64_t> beside;
      if (order == ColumnOrder::rows) beside = block.columns[fields_[1]];
      return pcs_->code(coder, values, beside, tally);
    }
    std::span<const uint64_t> beside;
    if (i > first_data()) beside = block.columns[fields_[i - 1]];
    data_[i - first_data()]->code(coder, pcs, beside, order == ColumnOrder::columns, values, tally);
  }
  // A block in the order of rows, as a decoder has to go through it.
  template <class Coder>
  void code_rows(Coder& pc_coder, Coder& data_coder, std::span<uint64_t> pcs,
                 std::span<uint64_t> values) {
    Data& data = *data_.front();
    data.enter_blind(pcs.size());
    for (size_t i = 0; i < pcs.size(); ++i) {
      pcs_->code_row(pc_coder, pcs[i]);
      data.code_row(data_coder, i, pcs[i], values[i]);
      pcs_->leave_row(pcs[i], values[i]);
    }
  }
  std::vector<const char*> predictor_names(size_t i) const {
    return stream_            ? Stream::predictor_names()
           : i < first_data() ? Pcs::predictor_names()
                              : Data::predictor_names();
  }

 private:
  using Pcs = SequenceColumn<kLevel, true>;
  using Stream = SequenceColumn<kLevel, false>;  // a single column, of PCs or not
  using Data = DataColumn<kLevel>;

  size_t first_data() const { return pc_field_ ? 1 : 0; }
  static constexpr unsigned kSlots = kLevel == 9 ? 19 : kLevel + 9;
  static Sizes sequence_sizes() {
    return {.slots = kSlots, .lines = 14, .places = 16, .rows = kLevel + 12};
  }
  // Many columns share what one would have.
  static Sizes data_sizes(size_t columns) {
    const unsigned less = static_cast<unsigned>(std::bit_width(columns - 1));
    return {.slots = kSlots - less,
            .lines = kLevel + 7 - less,
            .places = 16 - less,
            .rows = kLevel + 12 - less};
  }

  std::optional<size_t> pc_field_;
  std::vector<size_t> fields_;
  std::vector<unsigned> widths_;
  std::unique_ptr<Pcs> pcs_;
  std::unique_ptr<Stream> stream_;
  std::vector<std::unique_ptr<Data>> data_;
};

}  // namespace vestige::strong
