#include "bodies.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "slots.h"

using namespace llvm;

namespace vestige {

namespace {

// Assembly that defines a name would define it twice.
bool defines_names(const InlineAsm& code) {
  const StringRef text = code.getAsmString();
  for (size_t at = text.find(':'); at != StringRef::npos; at = text.find(':', at + 1))
    if (at > 0 && (llvm::isAlpha(text[at - 1]) || text[at - 1] == '_' || text[at - 1] == '$'))
      return true;
  return text.contains(".set") || text.contains(".globl");
}

// Where addresses of labels may stand: what a computed goto takes them from, but nothing that
// another activation could find, because that one may run the other body.
class LabelAddresses {
 public:
  explicit LabelAddresses(const llvm::Function& function) : function_(function) {}
  // Gathers the function's tables of labels. False: labels may leave the function.
  bool find() {
    for (const BasicBlock& block : function_)
      if (block.hasAddressTaken())
        if (const auto* address = BlockAddress::lookup(&block); address && !follow(*address))
          return false;
    return llvm::all_of(tables_, [&](const GlobalVariable* table) { return is_own(*table); });
  }
  SmallVector<GlobalVariable*, 4> tables() const { return {tables_.begin(), tables_.end()}; }

 private:
  bool follow(const llvm::Constant& label) {
    for (const User* user : label.users()) {
      if (isa<PHINode, SelectInst, IndirectBrInst, GetElementPtrInst, BinaryOperator>(user))
        continue;
      if (const auto* global = dyn_cast<GlobalVariable>(user)) {
        if (!global->isConstant() || !global->hasLocalLinkage()) return false;
        tables_.insert(const_cast<GlobalVariable*>(global));
      } else if (!isa<llvm::Constant>(user) || isa<GlobalValue>(user) ||
                 !follow(*cast<llvm::Constant>(user))) {
        return false;
      }
    }
    return true;
  }
  bool is_own(const llvm::Constant& table) const {
    return llvm::all_of(table.users(), [&](const User* user) {
      if (const auto* instruction = dyn_cast<Instruction>(user))
        return instruction->getFunction() == &function_;
      if (isa<ConstantExpr>(user)) return is_own(*cast<ConstantExpr>(user));
      return is_described(*user);
    });
  }
  // What another function's description names: it says where the table is, and nothing goes there.
  static bool is_described(const User& list) {
    return isa<ConstantArray>(list) && llvm::all_of(list.users(), [](const User* user) {
             const auto* global = dyn_cast<GlobalVariable>(user);
             return global && is_address_list(*global);
           });
  }
  const llvm::Function& function_;
  SetVector<GlobalVariable*> tables_;
};

bool can_be_duplicated(const llvm::Function& function) {
  for (const Instruction& instruction : instructions(function)) {
    if (instruction.getType()->isTokenTy()) return false;
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    if (call->cannotDuplicate()) return false;
    if (const auto* code = dyn_cast<InlineAsm>(call->getCalledOperand());
        code && defines_names(*code))
      return false;
  }
  return true;
}

// Gives the original blocks tables of their own. The clones keep the ones that were, because their
// addresses are those that the function's description names.
void split_tables(const Layout& layout, ArrayRef<GlobalVariable*> tables, ValueToValueMapTy& map) {
  ValueToValueMapTy own;
  for (GlobalVariable* table : tables) {
    auto* copy =
        new GlobalVariable(*table->getParent(), table->getValueType(), true, table->getLinkage(),
                           table->getInitializer(), table->getName() + ".paths", table);
    copy->copyAttributesFrom(table);
    table->setInitializer(cast<llvm::Constant>(MapValue(table->getInitializer(), map)));
    own[table] = copy;
  }
  for (BasicBlock* block : layout.blocks)
    for (Instruction& instruction : *block)
      RemapInstruction(&instruction, own, RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);
}

// Moves allocas of fixed size in front of `before`.
std::vector<SharedSlot> hoist_allocas(BasicBlock& entry, Instruction* before) {
  std::vector<SharedSlot> slots;
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
  for (SharedSlot& slot : slots) slot.alloca_->moveBefore(before);
  return slots;
}

// A body of clones of its blocks. Where variables are, only the original says: it is the one that
// runs when nothing is recorded, and following them through all bodies takes the compiler long.
Body clone(llvm::Function& function, const Body& body, const char* suffix, ValueToValueMapTy& map) {
  Body copy = body;
  SmallVector<BasicBlock*, 16> clones;
  for (BasicBlock* block : body.layout.blocks) {
    BasicBlock* clone = CloneBasicBlock(block, map, suffix, &function);
    for (Instruction& instruction : *clone) instruction.dropDbgRecords();
    map[block] = clone;
    clones.push_back(clone);
  }
  remapInstructionsInBlocks(clones, map);
  const auto mapped = [&](auto*& at) {
    if (Value* to = map.lookup(at)) at = cast<std::remove_reference_t<decltype(*at)>>(to);
  };
  for (BasicBlock*& block : copy.layout.blocks) mapped(block);
  for (Instruction*& statement : copy.layout.statements) mapped(statement);
  for (SharedSlot& slot : copy.slots) mapped(slot.before);
  mapped(copy.entry);
  return copy;
}

}  // namespace

// Computed gotos have tables of their own for each body; functions that have both them and floating
// point are rare.
bool can_have_addresses(const llvm::Function& function) {
  LabelAddresses labels(function);
  return can_be_duplicated(function) && labels.find() && labels.tables().empty();
}

Bodies make_bodies(llvm::Function& function, const Layout& layout, bool addresses) {
  LabelAddresses labels(function);
  const bool several = can_be_duplicated(function) && labels.find();
  BasicBlock* entry = &function.getEntryBlock();
  BasicBlock* front =
      BasicBlock::Create(function.getContext(), "vestige.dispatch", &function, entry);
  Instruction* dispatch = BranchInst::Create(entry, front);
  Bodies bodies{dispatch, {}, {}, {layout, entry, hoist_allocas(*entry, dispatch)}};
  if (!several) return bodies;

  bodies.paths = Body{layout, entry, {}};
  // Tables of labels would need further copies at addresses that the description does not name.
  if (addresses && labels.tables().empty()) {
    ValueToValueMapTy map;
    bodies.addresses = clone(function, bodies.values, ".addresses", map);
  }
  ValueToValueMapTy map;
  bodies.values = clone(function, bodies.values, ".values", map);
  split_tables(layout, labels.tables(), map);
  return bodies;
}

}  // namespace vestige
