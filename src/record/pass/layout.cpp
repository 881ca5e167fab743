#include "layout.h"

#include "library_calls.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "rounding.h"

using namespace llvm;

namespace vestige {

bool is_invisible(const Instruction& instruction) {
  return isa<DbgInfoIntrinsic>(instruction) || isa<PseudoProbeInst>(instruction);
}

namespace {

// A call marked `tail` whose value is returned at once: nothing may be inserted behind it (deep
// tail recursion must stay flat, and musttail forbids it), so the activation ends with the call.
// What a library function did is known when it is back, and it does not call itself.
bool in_tail_position(const CallInst& call) {
  if (!call.isTailCall() || library_call(call)) return false;
  const Instruction* next = call.getNextNonDebugInstruction();
  if (call.isMustTailCall() && isa<BitCastInst>(next)) next = next->getNextNonDebugInstruction();
  const auto* ret = dyn_cast<ReturnInst>(next);
  if (!ret) return false;
  const Value* value = ret->getReturnValue();
  return !value || value->stripPointerCasts() == &call || call.isMustTailCall();
}

Cut cut_at_intrinsic(const IntrinsicInst& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
    case Intrinsic::eh_sjlj_setjmp:
      return {SegmentEnd::call, true};
    case Intrinsic::eh_sjlj_longjmp:
    case Intrinsic::debugtrap:
      return {SegmentEnd::call};
    case Intrinsic::trap:
    case Intrinsic::ubsantrap:
      return {SegmentEnd::stop};
    default:
      if (sets_rounding(intrinsic)) return {SegmentEnd::call};
      return {};  // never enters user code
  }
}

bool is_atomic_access(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction))
    return isStrongerThanUnordered(load->getOrdering());
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    return isStrongerThanUnordered(store->getOrdering());
  if (const auto* fence = dyn_cast<FenceInst>(&instruction))
    return fence->getSyncScopeID() != SyncScope::SingleThread;
  return isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction);
}

}  // namespace

Cut cut_at(const Instruction& instruction) {
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return cut_at_intrinsic(*intrinsic);
  if (isa<CallBrInst>(instruction) || isa<IndirectBrInst>(instruction))
    return {SegmentEnd::indirect};
  if (const auto* call = dyn_cast<CallBase>(&instruction)) {
    if (call->isInlineAsm() && !isa<InvokeInst>(call))
      return {sets_rounding(*call) ? SegmentEnd::call : SegmentEnd::branch};
    const bool twice = call->hasFnAttr(Attribute::ReturnsTwice);
    if (const auto* plain = dyn_cast<CallInst>(call); plain && !twice && in_tail_position(*plain))
      return {SegmentEnd::tail_call};
    return {SegmentEnd::call, twice};
  }
  if (isa<ReturnInst>(instruction)) return {SegmentEnd::ret};
  if (isa<ResumeInst>(instruction)) return {SegmentEnd::unwind};
  if (isa<UnreachableInst>(instruction)) return {SegmentEnd::stop};
  if (is_atomic_access(instruction)) return {SegmentEnd::sync};
  return {};
}

namespace {

// Numbers blocks and statements, and cuts blocks into segments (without edges yet).
void number_statements(llvm::Function& function, Layout& layout) {
  for (BasicBlock& block : function) {
    layout.block_index[&block] = layout.blocks.size();
    layout.first_statement.push_back(layout.statements.size());
    layout.first_segment.push_back(layout.segments.size());
    Segment segment;
    segment.block = layout.blocks.size();
    segment.first_statement = layout.statements.size();
    if (block.isEHPad()) segment.start = SegmentStart::pad;
    for (Instruction& instruction : block) {
      if (is_invisible(instruction)) continue;
      layout.statement_index[&instruction] = layout.statements.size();
      layout.statements.push_back(&instruction);
      segment.end = cut_at(instruction).end;
      const bool behind_tail_call = segment.end == SegmentEnd::tail_call;
      if (behind_tail_call || (segment.end != SegmentEnd::branch && !instruction.isTerminator())) {
        segment.statement_count = layout.statements.size() - segment.first_statement;
        layout.segments.push_back(segment);
        segment = {};
        segment.block = layout.blocks.size();
        segment.first_statement = layout.statements.size();
        segment.start = behind_tail_call ? SegmentStart::none : SegmentStart::resume;
      }
      // The return behind a tail call belongs to no path: it is executed by nobody we could see.
      if (behind_tail_call) {
        for (auto at = std::next(instruction.getIterator()); at != block.end(); ++at) {
          if (is_invisible(*at)) continue;
          layout.statement_index[&*at] = layout.statements.size();
          layout.statements.push_back(&*at);
        }
        break;
      }
    }
    if (layout.segments.empty() || layout.segments.back().block != segment.block ||
        layout.segments.back().end != SegmentEnd::tail_call) {
      segment.statement_count = layout.statements.size() - segment.first_statement;
      layout.segments.push_back(segment);
    }
    layout.blocks.push_back(&block);
  }
  layout.segments[0].start = SegmentStart::entry;
}

// Edges into a block that an indirectbr or callbr may enter cannot set the path register on the
// edge, so the register is set at the block's top and every way in ends the path.
bool entered_indirectly(const BasicBlock& block) {
  return llvm::any_of(predecessors(&block), [](const BasicBlock* from) {
    return isa<IndirectBrInst>(from->getTerminator()) || isa<CallBrInst>(from->getTerminator());
  });
}

void mark_start(Segment& segment, SegmentStart how) {
  if (segment.start == SegmentStart::none) segment.start = how;
}

void connect(Layout& layout) {
  for (uint32_t s = 0; s < layout.segments.size(); ++s) {
    Segment& segment = layout.segments[s];
    const bool last =
        s + 1 == layout.segments.size() || layout.segments[s + 1].block != segment.block;
    if (segment.end == SegmentEnd::tail_call) continue;
    if (!last) {
      segment.edges.push_back({s + 1, true});
      continue;
    }
    BasicBlock* block = layout.blocks[segment.block];
    SmallPtrSet<const BasicBlock*, 8> seen;
    std::vector<SegmentEdge> critical, others;  // critical first: the first gets increment 0
    for (BasicBlock* to : successors(block)) {
      if (!seen.insert(to).second) continue;
      const uint32_t target = layout.first_segment[layout.block_index[to]];
      const bool cut = segment.end != SegmentEnd::branch || entered_indirectly(*to);
      if (cut) mark_start(layout.segments[target], SegmentStart::block);
      (!to->getUniquePredecessor() && !cut ? critical : others).push_back({target, cut});
    }
    segment.edges = critical;
    segment.edges.append(others.begin(), others.end());
  }
}

}  // namespace

Layout lay_out(llvm::Function& function) {
  Layout layout;
  number_statements(function, layout);
  connect(layout);
  cut_cycles(layout.segments);
  limit_paths(layout.segments, kPathsPerStart);
  // Cannot fail: cycles are cut, every edge leads to a segment of this function.
  if (auto numbering = number_paths(layout.segments)) layout.numbering = std::move(*numbering);
  return layout;
}

}  // namespace vestige
