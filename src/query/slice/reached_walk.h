// Walking forwards from what was reached: what a forward slice and the causes of racing events
// (query/races/event_control.h) have in common. Each thread has a strand: what is reached of each
// of its activations. Its paths run one after the other, each over what is reached of its own
// activation; what a thing that is reached means, the derived class says by its tokens.
//
// One owner thread.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "query/dependences/block_cursor.h"
#include "query/slice/reached.h"
#include "query/slice/reached_writes.h"

namespace vestige {

class ReachedWalk {
 protected:
  explicit ReachedWalk(const SliceGround& ground) : ground_(ground) {}

  // A thread, and what is reached in it.
  struct Strand {
    Strand(const SliceGround& ground, uint32_t number) : thread(number), cursor(ground, number) {}
    const uint32_t thread;
    DependenceBlockCursor cursor;
    std::vector<ActivationReached> levels, spare;
    Token returned;          // what the path before returned
    ActivationReached left;  // it ended in a tail call: its activation
    // Of one block: what it reads from.
    size_t pages_of = SIZE_MAX;
    std::vector<uint64_t> pages;

    bool clean() const { return levels.empty() && !returned && left.clean(); }
    // Activations above this level have nothing that is reached.
    void cut(size_t level);
    ActivationReached& level(size_t number);
    // The innermost levels where nothing is reached go.
    void trim();
    // Whether the path may have anything but from memory.
    bool may_touch(const PathStep& step) const;
  };

  // The strand at hand is that of this thread.
  void turn_to(uint32_t thread) {
    strand_ = &strands_.try_emplace(thread, ground_, thread).first->second;
  }
  // The path at hand is this one of the strand's block.
  void turn_to_path(size_t path);
  // Behind the path's last statement.
  void leave_path();
  // Whether the path uses anything of its activation that is reached.
  bool touched() const;

  // What the path's activation has from who called it; null: nobody that is known.
  const ActivationReached* caller() const;
  // An activation begins, entered by what `entry` stands for, with reached arguments.
  using Passed = std::span<const std::pair<uint32_t, Token>>;
  void enter(Token entry, Passed passed);
  // Of the path that goes on in an activation. Whether a call came back to it.
  bool go_on_in_activation();

  void begin_block(uint32_t block);
  void end_block(const ShapeItem& item, Token token);
  void settle_phis();
  // What a phi takes; null when that is not known.
  const Operand* taken_by(const ShapeItem& phi) const;
  Token of(const Operand& operand) const;
  Token of(const Use& use) const;

  uint64_t order(uint32_t thread, uint64_t time) const {
    return ground_.dependences.order().order(thread, time);
  }
  // A label of the thread as ReachedWrites knows it.
  Label written(uint32_t thread, Label label) const {
    if (alone_ || label.kind() != Label::Kind::one) return label;
    return Label::written(order(thread, label.time()), label.item());
  }
  Label me(uint32_t item) const {
    return written(strand_->thread, Label::written(step_->time, item));
  }
  // Whether what a block of the strand, or a path of its block at hand, reads may be among the
  // writes.
  Result<bool> block_may_read(size_t number, const ReachedWrites& writes);
  bool may_read(size_t path, const ReachedWrites& writes) const;
  // Calls visit(where in what is read, length, token) for what is reached of it.
  template <class Visit>
  void for_reached(Label label, const ReachedWrites& writes, const Visit& visit) const;

  const SliceGround& ground_;
  const bool alone_ = ground_.dependences.order().runs().size() == 1;
  std::map<uint32_t, Strand> strands_;
  Strand* strand_ = nullptr;
  // Of the path at hand.
  size_t path_ = 0;
  const PathStep* step_ = nullptr;
  const PathShape* shape_ = nullptr;
  ActivationReached* now_ = nullptr;
  std::vector<std::pair<uint32_t, Token>> phis_;  // of a block take their values at once
};

template <class Visit>
void ReachedWalk::for_reached(Label label, const ReachedWrites& writes, const Visit& visit) const {
  const uint32_t thread = strand_->thread;
  if (label.kind() == Label::Kind::one) {
    // Of a copy that is read from one write the length does not matter.
    if (const Token token = writes.get(written(thread, label))) visit(0, UINT64_MAX / 2, token);
    return;
  }
  if (label.kind() != Label::Kind::parts) return;
  uint64_t at = 0;
  for (uint64_t i = label.first_part();; ++i) {
    const LabelPart& part = strand_->cursor.block().parts[i];
    const Label there = written(part.foreign() ? part.thread : thread, part.label);
    if (part.copied) {
      writes.get_copied(there, part.offset, part.length,
                        [&](uint64_t first, uint64_t length, Token token) {
                          visit(at + (first - part.offset), length, token);
                        });
    } else if (const Token token = writes.get(there)) {
      visit(at, part.length, token);
    }
    at += part.length;
    if (part.last) return;
  }
}

// What follows is done for every path, or every statement.

inline bool ReachedWalk::Strand::may_touch(const PathStep& step) const {
  if (returned || !left.clean() || step.level < levels.size()) return true;
  // It may be called by what is reached.
  return step.level == levels.size() && step.path->enters && !levels.empty();
}

inline bool ReachedWalk::may_read(size_t path, const ReachedWrites& writes) const {
  if (writes.empty()) return false;
  const DependenceBlock& block = strand_->cursor.block();
  const auto may_have = [&](Label label) {
    return label.kind() == Label::Kind::parts || writes.may_have(written(strand_->thread, label));
  };
  const uint32_t first = block.first_label[path], labels = block.shapes[path]->labels;
  for (uint32_t i = first; i < first + labels; ++i)
    if (may_have(block.labels[i])) return true;
  return std::ranges::any_of(block.effects_of(path), [&](const CallEffect& effect) {
    return effect.reads_memory() && may_have(effect.label);
  });
}

// A block is there because of the branch that decided on it last, or of what entered.
inline void ReachedWalk::begin_block(uint32_t block) {
  if (now_->branches.empty()) {
    if (!now_->blocks.empty()) now_->blocks.set(block, {});
    return;
  }
  Token token = now_->entry;
  uint64_t latest = 0;
  const Block& begun = shape_->function->blocks[block];
  for (const uint32_t parent : begun.control_parents) {
    const ActivationReached::Branch& branch = now_->branches[parent];
    if (branch.order <= latest) continue;
    latest = branch.order;
    token = branch.token;
  }
  if (begun.round != kNone && now_->branches[begun.round].order > latest)
    token = now_->blocks.get(begun.round);
  now_->blocks.set(block, token);
}

inline void ReachedWalk::end_block(const ShapeItem& item, Token token) {
  now_->edge = item.chooses ? token : now_->blocks.get(item.block);
  if (now_->branches.empty()) {
    if (!token) return;
    now_->branches.resize(shape_->function->blocks.size());
  }
  ActivationReached::Branch& branch = now_->branches[item.block];
  now_->reached_branches -= static_cast<bool>(branch.token);
  now_->reached_branches += static_cast<bool>(token);
  branch = {++now_->order, token};
  if (now_->reached_branches == 0 && !now_->entry) {
    now_->branches.clear();
    now_->order = 0;
  }
}

inline void ReachedWalk::settle_phis() {
  for (const auto& [statement, token] : phis_) now_->results.set(statement, token);
  phis_.clear();
}

inline Token ReachedWalk::of(const Operand& operand) const {
  if (operand.kind == Operand::Kind::statement) return now_->results.get(operand.index);
  if (operand.kind == Operand::Kind::argument) return now_->arguments.get(operand.index);
  return {};
}

inline Token ReachedWalk::of(const Use& use) const {
  if (use.kind == Use::Kind::item) return now_->results.get(shape_->items[use.index].statement);
  if (use.kind == Use::Kind::result) return now_->results.get(use.index);
  return use.kind == Use::Kind::argument ? now_->arguments.get(use.index) : Token{};
}

}  // namespace vestige
