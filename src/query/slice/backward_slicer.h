// How a backward slice is made (backward.h): a walk back over the paths where something waits.
//
//   backward.cpp         which path comes next, and what its items need of each other
//   backward_memory.cpp  who wrote what was read
//   backward_calls.cpp   what activations need of each other and of unrecorded code
//
// One owner thread.
#pragma once

#include <map>
#include <vector>

#include "query/slice/backward.h"
#include "query/slice/nearest_bytes.h"
#include "query/slice/waiting.h"

namespace vestige {

class BackwardSlicer {
 public:
  BackwardSlicer(const SliceGround& ground, const SliceOptions& options,
                 const CriterionPlace& place, SliceMembers& members)
      : ground_(ground), options_(options), place_(place), members_(members) {}

  Result<void> run();

 private:
  // The nearest of those who need an item of the path.
  struct Wanted {
    Token of;
    SliceReason reason = SliceReason::operand;
    uint32_t at = 0;  // of memory: where in what was read
    Token control;    // of a call: who needs it as a branch
  };
  struct CopiedRange {
    uint32_t item = 0;
    TokenBytes bytes;
  };
  // Someone who needs what an effect of the call before the path wrote; of a copy some bytes of it.
  struct EffectNeed {
    uint32_t effect = 0;
    TokenBytes bytes;
  };

  // A thread, and what waits there.
  struct Strand {
    Strand(const SliceGround& ground, uint32_t number)
        : thread(number), cursor(ground, number), waiting(cursor) {}
    const uint32_t thread;
    DependenceBlockCursor cursor;
    Waiting waiting;
  };

  Strand& strand(uint32_t thread);
  Result<uint64_t> last_order(Strand& strand) const;
  Result<void> take_paths(uint64_t order);
  uint64_t order(uint32_t thread, uint64_t time) const {
    return ground_.dependences.order().order(thread, time);
  }
  DependenceBlockCursor& cursor() { return strand_->cursor; }
  Waiting& waiting() { return strand_->waiting; }
  // The path at hand is that of this time in the criterion's thread.
  bool is_at(uint64_t time) const {
    return step_->time == time && strand_->thread == place_.thread;
  }
  bool take_path(uint32_t path);
  bool take_written();
  bool want_written(uint32_t item, Token token, uint32_t at, const ByteRange* range);
  void take_activation();
  void visit(uint32_t number);
  void visit_phi(const ShapeItem& item, Token token);
  void visit_copy(uint32_t number, const ShapeItem& item);
  void visit_call(const ShapeItem& item, const Wanted& wanted);
  void take_effects();
  void come_back();
  void enter();
  void drop(ActivationNeeds& needs);

  void want(uint32_t item, Token token, SliceReason reason, uint32_t at = 0) {
    uint64_t& word = wanted_bits_[item / 64];
    const uint64_t bit = uint64_t{1} << (item % 64);
    if (word & bit) {
      Wanted& wanted = wanted_[item];
      if (token.depth < wanted.of.depth) wanted = {token, reason, at, wanted.control};
      return;
    }
    word |= bit;
    wanted_[item] = {token, reason, at, {}};
  }
  void want_branch(uint32_t item, Token token) {
    if (shape_->items[item].kind != StepKind::call) {
      want(item, token, SliceReason::control);
      return;
    }
    // Whoever needs it as a branch does not need its result.
    want(item, {}, SliceReason::operand);
    lower(wanted_[item].control, token);
  }
  void need(const Use& use, Token token);
  void need_uses(const ShapeItem& item, Token token);
  void need_decider(const Decider& decider, Token token);
  void need_branch(const ShapeItem& item, Token token) {
    if (controlled_ && !members_.last(token)) need_decider(item.decider, token);
  }
  void need_label(Label label, uint64_t bytes, Token token, uint64_t base = 0);
  void need_copied(Label label, std::vector<TokenBytes>& wanted, Token member, uint64_t base = 0);
  void need_stretch(Label label, const ByteRange& range, uint64_t base, Token token);
  void need_part(const LabelPart& part, uint64_t offset, uint64_t length, uint64_t at, Token token);
  void need_written(Label label, uint64_t at, Token token, const ByteRange* range);
  void need_foreign(const LabelPart& part, uint64_t at, Token token, const ByteRange* range);
  static TokenBytes bytes_for(const ByteRange& range, Token token, uint32_t at) {
    return {range.first, range.length, token, at};
  }
  Token member(uint32_t statement, const Wanted& wanted) {
    return members_.enter(step_->path->function, statement, step_->time, wanted.reason, wanted.of,
                          wanted.at);
  }
  ActivationNeeds& needs() {
    if (!needs_) needs_ = waiting().take_unused();
    return *needs_;
  }

  const SliceGround& ground_;
  const SliceOptions& options_;
  const CriterionPlace& place_;
  SliceMembers& members_;
  std::map<uint32_t, Strand> strands_;
  Strand* strand_ = nullptr;  // the one at hand
  uint64_t others_ = 0;       // something waits in another strand at this order, and nothing later
  const bool controlled_ = !options_.data_only && !options_.copies_only && !options_.memory_only;
  CallReturn back_;  // of the criterion
  // Of the path that is taken.
  uint32_t path_ = 0, item_ = 0;
  bool impossible_ = false, full_ = false;
  const PathStep* step_ = nullptr;
  const PathShape* shape_ = nullptr;
  ActivationNeeds* needs_ = nullptr;
  std::vector<WrittenNeed> written_;
  std::vector<CopiedRange> copied_;
  std::vector<EffectNeed> effect_needs_;
  std::vector<TokenBytes> wanted_bytes_;
  std::vector<uint64_t> wanted_bits_;
  std::vector<Wanted> wanted_;
  std::vector<uint64_t> part_ends_;
};

inline void BackwardSlicer::need(const Use& use, Token token) {
  if (members_.last(token) || options_.memory_only) return;
  switch (use.kind) {
    case Use::Kind::none:
      return;
    case Use::Kind::item:
      want(use.index, token, SliceReason::operand);
      return;
    case Use::Kind::result:
      needs().results.add(use.index, token);
      return;
    case Use::Kind::argument:
      needs().arguments.add(use.index, token);
      return;
  }
}

inline void BackwardSlicer::need_uses(const ShapeItem& item, Token token) {
  const std::span<const Use> uses = shape_->uses_of(item);
  if (options_.copies_only) {
    if (item.passes_on) need(uses[0], token);
    return;
  }
  for (const Use& use : uses) need(use, token);
}

inline void BackwardSlicer::need_decider(const Decider& decider, Token token) {
  switch (decider.kind) {
    case Decider::Kind::item:
      want_branch(decider.index, token);
      return;
    case Decider::Kind::branch:
      needs().branches.add(decider.index, token);
      return;
    case Decider::Kind::block:
      needs().blocks.add(decider.index, token);
      return;
    case Decider::Kind::entry:
      lower(needs().entry, token);
      return;
    case Decider::Kind::edge:
      lower(needs().edge, token);
      return;
  }
}

}  // namespace vestige
