// Rows of numbers that move on in the same way, added to a stream at once.
//
// A row is what a loop around adds to the stream in one iteration, or in a few. It is known of
// those to come that each of their numbers moves by the step it moved by from the row before the
// last to the last one, and so does where it comes up: as many iterations further. What folding
// does depends on differences alone; so once the stream is like it was a row before, but for what
// moves with the rows, it is so behind each of them. There are three ways to be like that:
//
//   explained  the last two rows changed nothing: the stretch explains their numbers, so it does
//              explain those that follow;
//   moved      a section is a loop that went round once more, or oftener; the last two rows are in it,
//              what is behind it and the open stretch, and all of that moves by one step from
//              row to row. Loops fold when they go round equally often, so there must be none
//              that goes round as often, or oftener;
//   literal    the last two rows have the same differences.
#include <algorithm>

#include "spmd/stream.h"

namespace vestige::spmd {

namespace {

bool same_sections(const std::vector<StretchSection>& a, const std::vector<StretchSection>& b) {
  return std::ranges::equal(a, b, [](const StretchSection& one, const StretchSection& other) {
    return one.count == other.count && one.event == other.event &&
           same_sections(one.body, other.body);
  });
}

// Whether the loop may come to go round as often as another one here, or further in.
bool may_meet(const StretchSection& loop, std::span<const StretchSection> sections) {
  return std::ranges::any_of(sections, [&](const StretchSection& other) {
    if (other.is_event()) return false;
    return (other.body.size() == loop.body.size() && other.count >= loop.count) ||
           may_meet(loop, other.body);
  });
}

// How far the numbers of a row move, and where they come up.
struct RowMove {
  uint64_t step = 0;
  size_t coordinate = 0;
  uint64_t iterations = 0;
  // What is left of it for the constant of a stretch.
  uint64_t of_constant(const Stretch& stretch) const {
    return step - iterations * stretch.slopes[coordinate];
  }
};

// Whether each event of a loop's body goes this way in so many rounds of it; `level` loops are in
// between.
bool all_move(const std::vector<StretchSection>& body, size_t level, uint64_t rounds,
              const RowMove& way) {
  return std::ranges::all_of(body, [&](const StretchSection& section) {
    if (!section.is_event()) return all_move(section.body, level + 1, rounds, way);
    const Stretch& stretch = section.event;
    return stretch.strides.size() > level && way.coordinate < stretch.slopes.size() &&
           stretch.strides[level][0] == 0 &&
           rounds * stretch.strides[level][1] == way.of_constant(stretch);
  });
}

// Whether these are the same sections, all of them so much further.
bool have_moved(std::span<const StretchSection> before, std::span<const StretchSection> now,
                const RowMove& way) {
  return std::ranges::equal(before, now, [&](const StretchSection& a, const StretchSection& b) {
    if (a.count != b.count || a.is_event() != b.is_event()) return false;
    if (!a.is_event()) return have_moved(a.body, b.body, way);
    if (way.coordinate >= a.event.slopes.size()) return false;
    Stretch moved = a.event;
    moved.constant += way.of_constant(moved);
    return moved == b.event;
  });
}

}  // namespace

// The loop that went round is the first section that changed.
bool StreamFolder::is_moved_on(RowMark& mark, size_t coordinate, uint64_t iterations) const {
  if (!list_ || mark.literal || count_ != mark.count || axes_.size() != mark.axes.size() ||
      coordinate >= axes_.size())
    return false;
  for (size_t l = 0; l < axes_.size(); ++l) {
    Axis before = mark.axes[l];
    if (l == coordinate) before.first += iterations;
    if (axes_[l] != before) return false;
  }
  const auto& sections = list_->sections();
  if (sections.size() != mark.sections) return false;
  const std::span<const StretchSection> before = mark.tail,
                                        now = std::span(sections).last(before.size());
  const auto same_section = [](const StretchSection& a, const StretchSection& b) {
    return a.count == b.count && a.event == b.event && same_sections(a.body, b.body);
  };
  const auto at =
      static_cast<size_t>(std::ranges::mismatch(before, now, same_section).in1 - before.begin());
  if (at == before.size() || now[at].is_event()) return false;
  const std::vector<StretchSection>& body = now[at].body;
  const uint64_t rounds = now[at].count - before[at].count;
  const RowMove way{value_ - mark.value, coordinate, iterations};
  // Two rows are in it at least.
  if (rounds == 0 || now[at].count < before[at].count || now[at].count < 3 * rounds ||
      !same_sections(before[at].body, body))
    return false;
  mark.loop = sections.size() - before.size() + at;
  mark.rounds = rounds;
  return have_moved(before.subspan(at + 1), now.subspan(at + 1), way) &&
         all_move(body, 0, rounds, way) && !may_meet(now[at], body) &&
         !may_meet(now[at], now.first(at)) && !may_meet(now[at], now.subspan(at + 1));
}

bool StreamFolder::end_row(RowMark& mark, size_t coordinate, uint64_t iterations) {
  bool same = false;
  const size_t bytes = block_.buffer().size();
  mark.more_numbers = entries_ + count_ - mark.numbers;
  mark.numbers = entries_ + count_;
  mark.quiet = changes_ == mark.changes ? mark.quiet + 1 : 0;
  if (mark.quiet != 0) {
    mark.kind = RowMark::Kind::explained;
    mark.row_bytes = 0;
    same = mark.quiet >= 2 || count_ == mark.count;
  } else if (literal_) {
    mark.kind = RowMark::Kind::literal;
    const uint64_t row = bytes - mark.bytes;
    same =
        mark.literal && literals_.size() == mark.blocks && row == mark.row_bytes &&
        row <= mark.bytes &&
        std::equal(block_.buffer().end() - static_cast<std::ptrdiff_t>(row), block_.buffer().end(),
                   block_.buffer().end() - static_cast<std::ptrdiff_t>(2 * row));
    mark.row_bytes = mark.literal && literals_.size() == mark.blocks ? row : 0;
  } else {
    mark.kind = RowMark::Kind::moved;
    same = is_moved_on(mark, coordinate, iterations);
  }
  mark.more = count_ - mark.count;
  mark.more_entries = entries_ - mark.entries;
  mark.value_step = value_ - mark.value;
  mark.blocks = literals_.size();
  mark.bytes = bytes;
  mark.literal = literal_;
  mark.count = count_;
  mark.value = value_;
  mark.entries = entries_;
  if (mark.quiet != 0) return same;
  mark.changes = changes_;
  mark.axes = axes_;
  mark.tail.clear();
  mark.sections = list_ ? list_->sections().size() : 0;
  if (list_ && !literal_)
    mark.tail.assign(
        list_->sections().end() - static_cast<std::ptrdiff_t>(std::min(mark.sections, window_)),
        list_->sections().end());
  return same;
}

void StreamFolder::add_rows(const RowMark& mark, size_t coordinate, uint64_t iterations,
                            uint64_t rows) {
  if (early_on_) keep_early_rows(mark.more_numbers, rows);
  switch (mark.kind) {
    case RowMark::Kind::explained:
      count_ += rows * mark.more;
      break;
    case RowMark::Kind::moved: {
      const RowMove way{rows * mark.value_step, coordinate, rows * iterations};
      list_->repeat(mark.loop, rows * mark.rounds,
                    [&](Stretch& stretch) { stretch.constant += way.of_constant(stretch); });
      entries_ += rows * mark.more_entries;
      value_ += way.step;
      axes_[coordinate].first += way.iterations;
      epoch_ = UINT64_MAX;  // base_ is that of another place
      break;
    }
    case RowMark::Kind::literal:
      add_literal_rows(mark.row_bytes, rows);
      break;
  }
}

// Each number of a row moves on by what it moved by from the row before it.
void StreamFolder::keep_early_rows(uint64_t numbers, uint64_t rows) {
  if (numbers == 0) return;
  if (numbers > kMostEarly || rows > kMostEarly || 2 * numbers > early_count_ ||
      early_count_ + rows * numbers > kMostEarly)
    return forget_early();
  const std::vector<uint64_t> all = early();
  const std::span last = std::span(all).last(numbers),
                  before = std::span(all).last(2 * numbers).first(numbers);
  for (uint64_t row = 1; row <= rows && early_on_; ++row)
    for (size_t i = 0; i < numbers && early_on_; ++i)
      keep_early(last[i] + row * (last[i] - before[i]));
}

// The last so many bytes again and again. Where a block ends, its numbers are taken one by one.
void StreamFolder::add_literal_rows(uint64_t bytes, uint64_t rows) {
  const Bytes row(block_.buffer().end() - static_cast<std::ptrdiff_t>(bytes),
                  block_.buffer().end());
  std::vector<int64_t> differences;
  uint64_t step = 0;
  for (ByteReader in(row); in.remaining() != 0;) {
    differences.push_back(in.svarint());
    step += static_cast<uint64_t>(differences.back());
  }
  const uint64_t fit = std::min(rows, (kLiteralBlock - in_block_) / differences.size() + 1);
  block_.buffer().reserve(block_.size() + fit * bytes);
  for (; rows != 0; --rows) {
    if (in_block_ + differences.size() < kLiteralBlock) {
      block_.bytes(row);
      in_block_ += differences.size();
      last_literal_ += step;
      continue;
    }
    uint64_t value = last_literal_;
    for (const int64_t difference : differences)
      add_literal(value += static_cast<uint64_t>(difference));
  }
}

}  // namespace vestige::spmd
