// Takes a block apart and decodes its columns, one after the other or row by row.
#include "codec/record/vestige/strong/coder.h"
#include "codec/record/vestige/strong/columns.h"
#include "codec/record/vestige/strong/strong.h"

namespace vestige {
namespace {

using namespace strong;

template <int kLevel>
class StrongDecoder final : public RecordDecoder {
 public:
  explicit StrongDecoder(const RecordLayout& layout) : columns_(layout) {}

  Result<void> decode(ByteView bytes, RecordBlock& block) override {
    if (block.rows > kBlockRows) return fail(ErrorKind::corrupt, "a block has too many rows");
    ByteReader in(bytes);
    const uint8_t order = in.u8();
    std::vector<FineDecoder> coders;
    for (size_t i = 0; i < columns_.size(); ++i) coders.emplace_back(in.bytes(in.varint()));
    if (in.failed()) return fail(ErrorKind::corrupt, "a block ends in the middle of a column");
    if (in.remaining() != 0) return fail(ErrorKind::corrupt, "a block has bytes left over");
    if (order > (columns_.is_pc_and_one() ? 1 : 0))
      return fail(ErrorKind::corrupt, "a block is coded in no known order");

    block.columns.resize(columns_.size());
    for (auto& column : block.columns) column.resize(block.rows);
    if (ColumnOrder{order} == ColumnOrder::rows) {
      columns_.code_rows(coders[0], coders[1], block.columns[columns_.field(0)],
                         block.columns[columns_.field(1)]);
    } else {
      const auto pc = columns_.pc_field();
      if (!pc) zeros_.assign(block.rows, 0);
      const std::span<const uint64_t> pcs = pc ? block.columns[*pc] : zeros_;
      for (size_t i = 0; i < columns_.size(); ++i)
        columns_.code(coders[i], i, ColumnOrder::columns, pcs, block,
                      std::span(block.columns[columns_.field(i)]), nullptr);
    }
    for (const FineDecoder& coder : coders)
      if (coder.overran()) return fail(ErrorKind::corrupt, "a column ends before its last value");
    return {};
  }

 private:
  Columns<kLevel> columns_;
  std::vector<uint64_t> zeros_;  // PCs of a layout that has none
};

}  // namespace

Result<std::unique_ptr<RecordDecoder>> make_strong_decoder(const RecordLayout& layout,
                                                           ByteView parameters) {
  if (parameters.size() == 1) {
    if (parameters[0] == 7) return std::make_unique<StrongDecoder<7>>(layout);
    if (parameters[0] == 8) return std::make_unique<StrongDecoder<8>>(layout);
    if (parameters[0] == 9) return std::make_unique<StrongDecoder<9>>(layout);
  }
  return fail(ErrorKind::corrupt, "the parameters are not those of a strong level");
}

}  // namespace vestige
