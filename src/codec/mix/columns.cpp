#include "codec/mix/columns.h"

#include <latch>
#include <string>

#include "base/worker_pool.h"
#include "codec/mix/data_model.h"
#include "codec/mix/range_coder.h"
#include "codec/mix/sequence_model.h"

namespace vestige::mix {
namespace {

constexpr size_t kBlockRows = 256 * 1024;
enum Way : uint8_t { kModelled = 0, kAsLast = 1 };

struct Sizes {
  SequenceSizes sequence;
  DataSizes data;
};
Sizes sizes_of(int level) {
  if (level <= 4) return {{15, 14, 13}, {14, 14, 14, 14}};
  if (level == 5) return {{16, 15, 14}, {15, 15, 14, 15}};
  return {{18, 17, 16}, {18, 18, 16, 17}};
}

uint64_t mask_of(const RecordField& field) {
  return field.width >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * field.width)) - 1;
}

// One column's model, whichever of three it is.
template <class Coder>
class Column {
 public:
  Column(const RecordLayout& layout, size_t index, int level) {
    const RecordField& field = layout.fields[index];
    const Sizes sizes = sizes_of(level);
    if (field.is_pc)
      pcs_ = std::make_unique<SequenceModel<Coder, false>>(sizes.sequence, mask_of(field));
    else if (layout.fields.size() == 1)
      stream_ = std::make_unique<SequenceModel<Coder, true>>(sizes.sequence, mask_of(field));
    else
      data_ = std::make_unique<DataModel<Coder>>(sizes.data, mask_of(field));
  }
  void explain(FieldExplanation& field) {
    witness_.emplace(field, pcs_      ? pcs_->predictor_names()
                            : stream_ ? stream_->predictor_names()
                                      : data_->predictor_names());
  }
  void run(Coder& coder, std::span<const uint64_t> pcs, ColumnOf<Coder> values,
           std::span<const uint64_t> left) {
    Witness* witness = witness_ ? &*witness_ : nullptr;
    if (pcs_)
      pcs_->run(coder, values, witness);
    else if (stream_)
      stream_->run(coder, values, witness);
    else
      data_->run(coder, pcs, values, left, witness);
  }
  Bytes encode(std::span<const uint64_t> pcs, std::span<const uint64_t> values,
               std::span<const uint64_t> left) {
    Bytes out;
    if (data_ && !witness_ && data_->all_as_last(pcs, values)) {
      out.push_back(kAsLast);
      return out;
    }
    Coder coder;
    run(coder, pcs, values, left);
    const Bytes bits = coder.finish();
    out.reserve(1 + bits.size());
    out.push_back(kModelled);
    out.insert(out.end(), bits.begin(), bits.end());
    return out;
  }
  Result<void> decode(ByteView payload, std::span<const uint64_t> pcs, std::span<uint64_t> values,
                      std::span<const uint64_t> left) {
    if (payload.empty()) return fail(ErrorKind::corrupt, "a column without bytes");
    if (payload[0] == kAsLast && data_ && payload.size() == 1) {
      data_->fill_as_last(pcs, values);
      return {};
    }
    if (payload[0] != kModelled) return fail(ErrorKind::corrupt, "a column coded in no known way");
    Coder coder(payload.subspan(1));
    run(coder, pcs, values, left);
    if (coder.overran()) return fail(ErrorKind::corrupt, "a column ends before its last value");
    return {};
  }

 private:
  std::unique_ptr<SequenceModel<Coder, false>> pcs_;
  std::unique_ptr<SequenceModel<Coder, true>> stream_;  // a single column without PCs
  std::unique_ptr<DataModel<Coder>> data_;
  std::optional<Witness> witness_;
};

// The PC's column first: the others are decoded with its help.
std::vector<size_t> column_order(const RecordLayout& layout) {
  std::vector<size_t> order;
  const auto pc = layout.pc_field();
  if (pc) order.push_back(*pc);
  for (size_t i = 0; i < layout.fields.size(); ++i) {
    if (i != pc) order.push_back(i);
  }
  return order;
}

// For each column of the order, the one whose values of the same rows it may look at: the data
// column before it.
std::optional<size_t> left_of(const RecordLayout& layout, std::span<const size_t> order,
                              size_t at) {
  if (at == 0 || layout.fields[order[at - 1]].is_pc) return std::nullopt;
  return order[at - 1];
}

class ColumnEncoder final : public RecordEncoder {
 public:
  ColumnEncoder(const RecordLayout& layout, const RecordCodecOptions& options)
      : layout_(layout), order_(column_order(layout)), level_(options.level) {
    for (const size_t index : order_) columns_.emplace_back(layout_, index, options.level);
    if (options.explain) {
      explanation_.emplace(order_.size());
      for (size_t i = 0; i < order_.size(); ++i) {
        (*explanation_)[i].field = layout_.fields[order_[i]].name;
        columns_[i].explain((*explanation_)[i]);
      }
    } else if (options.threads > 1 && order_.size() > 1) {
      pool_.emplace(
          static_cast<unsigned>(std::min<size_t>(options.threads - 1, order_.size() - 1)));
    }
  }

  Bytes encode(const RecordBlock& block) override {
    const auto pc = layout_.pc_field();
    if (!pc) zeros_.assign(block.rows, 0);
    const std::span<const uint64_t> pcs = pc ? block.columns[*pc] : zeros_;
    std::vector<Bytes> payloads(order_.size());
    const auto work = [&](size_t i) {
      const auto left = left_of(layout_, order_, i);
      payloads[i] = columns_[i].encode(
          pcs, block.columns[order_[i]],
          left ? std::span<const uint64_t>(block.columns[*left]) : std::span<const uint64_t>());
    };
    if (pool_) {
      std::latch done(static_cast<std::ptrdiff_t>(order_.size() - 1));
      for (size_t i = 1; i < order_.size(); ++i) {
        pool_->submit([&, i] {
          work(i);
          done.count_down();
        });
      }
      work(0);
      done.wait();
    } else {
      for (size_t i = 0; i < order_.size(); ++i) work(i);
    }
    ByteWriter out;
    for (size_t i = 0; i < payloads.size(); ++i) {
      out.varint(payloads[i].size());
      out.bytes(payloads[i]);
      if (explanation_) (*explanation_)[i].bytes += payloads[i].size();
    }
    return out.take();
  }
  Bytes parameters() const override { return {static_cast<uint8_t>(level_)}; }
  size_t block_rows() const override { return kBlockRows; }
  const Explanation* explanation() const override {
    return explanation_ ? &*explanation_ : nullptr;
  }

 private:
  RecordLayout layout_;
  std::vector<size_t> order_;
  int level_;
  std::vector<Column<RangeEncoder>> columns_;  // in the order
  std::optional<Explanation> explanation_;
  std::optional<WorkerPool> pool_;
  std::vector<uint64_t> zeros_;  // PCs of a layout that has none
};

class ColumnDecoder final : public RecordDecoder {
 public:
  ColumnDecoder(const RecordLayout& layout, int level)
      : layout_(layout), order_(column_order(layout)) {
    for (const size_t index : order_) columns_.emplace_back(layout_, index, level);
  }

  Result<void> decode(ByteView bytes, RecordBlock& block) override {
    if (block.rows > kBlockRows) return fail(ErrorKind::corrupt, "a block has too many rows");
    const auto pc = layout_.pc_field();
    if (!pc) zeros_.assign(block.rows, 0);
    block.columns.resize(layout_.fields.size());
    for (auto& column : block.columns) column.resize(block.rows);
    ByteReader in(bytes);
    for (size_t i = 0; i < order_.size(); ++i) {
      const ByteView payload = in.bytes(in.varint());
      if (in.failed()) return fail(ErrorKind::corrupt, "a block ends in the middle of a column");
      const auto left = left_of(layout_, order_, i);
      const auto decoded = columns_[i].decode(
          payload, pc ? std::span<const uint64_t>(block.columns[*pc]) : zeros_,
          block.columns[order_[i]],
          left ? std::span<const uint64_t>(block.columns[*left]) : std::span<const uint64_t>());
      if (!decoded) return decoded;
    }
    if (in.remaining() != 0) return fail(ErrorKind::corrupt, "a block has bytes left over");
    return {};
  }

 private:
  RecordLayout layout_;
  std::vector<size_t> order_;
  std::vector<Column<RangeDecoder>> columns_;  // in the order
  std::vector<uint64_t> zeros_;
};

}  // namespace

std::unique_ptr<RecordEncoder> make_column_encoder(const RecordLayout& layout,
                                                   const RecordCodecOptions& options) {
  return std::make_unique<ColumnEncoder>(layout, options);
}

Result<std::unique_ptr<RecordDecoder>> make_column_decoder(const RecordLayout& layout,
                                                           ByteView parameters) {
  if (parameters.size() != 1)
    return fail(ErrorKind::corrupt, "the codec's parameters have a wrong length");
  return std::make_unique<ColumnDecoder>(layout, parameters[0]);
}

}  // namespace vestige::mix
