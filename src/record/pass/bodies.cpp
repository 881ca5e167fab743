#include "bodies.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace vestige {

namespace {

// Assembly that defines a name would define it twice.
bool defines_names(const InlineAsm& code) {
  const StringRef text = code.getAsmString();
  for (size_t at = text.find(':'); at != StringRef::npos; at = text.find(':', at + 1))
    if (at > 0 && (llvm::isAlpha(text[at - 1]) || text[at - 1] == '_' || text[at - 1] == '$')) return true;
  return text.contains(".set") || text.contains(".globl");
}

bool can_be_duplicated(const llvm::Function& function) {
  for (const BasicBlock& block : function)
    if (block.hasAddressTaken()) return false;
  for (const Instruction& instruction : instructions(function)) {
    if (instruction.getType()->isTokenTy()) return false;
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    if (call->cannotDuplicate()) return false;
    if (const auto* code = dyn_cast<InlineAsm>(call->getCalledOperand()); code && defines_names(*code))
      return false;
  }
  return true;
}

// Moves allocas of fixed size in front of `before`.
std::vector<Slot> hoist_allocas(BasicBlock& entry, Instruction* before) {
  std::vector<Slot> slots;
  for (Instruction& instruction : make_early_inc_range(entry)) {
    auto* slot = dyn_cast<AllocaInst>(&instruction);
    if (!slot || !isa<ConstantInt>(slot->getArraySize())) continue;
    slots.push_back({slot, nullptr});
  }
  for (auto slot = slots.rbegin(); slot != slots.rend(); ++slot) {
    Instruction* behind = slot->alloca_->getNextNode();
    while (isa<AllocaInst>(behind) && isa<ConstantInt>(cast<AllocaInst>(behind)->getArraySize()))
      behind = behind->getNextNode();
    slot->before = behind;
  }
  for (Slot& slot : slots) slot.alloca_->moveBefore(before);
  return slots;
}

}  // namespace

Bodies make_bodies(llvm::Function& function, const Layout& layout) {
  const bool two = can_be_duplicated(function);
  BasicBlock* entry = &function.getEntryBlock();
  BasicBlock* front = BasicBlock::Create(function.getContext(), "vestige.dispatch", &function, entry);
  Instruction* dispatch = BranchInst::Create(entry, front);
  Bodies bodies{dispatch, std::nullopt, {layout, entry, hoist_allocas(*entry, dispatch)}};
  if (!two) return bodies;

  bodies.paths = Body{layout, entry, {}};
  Body& values = bodies.values;
  ValueToValueMapTy map;
  SmallVector<BasicBlock*, 16> clones;
  for (BasicBlock* block : layout.blocks) {
    BasicBlock* clone = CloneBasicBlock(block, map, ".values", &function);
    map[block] = clone;
    clones.push_back(clone);
  }
  remapInstructionsInBlocks(clones, map);
  const auto mapped = [&](auto*& at) {
    if (Value* to = map.lookup(at)) at = cast<std::remove_reference_t<decltype(*at)>>(to);
  };
  for (BasicBlock*& block : values.layout.blocks) mapped(block);
  for (Instruction*& statement : values.layout.statements) mapped(statement);
  for (Slot& slot : values.slots) mapped(slot.before);
  mapped(values.entry);
  return bodies;
}

}  // namespace vestige
