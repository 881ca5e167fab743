// The encoder of vpc.h.
#include <optional>

#include "codec/record/vpc/field_coder.h"
#include "codec/record/vpc/pc_lines.h"
#include "codec/record/vpc/predictor_tally.h"
#include "codec/record/vpc/vpc.h"
#include "codec/record/vpc/zstd_stage.h"

namespace vestige {

namespace vpc {
namespace {

class VpcEncoder final : public RecordEncoder {
 public:
  VpcEncoder(const RecordLayout& layout, const VpcPlan& plan, bool second_stage, VpcPcs pcs,
             bool explain)
      : pc_field_(layout.pc_field()), told_(pcs == VpcPcs::told), parameters_(plan.bytes()) {
    for (const FieldPlan& field : plan.fields)
      coders_.push_back(told_ && field.role == FieldRole::pc ? nullptr
                                                             : make_field_coder(field, plan.range));
    if (second_stage) zstd_.emplace();
    if (explain) tally_.emplace(layout, plan);
  }

  size_t block_rows() const override { return kVpcBlockRows; }
  Bytes parameters() const override { return parameters_; }
  const Explanation* explanation() const override {
    return tally_ ? &tally_->explanation() : nullptr;
  }

  Bytes encode(const RecordBlock& block) override {
    if (pc_field_ && !told_) coders_[*pc_field_]->open(0);
    if (block.rows > 0) open_others(block, 0);
    for (size_t row = 0; row < block.rows; ++row) {
      if (pc_field_ && !told_) {
        encode_value(*pc_field_, block, row);
        coders_[*pc_field_]->open(0);
      }
      for (size_t field = 0; field < coders_.size(); ++field)
        if (field != pc_field_) encode_value(field, block, row);
      // The next row's tables are fetched while its PC is coded.
      if (row + 1 < block.rows) open_others(block, row + 1);
    }
    Bytes bytes = bits_.take();
    return zstd_ ? zstd_->compress(bytes) : bytes;
  }

 private:
  // All fields but the PC.
  void open_others(const RecordBlock& block, size_t row) {
    const uint32_t line = pc_field_ ? lines_.line(block.columns[*pc_field_][row]) : 0;
    for (size_t field = 0; field < coders_.size(); ++field)
      if (field != pc_field_) coders_[field]->open(line);
  }

  void encode_value(size_t field, const RecordBlock& block, size_t row) {
    const uint64_t value = block.columns[field][row];
    const uint64_t before = bits_.bits();
    const unsigned right = coders_[field]->encode(value, bits_);
    coders_[field]->update(value);
    if (!tally_) return;
    if (pc_field_)
      tally_->count(field, right, block.columns[*pc_field_][row]);
    else
      tally_->count(field, right);
    // Behind the general compressor the fields cannot be told apart.
    if (!zstd_) tally_->spend(field, bits_.bits() - before);
  }

  std::optional<size_t> pc_field_;
  const bool told_;  // the PC field, which has no coder then
  Bytes parameters_;
  std::vector<std::unique_ptr<FieldCoder>> coders_;  // by field
  PcLines lines_;
  BitWriter bits_;
  std::optional<ZstdCompressor> zstd_;
  std::optional<PredictorTally> tally_;
};

}  // namespace
}  // namespace vpc

Result<std::unique_ptr<RecordEncoder>> make_vpc_encoder(const RecordLayout& layout,
                                                        const RecordCodecOptions& options,
                                                        bool second_stage, VpcPcs pcs) {
  auto plan = vpc::plan_for(layout, options);
  if (!plan) return std::unexpected(plan.error());
  return std::make_unique<vpc::VpcEncoder>(layout, *plan, second_stage, pcs, options.explain);
}

}  // namespace vestige
