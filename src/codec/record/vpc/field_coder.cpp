#include "codec/record/vpc/field_coder.h"

#include <bit>

#include "codec/entropy/adaptive_huffman.h"
#include "codec/record/vpc/predictor_set.h"

namespace vestige::vpc {

namespace {

// The frequencies that the codes start with: the predictions', then those of "none" and "outside".
std::vector<uint32_t> biases(const FieldPlan& plan, bool outside) {
  std::vector<uint32_t> out;
  for (const PredictorSpec& spec : plan.predictors)
    for (unsigned nth = 0; nth < spec.kind->predictions(spec); ++nth)
      out.push_back(spec.kind->bias(spec, nth));
  out.insert(out.end(), outside ? 2 : 1, 1);
  return out;
}

// 0 where it excludes no value.
uint64_t effective_range(const FieldPlan& plan, uint64_t range) {
  const bool excludes =
      plan.role == FieldRole::pc && range > 0 && range - 1 < low_bits(8u * plan.width);
  return excludes ? range : 0;
}

template <class Set>
class SetFieldCoder final : public FieldCoder {
 public:
  SetFieldCoder(const FieldPlan& plan, uint64_t range)
      : is_pc_(plan.role == FieldRole::pc),
        width_bits_(8u * plan.width),
        range_(effective_range(plan, range)),
        range_bits_(range_ > 0 ? static_cast<unsigned>(std::bit_width(range_ - 1)) : width_bits_),
        set_(plan),
        codes_(biases(plan, range_ > 0)),
        lengths_(std::vector<uint32_t>(width_bits_, 1)) {}

  void open(uint32_t line) override { set_.locate(line); }
  void update(uint64_t value) override { set_.update(value); }
  size_t table_bytes() const override { return set_.table_bytes(); }

  unsigned encode(uint64_t value, BitWriter& out) override {
    const unsigned right = right_prediction(value);
    const bool escaped = right == none() && range_ > 0 && value >= range_;
    put(codes_, escaped ? outside() : right, out);
    if (right != none()) return right;
    if (escaped)
      out.put(value, width_bits_);
    else if (is_pc_)
      out.put(value, range_bits_);
    else
      encode_difference(value, out);
    return right;
  }

  bool decode(uint64_t& value, BitReader& in) override {
    const unsigned symbol = get(codes_, in);
    if (symbol < none())
      value = set_.prediction(symbol);
    else if (symbol == outside())
      value = in.get(width_bits_);
    else if (is_pc_)
      value = in.get(range_bits_);
    else
      return decode_difference(value, in);
    return true;
  }

 private:
  unsigned none() const { return set_.predictions(); }
  unsigned outside() const { return none() + 1; }

  // The one with the shortest code, or none().
  unsigned right_prediction(uint64_t value) {
    // Mostly it is the first one tried: then the others need not even be fetched from memory yet.
    const unsigned favourite = codes_.most_frequent();
    if (favourite < none() && set_.prediction(favourite) == value) return favourite;
    set_.predict(predictions_);
    return codes_.first(
        none(), [&](unsigned symbol) { return symbol < none() && predictions_[symbol] == value; });
  }

  static void put(AdaptiveHuffman& codes, unsigned symbol, BitWriter& out) {
    codes.put(symbol, out);
    codes.count(symbol);
  }
  static unsigned get(AdaptiveHuffman& codes, BitReader& in) {
    const unsigned symbol = codes.get(in);
    codes.count(symbol);
    return symbol;
  }

  void encode_difference(uint64_t value, BitWriter& out) {
    unsigned nearest = 0;
    uint64_t magnitude = ~uint64_t{0};
    bool negative = false;
    codes_.each([&](unsigned symbol) {
      if (symbol >= none()) return;
      const uint64_t up = (value - predictions_[symbol]) & set_.mask();
      const uint64_t down = (predictions_[symbol] - value) & set_.mask();
      if (std::min(up, down) >= magnitude) return;
      nearest = symbol;
      negative = down < up;
      magnitude = std::min(up, down);
    });
    const auto length = static_cast<unsigned>(std::bit_width(magnitude));
    put(codes_, nearest, out);
    put(lengths_, length - 1, out);
    out.put(negative, 1);
    out.put(magnitude, length - 1);
  }

  bool decode_difference(uint64_t& value, BitReader& in) {
    const unsigned nearest = get(codes_, in);
    if (nearest >= none()) return false;
    const unsigned below = get(lengths_, in);
    const bool negative = in.get(1) != 0;
    const uint64_t magnitude = in.get(below) | uint64_t{1} << below;
    value = (set_.prediction(nearest) + (negative ? 0 - magnitude : magnitude)) & set_.mask();
    return true;
  }

  bool is_pc_;
  unsigned width_bits_;
  uint64_t range_;
  unsigned range_bits_;
  Set set_;
  AdaptiveHuffman codes_;                        // the predictions, none(), outside()
  AdaptiveHuffman lengths_;                      // of a difference, less one
  uint64_t predictions_[kMostPredictions] = {};  // of a row that the favourite misses
};

}  // namespace

std::unique_ptr<FieldCoder> make_field_coder(const FieldPlan& plan, uint64_t range) {
  if (plan.predictors == paper_pc_predictors())
    return std::make_unique<SetFieldCoder<PaperPcSet>>(plan, range);
  if (plan.predictors == paper_data_predictors())
    return std::make_unique<SetFieldCoder<PaperDataSet>>(plan, range);
  return std::make_unique<SetFieldCoder<ListedPredictorSet>>(plan, range);
}

}  // namespace vestige::vpc
