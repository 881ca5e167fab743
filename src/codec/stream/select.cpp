#include "codec/stream/select.h"

#include <algorithm>
#include <vector>

namespace vestige {

namespace {

using Values = std::span<const uint64_t>;

constexpr size_t kFinalists = 3;

struct CodecCandidate {
  StreamCodec codec;
  double cost = 0;
};

bool decodes_by_block(StreamCodec codec) {
  return codec == StreamCodec::packed || codec == StreamCodec::checkpoint;
}

double cost_of(StreamCodec codec, Values values, StreamGoal goal) {
  const auto encoder = make_stream_encoder(codec);
  encoder->append(values);
  const auto size = static_cast<double>(encoder->finish().size());
  if (goal != StreamGoal::random_access) return size;
  // An eighth of a bit a value on top, or next to nothing would still win against twice that.
  const double cushioned = size + static_cast<double>(values.size()) / 64;
  return codec == StreamCodec::checkpoint ? cushioned : cushioned * 1.25;
}

// The first of the candidates, which stand in the order of their speed, that is as good as the
// best.
StreamCodec winner(const std::vector<CodecCandidate>& candidates) {
  const double best = std::ranges::min(candidates, {}, &CodecCandidate::cost).cost;
  return std::ranges::find_if(candidates,
                              [&](const CodecCandidate& each) { return each.cost <= best * 1.02; })
      ->codec;
}

}  // namespace

StreamCodec select_stream_codec(Values prefix, StreamGoal goal) {
  std::vector<CodecCandidate> candidates;
  for (const StreamCodec codec : stream_codecs())
    if (goal != StreamGoal::speed || decodes_by_block(codec)) candidates.push_back({codec});
  const Values first = prefix.first(std::min(prefix.size(), kSelectionSample));
  const Values middle = prefix.size() < 2 * kSelectionSample
                            ? Values()
                            : prefix.subspan(prefix.size() / 2, kSelectionSample);
  for (CodecCandidate& each : candidates) {
    each.cost = cost_of(each.codec, first, goal);
    if (!middle.empty()) each.cost += cost_of(each.codec, middle, goal);
  }
  if (middle.empty() || candidates.size() <= kFinalists) return winner(candidates);

  std::vector<double> costs;
  for (const CodecCandidate& each : candidates) costs.push_back(each.cost);
  std::ranges::nth_element(costs, costs.begin() + kFinalists - 1);
  std::erase_if(candidates, [&](const CodecCandidate& each) {
    return each.cost > costs[kFinalists - 1] && each.codec != StreamCodec::sequitur;
  });
  for (CodecCandidate& each : candidates)
    each.cost = cost_of(each.codec, prefix.first(std::min(prefix.size(), kSelectionFinal)), goal);
  return winner(candidates);
}

}  // namespace vestige
