// The decoder of vpc.h.
#include <optional>

#include "codec/record/vpc/field_coder.h"
#include "codec/record/vpc/pc_lines.h"
#include "codec/record/vpc/vpc.h"
#include "codec/record/vpc/zstd_stage.h"

namespace vestige {

namespace vpc {
namespace {

// What a value takes at most: two codes of predictors and one of a length, each of fewer than 64
// bits, sign and magnitude.
constexpr size_t kMostValueBytes = 32;

class VpcDecoder final : public RecordDecoder {
 public:
  VpcDecoder(const RecordLayout& layout, const VpcPlan& plan, bool second_stage, VpcPcs pcs)
      : pc_field_(layout.pc_field()), told_(pcs == VpcPcs::told) {
    for (const FieldPlan& field : plan.fields)
      coders_.push_back(told_ && field.role == FieldRole::pc ? nullptr
                                                             : make_field_coder(field, plan.range));
    if (second_stage) zstd_.emplace();
  }

  Result<void> decode(ByteView bytes, RecordBlock& block) override {
    if (block.rows > kVpcBlockRows)
      return fail(ErrorKind::corrupt, "a vpc block of " + std::to_string(block.rows) + " rows");
    if (zstd_ &&
        !zstd_->decompress(bytes, block.rows * coded_fields() * kMostValueBytes, unpacked_))
      return fail(ErrorKind::corrupt, "a vpc2 block that zstd cannot read");
    const ByteView bits = zstd_ ? ByteView(unpacked_) : bytes;
    // Every value takes a bit at least.
    if (block.rows * coded_fields() > bits.size() * 8)
      return fail(ErrorKind::corrupt, "a vpc block of " + std::to_string(bits.size()) +
                                          " bytes for " + std::to_string(block.rows) + " rows");
    block.columns.resize(coders_.size());
    for (auto& column : block.columns) column.resize(block.rows);
    BitReader in(bits);
    for (auto& coder : coders_)
      if (coder != nullptr) coder->open(0);
    for (size_t row = 0; row < block.rows; ++row)
      if (!decode_row(block, row, in) || in.overrun())
        return fail(ErrorKind::corrupt,
                    "a vpc block is damaged before its row " + std::to_string(row + 1));
    if (!in.finish()) return fail(ErrorKind::corrupt, "a vpc block holds more than its rows");
    return {};
  }

 private:
  size_t coded_fields() const { return coders_.size() - (told_ && pc_field_ ? 1 : 0); }
  void open_others(uint64_t pc) {
    const uint32_t line = lines_.line(pc);
    for (size_t field = 0; field < coders_.size(); ++field)
      if (field != pc_field_) coders_[field]->open(line);
  }
  bool decode_row(RecordBlock& block, size_t row, BitReader& in) {
    if (told_ && pc_field_) {
      open_others(block.columns[*pc_field_][row]);
    } else if (pc_field_) {
      FieldCoder& coder = *coders_[*pc_field_];
      uint64_t& pc = block.columns[*pc_field_][row];
      if (!coder.decode(pc, in)) return false;
      // The other fields' tables are fetched while the PC's are updated.
      open_others(pc);
      coder.update(pc);
      coder.open(0);
    }
    for (size_t field = 0; field < coders_.size(); ++field) {
      if (field == pc_field_) continue;
      uint64_t& value = block.columns[field][row];
      if (!coders_[field]->decode(value, in)) return false;
      coders_[field]->update(value);
      if (!pc_field_) coders_[field]->open(0);
    }
    return true;
  }

  std::optional<size_t> pc_field_;
  const bool told_;                                  // the PC field, which has no coder then
  std::vector<std::unique_ptr<FieldCoder>> coders_;  // by field
  PcLines lines_;
  std::optional<ZstdDecompressor> zstd_;
  Bytes unpacked_;
};

}  // namespace
}  // namespace vpc

Result<std::unique_ptr<RecordDecoder>> make_vpc_decoder(const RecordLayout& layout,
                                                        ByteView parameters, bool second_stage,
                                                        VpcPcs pcs) {
  auto plan = vpc::read_plan(layout, parameters);
  if (!plan) return std::unexpected(plan.error());
  return std::make_unique<vpc::VpcDecoder>(layout, *plan, second_stage, pcs);
}

}  // namespace vestige
