// Codes a block's columns, side by side when threads allow, and frames their payloads.
#include <algorithm>
#include <latch>

#include "base/worker_pool.h"
#include "codec/record/vestige/strong/coder.h"
#include "codec/record/vestige/strong/columns.h"
#include "codec/record/vestige/strong/order.h"
#include "codec/record/vestige/strong/strong.h"

namespace vestige {
namespace {

using namespace strong;

template <int kLevel>
class StrongEncoder final : public RecordEncoder {
 public:
  StrongEncoder(const RecordLayout& layout, const RecordCodecOptions& options)
      : layout_(layout), columns_(layout), tallies_(columns_.size()) {
    if (options.explain) {
      explanation_.emplace(columns_.size());
      for (size_t i = 0; i < columns_.size(); ++i) {
        FieldExplanation& field = (*explanation_)[i];
        field.field = layout.fields[columns_.field(i)].name;
        tallies_[i].emplace(field, columns_.predictor_names(i));
      }
    }
    if (options.threads > 1 && columns_.size() > 1)
      pool_.emplace(static_cast<unsigned>(std::min<size_t>(options.threads, columns_.size()) - 1));
  }

  Bytes encode(const RecordBlock& block) override {
    const auto pc = columns_.pc_field();
    if (!pc) zeros_.assign(block.rows, 0);
    const std::span<const uint64_t> pcs = pc ? block.columns[*pc] : zeros_;
    if (!order_) order_ = suited_order(layout_, block);
    std::vector<Bytes> payloads(columns_.size());
    const auto work = [&](size_t i) {
      FineEncoder coder;
      columns_.code(coder, i, *order_, pcs, block,
                    std::span<const uint64_t>(block.columns[columns_.field(i)]),
                    tallies_[i] ? &*tallies_[i] : nullptr);
      payloads[i] = coder.finish();
    };
    if (pool_) {
      std::latch done(static_cast<std::ptrdiff_t>(columns_.size() - 1));
      for (size_t i = 1; i < columns_.size(); ++i) {
        pool_->submit([&, i] {
          work(i);
          done.count_down();
        });
      }
      work(0);
      done.wait();
    } else {
      for (size_t i = 0; i < columns_.size(); ++i) work(i);
    }
    ByteWriter out;
    out.u8(static_cast<uint8_t>(*order_));
    for (size_t i = 0; i < payloads.size(); ++i) {
      out.varint(payloads[i].size());
      out.bytes(payloads[i]);
      if (explanation_) (*explanation_)[i].bytes += payloads[i].size();
    }
    return out.take();
  }
  Bytes parameters() const override { return {kLevel}; }
  size_t block_rows() const override { return kBlockRows; }
  const Explanation* explanation() const override {
    return explanation_ ? &*explanation_ : nullptr;
  }

 private:
  RecordLayout layout_;
  Columns<kLevel> columns_;
  std::optional<ColumnOrder> order_;  // from the first block on
  std::optional<Explanation> explanation_;
  std::vector<std::optional<PredictionTally>> tallies_;
  std::optional<WorkerPool> pool_;
  std::vector<uint64_t> zeros_;  // PCs of a layout that has none
};

}  // namespace

std::unique_ptr<RecordEncoder> make_strong_encoder(const RecordLayout& layout,
                                                   const RecordCodecOptions& options) {
  if (options.level <= 7) return std::make_unique<StrongEncoder<7>>(layout, options);
  if (options.level == 8) return std::make_unique<StrongEncoder<8>>(layout, options);
  return std::make_unique<StrongEncoder<9>>(layout, options);
}

}  // namespace vestige
