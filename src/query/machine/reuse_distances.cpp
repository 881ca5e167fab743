// Reuse distances by a tree of sums over the order of last touches (Olken 1981, with Bennett and
// Kruskal's array in the place of his balanced tree): each line has a mark where it was touched
// last, and the distance is the number of marks behind it. When the array is full, the marks move
// together.
#include <algorithm>
#include <bit>

#include "base/open_map.h"
#include "query/machine/line_span.h"
#include "vestige/cache_model.h"

namespace vestige {

struct ReuseDistances::State {
  static constexpr size_t kFew = 1 << 12;
  unsigned shift = 6;
  NumberMap numbers;
  std::vector<size_t> last;      // by number of the line: its mark, from 1
  std::vector<uint32_t> owners;  // by place: the line whose mark is or was there
  std::vector<uint32_t> sums;    // Fenwick's, from 1
  size_t end = 0;                // the last place taken
  uint64_t cold = 0;
  std::vector<uint64_t> few = std::vector<uint64_t>(kFew);
  std::map<uint64_t, uint64_t> many;
  std::vector<uint64_t> addresses, distances;  // of a run

  void mark(size_t place, uint32_t by) {
    for (; place < sums.size(); place += place & -place) sums[place] += by;
  }
  uint64_t marks_until(size_t place) const {
    uint64_t sum = 0;
    for (; place > 0; place -= place & -place) sum += sums[place];
    return sum;
  }
  void make_room() {
    std::vector<size_t> marks;
    for (size_t place = 1; place <= end; ++place)
      if (last[owners[place]] == place) marks.push_back(place);
    const size_t size = std::max<size_t>(1024, 2 * marks.size() + 2);
    std::vector<uint32_t> moved(size + 1);
    end = 0;
    for (const size_t place : marks) {
      moved[++end] = owners[place];
      last[owners[place]] = end;
    }
    owners = std::move(moved);
    sums.assign(size + 1, 0);
    for (size_t place = 1; place <= end; ++place) ++sums[place];
    for (size_t place = 1; place <= size; ++place)
      if (const size_t above = place + (place & -place); above <= size) sums[above] += sums[place];
  }
  void count(uint64_t distance, uint64_t times) {
    if (distance < kFew)
      few[distance] += times;
    else
      many[distance] += times;
  }
  void touch(uint64_t line, bool keep) {
    if (end + 1 >= sums.size()) make_room();
    const auto next = static_cast<uint32_t>(last.size());
    const uint32_t number = numbers.at(line, next);
    if (number == next) {
      last.push_back(0);
      ++cold;
    } else {
      const uint64_t distance =
          last[number] == end ? 0 : marks_until(end) - marks_until(last[number]);
      count(distance, 1);
      if (keep) distances.push_back(distance);
      if (last[number] == end) return;
      mark(last[number], UINT32_MAX);
    }
    owners[++end] = number;
    last[number] = end;
    mark(end, 1);
  }
  void use(uint64_t address, uint64_t bytes, bool keep = false) {
    const LineSpan span(address, bytes, shift);
    for (uint64_t line = span.first; last.size() <= kMostLines; ++line) {
      touch(line, keep);
      if (line == span.last) return;
    }
  }
};

ReuseDistances::ReuseDistances(uint32_t line) : state_(std::make_unique<State>()) {
  state_->shift = static_cast<unsigned>(std::countr_zero(line));
}
ReuseDistances::ReuseDistances(ReuseDistances&&) noexcept = default;
ReuseDistances& ReuseDistances::operator=(ReuseDistances&&) noexcept = default;
ReuseDistances::~ReuseDistances() = default;

void ReuseDistances::use(const Reference& reference) {
  state_->use(reference.address, reference.bytes);
}

// Iterations that touch the same lines as the one before all have the distances of the first of
// them.
void ReuseDistances::use(const ReferenceRun& run) {
  State& state = *state_;
  state.addresses.clear();
  for (const Reference& reference : run.body) state.addresses.push_back(reference.address);
  const auto iterate = [&](bool keep) {
    state.distances.clear();
    for (size_t i = 0; i < run.body.size(); ++i) {
      state.use(state.addresses[i], run.body[i].bytes, keep);
      state.addresses[i] += run.steps[i];
    }
  };
  for (uint64_t left = run.iterations; left > 0 && !is_full();) {
    const uint64_t same = std::min(same_lines(run, state.addresses, state.shift), left - 1);
    iterate(false);
    --left;
    if (same < 2) continue;
    iterate(true);
    for (const uint64_t distance : state.distances) state.count(distance, same - 1);
    for (size_t i = 0; i < run.body.size(); ++i) state.addresses[i] += run.steps[i] * (same - 1);
    left -= same;
  }
}

bool ReuseDistances::is_full() const { return state_->last.size() > kMostLines; }
uint64_t ReuseDistances::cold() const { return state_->cold; }

std::map<uint64_t, uint64_t> ReuseDistances::histogram() const {
  std::map<uint64_t, uint64_t> out = state_->many;
  for (size_t d = 0; d < State::kFew; ++d)
    if (state_->few[d] != 0) out[d] = state_->few[d];
  return out;
}

}  // namespace vestige
