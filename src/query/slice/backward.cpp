#include "query/slice/backward.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "query/slice/backward_slicer.h"

namespace vestige {

Result<void> BackwardSlicer::run() {
  if (ground_.dependences.of(place_.thread).empty()) return impossible_dependence();
  strand_ = &strand(place_.thread);
  members_.set_thread(place_.thread);
  const auto back = find_return(cursor(), options_.statement, place_.time);
  if (!back) return std::unexpected(back.error());
  back_ = *back;
  waiting().activation(back_.time != 0 ? back_.time : place_.time);
  while (true) {
    Strand* latest = nullptr;
    uint64_t order = 0;
    others_ = 0;
    for (auto& [thread, one] : strands_) {
      const auto last = last_order(one);
      if (!last) return std::unexpected(last.error());
      if (*last > order) {
        others_ = std::exchange(order, *last);
        latest = &one;
      } else {
        others_ = std::max(others_, *last);
      }
    }
    if (!latest) return {};
    strand_ = latest;
    members_.set_thread(latest->thread);
    if (auto taken = take_paths(order); !taken) return taken;
  }
}

BackwardSlicer::Strand& BackwardSlicer::strand(uint32_t thread) {
  const auto found = strands_.find(thread);
  if (found != strands_.end()) return found->second;
  return strands_
      .emplace(std::piecewise_construct, std::forward_as_tuple(thread),
               std::forward_as_tuple(ground_, thread))
      .first->second;
}

// Of the last path of the strand where something waits, whose block is open then; 0: nothing does.
Result<uint64_t> BackwardSlicer::last_order(Strand& strand) const {
  Waiting& waiting = strand.waiting;
  if (waiting.impossible()) return impossible_dependence();
  while (true) {
    const size_t open = waiting.open_block(), block = waiting.last_block();
    const bool later = block != SIZE_MAX && open != SIZE_MAX && block > open;
    const uint32_t path = open == SIZE_MAX || later ? kNone : waiting.last_path();
    if (path != kNone) return order(strand.thread, strand.cursor.places()[open].first_time + path);
    if (block == SIZE_MAX) return 0;
    if (auto gone = strand.cursor.go_to(block); !gone) return std::unexpected(gone.error());
    waiting.open(block);
  }
}

// The paths of the strand at hand, from that of this order on, until another strand has a later
// one.
Result<void> BackwardSlicer::take_paths(uint64_t order) {
  while (order > others_) {
    if (!take_path(waiting().last_path()) || waiting().impossible()) return impossible_dependence();
    full_ |= waiting().full();
    if (members_.too_many() || full_) return too_large(options_, full_);
    if (members_.no_room()) return no_room_for_members();
    const auto last = last_order(*strand_);
    if (!last) return std::unexpected(last.error());
    order = *last;
  }
  return {};
}

bool BackwardSlicer::take_path(uint32_t path) {
  const DependenceBlock& block = cursor().block();
  path_ = path;
  step_ = &block.steps[path];
  shape_ = block.shapes[path];
  needs_ = waiting().take(path, written_);
  const size_t items = shape_->items.size();
  if (wanted_.size() < items) {
    wanted_.resize(items);
    wanted_bits_.resize(items / 64 + 1);
  }
  if (!take_written()) return false;
  if (needs_) take_activation();
  if (back_.time != 0 && is_at(back_.time)) {
    // The criterion is a call, and it came back here.
    const Token token = members_.enter(options_.statement.function, options_.statement.statement,
                                       place_.time, SliceReason::criterion, {});
    needs().call = token;
    needs_->resolved = back_.returned;
    if (back_.returned && !members_.last(token) && !options_.memory_only)
      waiting().activation(back_.time - 1).returned = token;
  }
  if (is_at(place_.time)) {
    const uint32_t item = shape_->item_of(options_.statement.statement);
    if (item == kNone || step_->path->function != options_.statement.function) return false;
    // A call that came back is a member already.
    if (!needs_ || !needs_->call) want(item, {}, SliceReason::criterion);
  }
  for (size_t word = items / 64 + 1; word-- > 0;) {
    while (wanted_bits_[word] != 0) {
      const auto bit = static_cast<unsigned>(63 - std::countl_zero(wanted_bits_[word]));
      visit(static_cast<uint32_t>(64 * word + bit));
      wanted_bits_[word] &= ~(uint64_t{1} << bit);
    }
  }
  copied_.clear();
  take_effects();
  if (impossible_) return false;
  if (!needs_) return true;
  if (needs_->nothing()) {
    needs_->clear();
    waiting().give_back(needs_);
  } else if (step_->path->enters) {
    enter();
  } else {
    come_back();
  }
  return true;
}

void BackwardSlicer::visit(uint32_t number) {
  item_ = number;
  const ShapeItem& item = shape_->items[number];
  const Wanted wanted = wanted_[number];
  switch (item.kind) {
    case StepKind::call:
      visit_call(item, wanted);
      return;
    case StepKind::copy:
      visit_copy(number, item);
      return;
    case StepKind::phi: {
      const Token token = member(item.statement, wanted);
      need_branch(item, token);
      visit_phi(item, token);
      return;
    }
    default: {
      const Token token = member(item.statement, wanted);
      need_uses(item, token);
      need_branch(item, token);
      if (item.label != kNone) need_label(cursor().block().label(path_, item), item.bytes, token);
    }
  }
}

void BackwardSlicer::visit_phi(const ShapeItem& item, Token token) {
  if (item.from != kNone) {
    for (const Use& use : shape_->uses_of(item)) need(use, token);
  } else if (!step_->before) {
    members_.end(token, SliceEnd::activation);
    return;
  } else {
    const Function& function = *shape_->function;
    const uint32_t from = function.segments[step_->before->segments.back()].block;
    const Statement& phi = function.statements[item.statement];
    for (size_t i = 0; i + 1 < phi.operands.size(); i += 2) {
      if (phi.operands[i + 1] != Operand{Operand::Kind::block, from}) continue;
      const Operand& operand = phi.operands[i];
      if (operand.kind == Operand::Kind::statement)
        need({Use::Kind::result, operand.index}, token);
      else if (operand.kind == Operand::Kind::argument)
        need({Use::Kind::argument, operand.index}, token);
      break;
    }
  }
  if (controlled_ && !members_.last(token)) need_decider(item.edge, token);
}

Result<void> slice_backwards(const SliceGround& ground, const SliceOptions& options,
                             const CriterionPlace& place, SliceMembers& members) {
  return BackwardSlicer(ground, options, place, members).run();
}

}  // namespace vestige
