#include "tail_calls.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace vestige {

namespace {

// The block ends: a call marked `tail`, then a jump to `ret`, which returns the call's value or
// nothing.
bool ends_in_tail_call(BasicBlock& block, const ReturnInst& ret) {
  auto* jump = dyn_cast<BranchInst>(block.getTerminator());
  if (!jump || jump->isConditional()) return false;
  const auto* call = dyn_cast_or_null<CallInst>(jump->getPrevNonDebugInstruction());
  if (!call || !call->isTailCall() || isa<IntrinsicInst>(call) || call->isInlineAsm()) return false;
  if (call->hasFnAttr(Attribute::ReturnsTwice)) return false;
  const Value* value = ret.getReturnValue();
  if (!value) return true;
  const auto* phi = dyn_cast<PHINode>(value);
  return phi && phi->getParent() == ret.getParent() &&
         phi->getIncomingValueForBlock(&block) == call;
}

}  // namespace

bool expose_tail_calls(llvm::Function& function) {
  if (function.getFnAttribute("disable-tail-calls").getValueAsBool()) return false;
  SmallVector<ReturnInst*, 4> returns;
  for (BasicBlock& block : function)
    if (auto* ret = dyn_cast<ReturnInst>(block.getTerminator());
        ret && block.getFirstNonPHIOrDbg() == ret && !block.isEntryBlock())
      returns.push_back(ret);
  bool changed = false;
  for (ReturnInst* ret : returns) {
    BasicBlock* block = ret->getParent();
    for (BasicBlock* before : SmallVector<BasicBlock*, 8>(predecessors(block))) {
      if (!ends_in_tail_call(*before, *ret)) continue;
      FoldReturnIntoUncondBranch(ret, block, before);
      changed = true;
    }
    if (changed && pred_empty(block) && !block->hasAddressTaken()) DeleteDeadBlock(block);
  }
  return changed;
}

}  // namespace vestige
