#include <algorithm>

#include "query/slice/backward_slicer.h"

namespace vestige {

bool BackwardSlicer::take_written() {
  effect_needs_.clear();
  for (const WrittenNeed& need : written_) {
    const ByteRange* range = need.bytes == kNone ? nullptr : &waiting().range(need.bytes);
    if (!want_written(need.item, need.token, need.at, range)) return false;
  }
  return true;
}

// Memory that the item wrote is needed; of a copy these bytes. False: it cannot be.
bool BackwardSlicer::want_written(uint32_t item, Token token, uint32_t at, const ByteRange* range) {
  const size_t items = shape_->items.size();
  if (item >= items) {
    const std::span<const CallEffect> effects = cursor().block().effects_of(path_);
    if (item - items >= effects.size()) return false;
    const CallEffect::Kind kind = effects[item - items].kind;
    if (kind == CallEffect::Kind::reads || (kind == CallEffect::Kind::copies) != (range != nullptr))
      return false;
    effect_needs_.push_back(
        {static_cast<uint32_t>(item - items), bytes_for(range ? *range : ByteRange(), token, at)});
    return true;
  }
  const StepKind kind = shape_->items[item].kind;
  if (!writes_memory(kind) || (kind == StepKind::copy) != (range != nullptr)) return false;
  want(item, token, SliceReason::memory, at);
  if (range) copied_.push_back({item, bytes_for(*range, token, at)});
  return true;
}

void BackwardSlicer::visit_copy(uint32_t number, const ShapeItem& item) {
  const Wanted wanted = wanted_[number];
  const bool criterion = wanted.reason == SliceReason::criterion;
  const Token token = member(item.statement, wanted);
  need_uses(item, token);
  need_branch(item, token);
  const Label label = cursor().block().label(path_, item);
  if (label.kind() == Label::Kind::nowhere) {
    members_.end(token, SliceEnd::address);
    return;
  }
  // Of a copy that is the criterion all is wanted; otherwise each byte for who needs it.
  if (criterion) {
    if (!members_.last(token)) need_label(label, 0, token);
    return;
  }
  wanted_bytes_.clear();
  for (const CopiedRange& copied : copied_)
    if (copied.item == number) wanted_bytes_.push_back(copied.bytes);
  need_copied(label, wanted_bytes_, token);
}

// All that a statement read; `bytes` when it is not told in parts.
void BackwardSlicer::need_label(Label label, uint64_t bytes, Token token, uint64_t base) {
  if (label.kind() == Label::Kind::nowhere) {
    members_.end(token, SliceEnd::address);
    return;
  }
  if (members_.last(token)) return;
  if (label.kind() != Label::Kind::parts) {
    need_part({.length = bytes, .label = label}, 0, bytes, base, token);
    return;
  }
  uint64_t at = base;
  for (uint64_t i = label.first_part();; ++i) {
    const LabelPart& part = cursor().block().parts[i];
    need_part(part, 0, part.length, at, token);
    at += part.length;
    if (part.last) return;
  }
}

// The bytes that a copy read, for those who need what it wrote.
void BackwardSlicer::need_copied(Label label, std::vector<TokenBytes>& wanted, Token member,
                                 uint64_t base) {
  if (wanted.empty()) return;
  part_ends_.clear();
  if (label.kind() == Label::Kind::parts) {
    uint64_t end = 0;
    for (uint64_t i = label.first_part();; ++i) {
      const LabelPart& part = cursor().block().parts[i];
      part_ends_.push_back(end += part.length);
      if (part.last) break;
    }
  }
  keep_nearest(wanted);
  for (const TokenBytes& bytes : wanted) {
    const Token through = members_.again(member, SliceReason::memory, bytes.token, bytes.at);
    if (!members_.last(through)) need_stretch(label, {bytes.first, bytes.length}, base, through);
  }
}

void BackwardSlicer::need_stretch(Label label, const ByteRange& range, uint64_t base, Token token) {
  if (label.kind() != Label::Kind::parts) {
    need_part({.length = range.length, .label = label}, 0, range.length, base + range.first, token);
    return;
  }
  const uint64_t end = range.first + range.length;
  const auto first = std::ranges::upper_bound(part_ends_, range.first);
  for (auto at = static_cast<size_t>(first - part_ends_.begin()); at < part_ends_.size(); ++at) {
    const LabelPart& part = cursor().block().parts[label.first_part() + at];
    const uint64_t begin = part_ends_[at] - part.length;
    if (begin >= end) return;
    const uint64_t from = std::max(begin, range.first), to = std::min(part_ends_[at], end);
    need_part(part, from - begin, to - from, base + from, token);
  }
}

// `at`: where in what was read the bytes are.
void BackwardSlicer::need_part(const LabelPart& part, uint64_t offset, uint64_t length, uint64_t at,
                               Token token) {
  switch (part.label.kind()) {
    case Label::Kind::one: {
      const ByteRange range{part.offset + offset, length};
      if (part.foreign())
        need_foreign(part, at, token, part.copied ? &range : nullptr);
      else
        need_written(part.label, at, token, part.copied ? &range : nullptr);
      return;
    }
    case Label::Kind::unordered:
      members_.end(token, SliceEnd::unordered, length);
      return;
    case Label::Kind::changed:
      members_.end(token, SliceEnd::changed, length);
      return;
    default:
      members_.end(token, SliceEnd::memory, length);
      return;
  }
}

void BackwardSlicer::need_written(Label label, uint64_t at, Token token, const ByteRange* range) {
  const auto where = static_cast<uint32_t>(std::min<uint64_t>(at, UINT32_MAX));
  if (label.time() == step_->time) {
    // What the call before the path did was done before all of its items.
    const bool earlier =
        item_ != kNone && (label.item() < item_ || label.item() >= shape_->items.size());
    impossible_ |= !earlier || !want_written(label.item(), token, where, range);
    return;
  }
  waiting().add(label.time(), {0, label.item(), token, where, kNone}, range);
}

// What another thread wrote.
void BackwardSlicer::need_foreign(const LabelPart& part, uint64_t at, Token token,
                                  const ByteRange* range) {
  const uint64_t there = order(part.thread, part.label.time());
  if (there == 0 || there >= order(strand_->thread, step_->time) ||
      part.thread == strand_->thread || ground_.dependences.of(part.thread).empty()) {
    impossible_ = true;
    return;
  }
  others_ = std::max(others_, there);
  const auto where = static_cast<uint32_t>(std::min<uint64_t>(at, UINT32_MAX));
  Waiting& theirs = strand(part.thread).waiting;
  theirs.add(part.label.time(), {0, part.label.item(), token, where, kNone}, range);
  full_ |= theirs.full();
}

}  // namespace vestige
