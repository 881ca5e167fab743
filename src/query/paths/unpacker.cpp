#include "query/paths/unpacker.h"

namespace vestige {

using namespace sequitur;

void Unpacker::read(std::vector<uint32_t>& out) {
  out.clear();
  while (!frames_.empty() && out.size() < kBlock) {
    Frame& frame = frames_.back();
    if (frame.place == frame.end) {
      frames_.pop_back();
      continue;
    }
    const Symbol s = grammar_.symbols[frame.place];
    if (is_terminal(s)) {
      out.push_back(s);
      ++frame.place;
      continue;
    }
    if (is_rule(s)) {
      ++frame.place;
      const uint32_t rule = rule_of(s);
      frames_.push_back({grammar_.begin(rule), grammar_.ends[rule], 0});
      continue;
    }
    const Run run = grammar_.run(frame.place);
    if (is_rule(run.symbol)) {
      if (++frame.repetition == run.count) {
        ++frame.place;
        frame.repetition = 0;
      }
      const uint32_t rule = rule_of(run.symbol);
      frames_.push_back({grammar_.begin(rule), grammar_.ends[rule], 0});
      continue;
    }
    const uint64_t some = std::min<uint64_t>(run.count - frame.repetition, kBlock);
    out.insert(out.end(), some, run.symbol);
    frame.repetition += some;
    if (frame.repetition == run.count) {
      ++frame.place;
      frame.repetition = 0;
    }
  }
}

}  // namespace vestige
