#include "spmd/stream.h"

#include <algorithm>

#include "base/squeeze.h"
#include "spmd/literal_feed.h"

namespace vestige::spmd {

namespace {
// More in one block by hostile bytes only.
constexpr uint64_t kMostLiterals = uint64_t{1} << 22;
}  // namespace

LiteralBlock pack_literals(std::span<const uint64_t> values, uint64_t base) {
  ByteWriter out;
  uint64_t last = base;
  for (const uint64_t value : values) {
    out.svarint(static_cast<int64_t>(value - last));
    last = value;
  }
  return {values.size(), std::make_shared<const Bytes>(squeeze(out.take(), kLiteralSqueeze))};
}

std::optional<std::vector<uint64_t>> unpack_literals(const LiteralBlock& block, uint64_t base) {
  const auto raw = unsqueeze(*block.bytes, "literal numbers");
  if (!raw || block.count > kMostLiterals) return std::nullopt;
  ByteReader in(*raw);
  std::vector<uint64_t> values;
  uint64_t last = base;
  for (uint64_t i = 0; i < block.count && !in.failed(); ++i) {
    last += static_cast<uint64_t>(in.svarint());
    values.push_back(last);
  }
  if (in.failed() || values.empty()) return std::nullopt;
  return values;
}

void StreamFolder::append_slow(uint64_t value, const Position& position, uint32_t node) {
  if (literal_) {
    ++changes_;
    add_literal(value);
    return;
  }
  const std::vector<uint64_t>& at = position.coordinates(node);
  if (early_on_) keep_early(value);
  if (count_ != 0 && goes_on(value, at)) {
    ++count_;
    epoch_ = position[node].epoch;
    return;
  }
  ++changes_;
  if (count_ == 0 || (!continues(value, at) && !passes_for(value, at))) {
    end_stretch();
    if (is_irregular()) {
      epoch_ = 0;
      if (early_on_) return make_literal();
      literal_ = true;
      literal_base_ = last_literal_ = value;
      add_literal(value);
      return;
    }
    begin(value, at);
  }
  ++count_;
  epoch_ = position[node].epoch;
  base_ = value_;
  own_slope_ = 0;
  own_known_ = true;
  own_first_ = 0;
  for (size_t l = 0; l < at.size(); ++l) {
    const Axis& axis = axes_[l];
    if (l + 1 < at.size()) {
      base_ += axis.slope * (at[l] - axis.first);
    } else {
      own_slope_ = axis.slope;
      own_known_ = axis.known;
      own_first_ = axis.first;
      base_ -= own_slope_ * axis.first;
    }
  }
}

// The frequent case of what follows: slopes that are known explain it. Then the same for the epoch
// is known, too.
bool StreamFolder::goes_on(uint64_t value, const std::vector<uint64_t>& at) {
  if (at.empty()) return false;
  uint64_t expected = value_;
  for (size_t l = 0; l < at.size(); ++l) {
    const uint64_t distance = at[l] - axes_[l].first;
    if (distance != 0 && !axes_[l].known) return false;
    expected += axes_[l].slope * distance;
  }
  if (expected != value) return false;
  const Axis& own = axes_.back();
  own_slope_ = own.slope;
  own_known_ = own.known;
  own_first_ = own.first;
  base_ = value - own_slope_ * at.back();
  return true;
}

void StreamFolder::begin(uint64_t value, const std::vector<uint64_t>& at) {
  value_ = value;
  axes_.clear();
  for (const uint64_t first : at) axes_.push_back({first});
}

std::vector<uint64_t> StreamFolder::slopes() const {
  std::vector<uint64_t> out;
  for (const Axis& axis : axes_) out.push_back(axis.slope);
  return out;
}

// Coordinates that never changed so far have slopes that are not known: one of them may explain a
// value that the known ones do not. Innermost first.
bool StreamFolder::continues(uint64_t value, const std::vector<uint64_t>& at) {
  uint64_t rest = value - value_;
  size_t open = at.size();
  for (size_t l = 0; l < at.size(); ++l) {
    rest -= axes_[l].slope * (at[l] - axes_[l].first);
    if (!axes_[l].known && at[l] != axes_[l].first) open = l;
  }
  if (rest != 0) {
    if (open == at.size()) return false;
    const auto distance = static_cast<int64_t>(at[open] - axes_[open].first);
    const auto signed_rest = static_cast<int64_t>(rest);
    if (distance == -1) {
      axes_[open].slope = -rest;
    } else {
      if (signed_rest % distance != 0) return false;
      axes_[open].slope = static_cast<uint64_t>(signed_rest / distance);
    }
  }
  for (size_t l = 0; l < at.size(); ++l)
    if (at[l] != axes_[l].first) axes_[l].known = true;
  return true;
}

// A plug-in may take an address for the one that would continue the stretch.
bool StreamFolder::passes_for(uint64_t value, const std::vector<uint64_t>& at) const {
  if (!plugin_.plugin || !plugin_.plugin->extend || plugin_.stream != VESTIGE_ADDRESS) return false;
  uint64_t expected = value_, constant = value_;
  for (size_t l = 0; l < at.size(); ++l) {
    expected += axes_[l].slope * (at[l] - axes_[l].first);
    constant -= axes_[l].slope * axes_[l].first;
  }
  const std::vector<uint64_t> slopes = this->slopes();
  const vestige_stretch stretch{plugin_.stream, plugin_.statement, count_,
                                constant,       slopes.data(),     slopes.size()};
  if (plugin_.plugin->extend(&stretch, expected, value) != VESTIGE_LOSSY) return false;
  *plugin_.lossy = true;
  return true;
}

void StreamFolder::end_stretch() {
  if (count_ == 0) return;
  Stretch stretch{count_, value_, slopes()};
  for (const Axis& axis : axes_) stretch.constant -= axis.slope * axis.first;
  if (plugin_.plugin) stretch.plugin = &plugin_;
  if (!list_) list_ = std::make_unique<StretchList>(window_);
  list_->add(std::move(stretch));
  entries_ += count_;
  count_ = 0;
}

bool StreamFolder::is_irregular() const {
  if (!list_) return false;
  const size_t sections = list_->sections().size();
  // What may still fold does not count.
  if (early_on_ && sections >= std::max(kFewEarly, 2 * window_) &&
      entries_ < kLongEnough * sections)
    return true;
  return sections >= kMostSections ||
         (sections >= kFewSections && entries_ < kLongEnough * sections);
}

void StreamFolder::add_literal(uint64_t value) {
  block_.svarint(static_cast<int64_t>(value - last_literal_));
  last_literal_ = value;
  if (++in_block_ == kLiteralBlock) end_block();
}

void StreamFolder::end_block() {
  literals_.push_back(
      {in_block_, std::make_shared<const Bytes>(squeeze(block_.take(), kLiteralSqueeze))});
  block_ = {};
  in_block_ = 0;
  last_literal_ = literal_base_;
}

namespace {

// The last stretch of a stream needs no count, where nothing repeats it.
void open_end(std::vector<StretchSection>& sections) {
  if (!sections.empty() && sections.back().is_event()) sections.back().event.count = 0;
}

void forget_plugin(std::vector<StretchSection>& sections) {
  for (StretchSection& section : sections) {
    section.event.plugin = nullptr;
    forget_plugin(section.body);
  }
}

}  // namespace

// What is kept of numbers that are few depends on them alone, not on how many came at once.
void StreamFolder::keep_early(uint64_t value, uint64_t step, uint64_t count) {
  for (; count != 0; --count, value += step, ++early_count_) {
    if (early_count_ == kMostEarly || early_.size() > kMostEarlyBytes) return forget_early();
    const uint64_t difference = value - early_last_;
    early_last_ = value;
    if (early_run_ != 0 && difference == early_step_) {
      ++early_run_;
      continue;
    }
    end_early_run();
    early_step_ = difference;
    early_run_ = 1;
  }
}

void StreamFolder::end_early_run() {
  if (early_run_ == 0) return;
  early_.svarint(static_cast<int64_t>(early_step_));
  early_.varint(early_run_);
  early_run_ = 0;
}

void StreamFolder::forget_early() {
  early_on_ = false;
  early_ = {};
}

std::vector<uint64_t> StreamFolder::early() {
  std::vector<uint64_t> numbers;
  uint64_t last = 0;
  const auto run = [&](uint64_t step, uint64_t count) {
    for (; count != 0; --count) numbers.push_back(last += step);
  };
  for (ByteReader in(early_.buffer()); in.remaining() != 0;) {
    const auto step = static_cast<uint64_t>(in.svarint());
    run(step, in.varint());
  }
  run(early_step_, early_run_);
  return numbers;
}

// All numbers so far are literals, and so are those that follow.
void StreamFolder::make_literal() {
  const std::vector<uint64_t> numbers = early();
  forget_early();
  list_.reset();
  literal_ = true;
  count_ = entries_ = 0;
  literal_base_ = last_literal_ = numbers[0];
  for (const uint64_t number : numbers) add_literal(number);
}

namespace {

size_t stretches_in(const std::vector<StretchSection>& sections) {
  size_t sum = 0;
  for (const StretchSection& section : sections)
    sum += section.is_event() ? 1 : stretches_in(section.body);
  return sum;
}

}  // namespace

Stream StreamFolder::finish() {
  end_stretch();
  if (early_on_ && list_ && list_->sections().size() >= kLeastAtEnd &&
      early_count_ < kLongAtEnd * stretches_in(list_->sections()))
    make_literal();
  if (in_block_ != 0) end_block();
  Stream stream;
  if (list_) stream.sections = list_->sections();
  if (literals_.empty()) open_end(stream.sections);
  stream.literals = std::move(literals_);
  stream.literal_base = literal_base_;
  if (plugin_.plugin) forget_plugin(stream.sections);
  const bool prefers_literals = prefers_literals_;
  *this = StreamFolder(window_, plugin_);
  if (!prefers_literals) prefer_stretches();
  return stream;
}

StreamReader::StreamReader(const Stream& stream, LiteralFeed* feed, uint32_t place)
    : stream_(&stream), feed_(feed), place_(place), stretches_(stream.sections) {}

bool StreamReader::load_stretch() {
  if (started_ && stretches_ != std::default_sentinel) ++stretches_;
  started_ = true;
  if (stretches_ == std::default_sentinel) return false;
  stretch_ = *stretches_;
  endless_ = stretch_.count == 0;
  left_ = endless_ ? kEndless : stretch_.count;
  epoch_ = 0;
  return true;
}

bool StreamReader::load_block() {
  if (block_ == stream_->literals.size()) return false;
  auto values = unpack_literals(stream_->literals[block_++], stream_->literal_base);
  if (!values) return false;
  literals_ = std::move(*values);
  literal_ = 0;
  return true;
}

bool StreamReader::prepare(const Position& position, uint32_t node) {
  while (left_ == 0) {
    if (in_literals_ || !load_stretch()) {
      in_literals_ = true;
      return false;
    }
  }
  const std::vector<uint64_t>& at = position.coordinates(node);
  epoch_ = position[node].epoch;
  base_ = stretch_.constant;
  own_slope_ = 0;
  for (size_t l = 0; l < at.size() && l < stretch_.slopes.size(); ++l) {
    if (l + 1 < at.size())
      base_ += stretch_.slopes[l] * at[l];
    else
      own_slope_ = stretch_.slopes[l];
  }
  return true;
}

uint64_t StreamReader::next_slow(const Position& position, uint32_t node) {
  if (!in_literals_ && prepare(position, node)) {
    --left_;
    return base_ + own_slope_ * position[node].index;
  }
  return next_literal();
}

uint64_t StreamReader::next_literal() {
  if (feed_) {
    const auto value = feed_->next(place_);
    failed_ = !value;
    return value.value_or(0);
  }
  if (literal_ == literals_.size() && !load_block()) {
    failed_ = true;
    return 0;
  }
  return literals_[literal_++];
}

bool StreamReader::at_end() const {
  if (literal_ != literals_.size() || block_ != stream_->literals.size()) return false;
  if (in_literals_) return true;
  if (!started_) return stretches_ == std::default_sentinel;
  if (left_ != 0 && !endless_) return false;
  StretchList::Iterator next = stretches_;
  return ++next == std::default_sentinel;
}

}  // namespace vestige::spmd
