#include "codec/record/vestige/mix/rows.h"

#include <atomic>
#include <latch>

#include "base/worker_pool.h"
#include "codec/record/prediction_tally.h"
#include "codec/record/vestige/mix/lead_coder.h"
#include "codec/record/vestige/mix/value_coder.h"
#include "codec/record/vestige/repeat/probe.h"
#include "codec/record/vestige/repeat/report.h"

namespace vestige::mix {
namespace {

using repeat::kBlockRows;
using repeat::kStretchRows;

struct LevelPlan {
  repeat::Shape shape;
  unsigned leads;  // contexts of the leading column
  ValueSizes values;
};
constexpr int kFirstLevel = 4;
// What files of levels 4 – 6 are written by, told by a byte in the parameters; none means the
// first. Encoders write the latest.
struct FirstRules {
  static constexpr unsigned kSafeAfter = 10, kSafeLeadAfter = 10;
  static constexpr bool kShared = false, kLines = false;
};
struct SecondRules {
  static constexpr unsigned kSafeAfter = 8, kSafeLeadAfter = 10;
  static constexpr bool kShared = true, kLines = false;
};
struct ThirdRules {
  static constexpr unsigned kSafeAfter = 3, kSafeLeadAfter = 6;
  static constexpr bool kShared = true, kLines = true;
};
using LatestRules = ThirdRules;
constexpr uint8_t kSecondRules = 2, kThirdRules = 3;
constexpr uint8_t kLatestRules = kThirdRules;
constexpr LevelPlan kLevels[] = {
    {{20, 16, 13, 13, 14, 16, 128, 18}, 14, {14, 12, 11}},
    {{20, 16, 14, 14, 15, 16, 128, 20}, 15, {15, 14, 13}},
    {{22, 18, 15, 16, 18, 16, 128, 21}, 18, {18, 17, 16}},
};
bool is_level(int level) {
  return level >= kFirstLevel && level < kFirstLevel + static_cast<int>(std::size(kLevels));
}

// Rows coded at one go: their number is such that they do not cross the end of the history.
struct RowSpan {
  size_t first;  // in the block
  size_t rows;
  uint32_t number;  // of the first row, counted over all blocks
  std::vector<repeat::Segment> segments;
};

// The models of all columns, encoding or decoding.
template <class Coder, class Rules>
class ColumnModels {
 public:
  ColumnModels(const RecordLayout& layout, int level, unsigned threads)
      : layout_(layout),
        level_(kLevels[level - kFirstLevel]),
        lead_field_(layout.pc_field().value_or(0)),
        has_pc_(layout.pc_field().has_value()) {
    const TablesTogether together;
    order_.push_back(lead_field_);
    const unsigned lead_width = layout.fields[lead_field_].width;
    lead_ = lead_width <= 4
                ? make<LeadCoder<Coder>, LeadCoderOf<Coder, uint32_t, Rules>>(lead_width)
                : make<LeadCoder<Coder>, LeadCoderOf<Coder, uint64_t, Rules>>(lead_width);
    for (size_t f = 0; f < layout.fields.size(); ++f) {
      if (f == lead_field_) continue;
      order_.push_back(f);
      values_.push_back(make_values(layout.fields[f].width));
    }
    if (threads > 1 && !values_.empty())
      pool_.emplace(static_cast<unsigned>(std::min<size_t>(threads - 1, values_.size())));
  }

  const std::vector<size_t>& order() const { return order_; }  // of fields, the lead's first
  size_t lead_field() const { return lead_field_; }
  bool has_pc() const { return has_pc_; }
  ValueCoder<Coder>& values(size_t i) { return *values_[i]; }
  const std::vector<RowSpan>& stretches() const { return stretches_; }

  // `coders` and `columns` are in order. `leads_tell`: what the lead is tells about values.
  void run(std::span<Coder> coders, const std::vector<ColumnOf<Coder>>& columns, bool leads_tell,
           LeadOutcome* outcomes) {
    plan(columns[0].size());
    std::atomic<size_t> ready = 0;
    const auto run_values = [&](size_t i) {
      for (size_t s = 0; s < stretches_.size(); ++s) {
        for (size_t now = ready.load(std::memory_order_acquire); now <= s;
             now = ready.load(std::memory_order_acquire))
          ready.wait(now, std::memory_order_acquire);
        const RowSpan& stretch = stretches_[s];
        std::span<const uint64_t> leads;
        if (leads_tell) leads = columns[0].subspan(stretch.first, stretch.rows);
        values_[i]->run(coders[i + 1], leads, columns[i + 1].subspan(stretch.first, stretch.rows),
                        stretch.number, stretch.segments);
      }
    };
    std::latch done(static_cast<std::ptrdiff_t>(pool_ ? values_.size() : 0));
    if (pool_) {
      for (size_t i = 0; i < values_.size(); ++i) {
        pool_->submit([&, i] {
          run_values(i);
          done.count_down();
        });
      }
    }
    for (RowSpan& stretch : stretches_) {
      lead_->run(coders[0], columns[0].subspan(stretch.first, stretch.rows),
                 outcomes == nullptr ? nullptr : outcomes + stretch.first);
      stretch.segments = lead_->segments();
      ready.fetch_add(1, std::memory_order_release);
      ready.notify_all();
    }
    if (!pool_)
      for (size_t i = 0; i < values_.size(); ++i) run_values(i);
    done.wait();
  }

 private:
  template <class Face, class Of>
  std::unique_ptr<Face> make(unsigned width) {
    return std::make_unique<Of>(level_.shape, level_.leads, width);
  }
  std::unique_ptr<ValueCoder<Coder>> make_values(unsigned width) {
    if (width == 1)
      return std::make_unique<ValueCoderOf<Coder, uint8_t, Rules>>(level_.shape, level_.values);
    if (width <= 4)
      return std::make_unique<ValueCoderOf<Coder, uint32_t, Rules>>(level_.shape, level_.values);
    return std::make_unique<ValueCoderOf<Coder, uint64_t, Rules>>(level_.shape, level_.values);
  }
  void plan(size_t rows) {
    const uint32_t history = uint32_t{1} << level_.shape.history;
    stretches_.clear();
    for (size_t at = 0; at < rows;) {
      const size_t count =
          std::min<size_t>({rows - at, kStretchRows, history - (number_ & (history - 1))});
      stretches_.push_back({at, count, number_, {}});
      number_ += static_cast<uint32_t>(count);
      at += count;
    }
  }

  const RecordLayout layout_;
  const LevelPlan& level_;
  const size_t lead_field_;
  const bool has_pc_;
  std::vector<size_t> order_;
  std::unique_ptr<LeadCoder<Coder>> lead_;
  std::vector<std::unique_ptr<ValueCoder<Coder>>> values_;
  std::vector<RowSpan> stretches_;
  uint32_t number_ = 0;
  std::optional<WorkerPool> pool_;
};

class RowsEncoder final : public RecordEncoder {
 public:
  RowsEncoder(const RecordLayout& layout, const RecordCodecOptions& options)
      : layout_(layout),
        level_(options.level),
        columns_(layout, options.level, options.explain ? 1 : options.threads) {
    if (!options.explain) return;
    explanation_.resize(layout.fields.size());
    for (const size_t field : columns_.order()) {
      explanation_[field].field = layout.fields[field].name;
      tallies_.emplace_back(explanation_[field],
                            field == columns_.lead_field()
                                ? std::vector<const char*>{"repeat", "successor"}
                                : repeat::outcome_names(true, LatestRules::kShared));
    }
  }

  Bytes encode(const RecordBlock& block) override {
    ByteWriter out;
    if (block.rows == 0) return out.take();
    const std::vector<uint64_t>& lead = block.columns[columns_.lead_field()];
    const unsigned width = layout_.fields[columns_.lead_field()].width;
    const bool differences = !columns_.has_pc() && repeat::differences_are_shorter(lead, width);
    out.u8(differences);
    std::vector<std::span<const uint64_t>> columns;
    for (const size_t field : columns_.order()) columns.emplace_back(block.columns[field]);
    if (differences) {
      differences_.resize(block.rows);
      for (size_t i = 0; i < block.rows; ++i)
        differences_[i] = repeat::difference(lead[i], i > 0 ? lead[i - 1] : last_lead_, width);
      columns[0] = differences_;
    }
    last_lead_ = lead.back();
    if (!tallies_.empty()) outcomes_.assign(block.rows, kLeadRepeats);
    std::vector<RangeEncoder> coders(columns.size());
    columns_.run(coders, columns, !differences, tallies_.empty() ? nullptr : outcomes_.data());
    for (size_t i = 0; i < coders.size(); ++i) {
      const Bytes payload = coders[i].finish();
      out.varint(payload.size());
      out.bytes(payload);
      if (!tallies_.empty()) explanation_[columns_.order()[i]].bytes += payload.size();
    }
    if (!tallies_.empty()) explain(lead);
    return out.take();
  }
  Bytes parameters() const override { return {static_cast<uint8_t>(level_), kLatestRules}; }
  size_t block_rows() const override { return kBlockRows; }
  const Explanation* explanation() const override {
    return tallies_.empty() ? nullptr : &explanation_;
  }

 private:
  void explain(std::span<const uint64_t> leads) {
    for (const RowSpan& stretch : columns_.stretches()) {
      for (size_t i = 0; i < stretch.rows; ++i) {
        const size_t at = stretch.first + i;
        const uint64_t pc = columns_.has_pc() ? leads[at] : 0;
        tallies_[0].saw(pc, outcomes_[at]);
        for (size_t w = 1; w < tallies_.size(); ++w) {
          const uint8_t right =
              columns_.values(w - 1).favourite(stretch.number + static_cast<uint32_t>(i));
          tallies_[w].saw(pc, repeat::outcome_of(right, tallies_[w].none()));
        }
      }
    }
  }

  const RecordLayout layout_;
  const int level_;
  ColumnModels<RangeEncoder, LatestRules> columns_;
  uint64_t last_lead_ = 0;
  std::vector<uint64_t> differences_;
  std::vector<LeadOutcome> outcomes_;
  Explanation explanation_;
  std::vector<PredictionTally> tallies_;  // in order; none when nobody asks
};

template <class Rules>
class RowsDecoder final : public RecordDecoder {
 public:
  RowsDecoder(const RecordLayout& layout, int level, unsigned threads)
      : layout_(layout), columns_(layout, level, threads) {}

  Result<void> decode(ByteView bytes, RecordBlock& block) override {
    if (block.rows > kBlockRows) return fail(ErrorKind::corrupt, "a block has too many rows");
    block.columns.resize(layout_.fields.size());
    for (auto& column : block.columns) column.resize(block.rows);
    ByteReader in(bytes);
    if (block.rows == 0) {
      if (in.remaining() != 0) return fail(ErrorKind::corrupt, "a block has bytes but no rows");
      return {};
    }
    const uint8_t mode = in.u8();
    if (in.failed() || mode > (columns_.has_pc() ? 0 : 1))
      return fail(ErrorKind::corrupt, "a block is coded in no known way");
    std::vector<RangeDecoder> coders;
    std::vector<std::span<uint64_t>> columns;
    for (const size_t field : columns_.order()) {
      coders.emplace_back(in.bytes(in.varint()));
      columns.emplace_back(block.columns[field]);
    }
    if (in.failed()) return fail(ErrorKind::corrupt, "a block ends in the middle of a column");
    if (in.remaining() != 0) return fail(ErrorKind::corrupt, "a block has bytes left over");
    columns_.run(coders, columns, mode == 0, nullptr);
    for (const RangeDecoder& coder : coders)
      if (coder.overran()) return fail(ErrorKind::corrupt, "a column ends before its last value");
    if (!all_fit(block)) return fail(ErrorKind::corrupt, "a value is wider than its field");
    std::vector<uint64_t>& lead = block.columns[columns_.lead_field()];
    if (mode == 1) {
      const unsigned width = layout_.fields[columns_.lead_field()].width;
      for (uint64_t& value : lead)
        value = last_lead_ = repeat::undo_difference(value, last_lead_, width);
    }
    last_lead_ = lead.back();
    return {};
  }

 private:
  bool all_fit(const RecordBlock& block) const {
    for (size_t f = 0; f < block.columns.size(); ++f) {
      uint64_t all = 0;
      for (const uint64_t value : block.columns[f]) all |= value;
      if ((all & ~repeat::mask_of(layout_.fields[f].width)) != 0) return false;
    }
    return true;
  }

  const RecordLayout layout_;
  ColumnModels<RangeDecoder, Rules> columns_;
  uint64_t last_lead_ = 0;
};

}  // namespace

std::unique_ptr<RecordEncoder> make_rows_encoder(const RecordLayout& layout,
                                                 const RecordCodecOptions& options) {
  return std::make_unique<RowsEncoder>(layout, options);
}

Result<std::unique_ptr<RecordDecoder>> make_rows_decoder(const RecordLayout& layout,
                                                         ByteView parameters, unsigned threads) {
  const bool told = parameters.size() == 2;
  if ((parameters.size() != 1 && !told) || !is_level(parameters[0]))
    return fail(ErrorKind::corrupt, "parameters that none of these levels has");
  const int level = parameters[0];
  if (!told) return std::make_unique<RowsDecoder<FirstRules>>(layout, level, threads);
  if (parameters[1] == kSecondRules)
    return std::make_unique<RowsDecoder<SecondRules>>(layout, level, threads);
  if (parameters[1] == kThirdRules)
    return std::make_unique<RowsDecoder<ThirdRules>>(layout, level, threads);
  return fail(ErrorKind::corrupt, "parameters that none of these levels has");
}

}  // namespace vestige::mix
