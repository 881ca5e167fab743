#include "instrument.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "record/protocol.h"

using namespace llvm;

namespace vestige {

namespace {

// An IRBuilder whose instructions sanitizers leave alone.
class LeaveAlone : public IRBuilderDefaultInserter {
  void InsertHelper(Instruction* instruction, const Twine& name,
                    BasicBlock::iterator at) const override {
    IRBuilderDefaultInserter::InsertHelper(instruction, name, at);
    instruction->setNoSanitizeMetadata();
  }
};
using Inserter = IRBuilder<ConstantFolder, LeaveAlone>;

// The two globals of a function, in its own COMDAT group when it has one: they are kept or thrown
// away together with the copy of the function that the linker keeps.
GlobalVariable* add_slot(llvm::Function& function, ArrayRef<uint8_t> record, uint64_t path_count) {
  Module& module = *function.getParent();
  LLVMContext& context = module.getContext();
  auto* bytes = ConstantDataArray::get(context, record);
  auto* table = new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage,
                                   bytes, "__vestige_record");
  table->setSection("vestige_program");
  table->setAlignment(Align(1));

  auto* word = Type::getInt32Ty(context);
  auto* layout = StructType::get(word, word, word, word);
  auto* slot = new GlobalVariable(module, layout, false, GlobalValue::PrivateLinkage, nullptr,
                                  "__vestige_slot");
  slot->setSection("vestige_fn");
  slot->setAlignment(Align(sizeof(VestigeFunctionSlot)));
  auto* wide = Type::getInt64Ty(context);
  llvm::Constant* field = ConstantExpr::getInBoundsGetElementPtr(
      layout, slot, ArrayRef<llvm::Constant*>{ConstantInt::get(word, 0), ConstantInt::get(word, 3)});
  llvm::Constant* distance =
      ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(table, wide),
                                                  ConstantExpr::getPtrToInt(field, wide)),
                             word);
  slot->setInitializer(ConstantStruct::get(
      layout, ArrayRef<llvm::Constant*>{ConstantInt::get(word, protocol::kUnregistered), ConstantInt::get(word, path_count),
               ConstantInt::get(word, record.size()), distance}));
  for (GlobalVariable* global : {table, slot}) {
    if (Comdat* group = function.getComdat()) global->setComdat(group);
    GlobalValue::SanitizerMetadata none;
    none.NoAddress = none.NoHWAddress = true;
    global->setSanitizerMetadata(none);
  }
  appendToUsed(module, {table, slot});
  return slot;
}

// The module's own way into the runtime: a direct call that no register is kept for, as there
// would be for an address out of the GOT; and one that runs no lazy binding, which saves fewer
// registers than the convention promises.
llvm::Function* full_here(Module& module) {
  if (llvm::Function* known = module.getFunction("__vestige_full_here")) return known;
  auto* pointer = PointerType::get(module.getContext(), 0);
  auto* type = FunctionType::get(pointer, {pointer}, false);
  auto* full = llvm::Function::Create(type, GlobalValue::ExternalLinkage, "__vestige_full", module);
  auto* here = llvm::Function::Create(type, GlobalValue::LinkOnceODRLinkage, "__vestige_full_here",
                                      module);
  here->setVisibility(GlobalValue::HiddenVisibility);
  here->setComdat(module.getOrInsertComdat(here->getName()));
  here->addFnAttr(Attribute::NoInline);
  here->addFnAttr("vestige-recorded");
  for (llvm::Function* function : {full, here}) {
    function->setCallingConv(CallingConv::PreserveMost);
    function->addFnAttr(Attribute::NonLazyBind);
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(Attribute::Cold);
  }
  IRBuilder<> ir(BasicBlock::Create(module.getContext(), "", here));
  CallInst* call = ir.CreateCall(full, {here->getArg(0)});
  call->setCallingConv(CallingConv::PreserveMost);
  call->setTailCallKind(CallInst::TCK_MustTail);
  ir.CreateRet(call);
  return here;
}

class Instrumenter {
 public:
  Instrumenter(llvm::Function& function, const Layout& layout, GlobalVariable* slot)
      : function_(function), layout_(layout), slot_(slot), module_(*function.getParent()) {
    LLVMContext& context = module_.getContext();
    word_ = Type::getInt32Ty(context);
    pointer_ = PointerType::get(context, 0);
    thread_ = module_.getNamedGlobal("__vestige_thread");
    if (!thread_) {
      thread_ = new GlobalVariable(module_, ArrayType::get(Type::getInt64Ty(context), 3), false,
                                   GlobalValue::ExternalLinkage, nullptr, "__vestige_thread",
                                   nullptr, GlobalVariable::InitialExecTLSModel);
      thread_->setAlignment(Align(8));
    }
    full_ = full_here(module_);
    reannounce_ = module_.getOrInsertFunction("__vestige_reannounce", Type::getVoidTy(context),
                                              Type::getInt64Ty(context));
    cast<llvm::Function>(reannounce_.getCallee())->addFnAttr(Attribute::NoUnwind);
  }

  void run(uint64_t guid) {
    add_probes(guid);
    enter();
    // Edges first: they are found by block, and splitting blocks below would move terminators.
    for (uint32_t s = 0; s < layout_.segments.size(); ++s) leave_by_edges(s);
    for (uint32_t s = 0; s < layout_.segments.size(); ++s) {
      begin(s);
      leave_at_end(s);
    }
    DominatorTree dominators(function_);
    PromoteMemToReg({next_, register_}, dominators);
    fold_constants();
  }

 private:
  // Up to the first increment that depends on the way taken, the register is known.
  void fold_constants() {
    for (BasicBlock* block : ReversePostOrderTraversal<llvm::Function*>(&function_))
      for (Instruction& instruction : make_early_inc_range(*block))
        if (auto* sum = dyn_cast<BinaryOperator>(&instruction);
            sum && sum->getOpcode() == Instruction::Add && sum->hasMetadata(LLVMContext::MD_nosanitize))
          if (Value* value = simplifyInstruction(sum, module_.getDataLayout())) {
            sum->replaceAllUsesWith(value);
            sum->eraseFromParent();
          }
  }

  Instruction* last_statement(const Segment& segment) const {
    return layout_.statements[segment.first_statement + segment.statement_count - 1];
  }
  bool is_last_of_block(uint32_t s) const {
    return s + 1 == layout_.segments.size() ||
           layout_.segments[s + 1].block != layout_.segments[s].block;
  }
  uint64_t offset(uint32_t s) const { return layout_.numbering.start_offset[s]; }

  // One probe per block: the machine code's map from addresses to blocks, at no run-time cost.
  void add_probes(uint64_t guid) {
    auto* probe = Intrinsic::getDeclaration(&module_, Intrinsic::pseudoprobe);
    for (uint32_t b = 0; b < layout_.blocks.size(); ++b) {
      BasicBlock* block = layout_.blocks[b];
      const auto at = block->getFirstInsertionPt();
      if (at == block->end()) continue;
      IRBuilder<> ir(&*at);
      ir.SetCurrentDebugLocation(DebugLoc());
      ir.CreateCall(probe, {ir.getInt64(guid), ir.getInt64(b + 1), ir.getInt32(0),
                            ir.getInt64(UINT64_MAX)});
    }
    MDBuilder builder(module_.getContext());
    module_.getOrInsertNamedMetadata("llvm.pseudo_probe_desc")
        ->addOperand(builder.createPseudoProbeDesc(guid, 0, function_.getName()));
  }

  Value* field(Inserter& ir, unsigned index) {
    // Asked for anew at each use: so it becomes an address mode, not a register kept all along.
    return ir.CreateConstInBoundsGEP1_64(ir.getInt64Ty(), ir.CreateThreadLocalAddress(thread_),
                                         index);
  }
  void load_next(Inserter& ir) {
    ir.CreateStore(ir.CreateLoad(pointer_, field(ir, 0)), next_);
  }
  void store_next(Inserter& ir) {
    ir.CreateStore(ir.CreateLoad(pointer_, next_), field(ir, 0));
  }
  void set_register(Inserter& ir, uint64_t value) {
    ir.CreateStore(ir.getInt32(value), register_);
  }

  void enter() {
    Instruction* first = &*function_.getEntryBlock().getFirstInsertionPt();
    while (isa<AllocaInst>(first)) first = first->getNextNode();
    Inserter ir(first);
    next_ = ir.CreateAlloca(pointer_, nullptr, "vestige.next");
    register_ = ir.CreateAlloca(word_, nullptr, "vestige.path");
    const bool may_come_back = llvm::any_of(layout_.segments, [&](const Segment& segment) {
      return segment.start == SegmentStart::pad ||
             (segment.end == SegmentEnd::call && cut_at(*last_statement(segment)).returns_twice);
    });
    if (may_come_back) entry_time_ = ir.CreateAlloca(ir.getInt64Ty(), nullptr, "vestige.entry");
    load_next(ir);
    set_register(ir, offset(0));
    if (may_come_back) {
      // Volatile: setjmp and unwinding find it in memory as it was stored.
      Value* next = ir.CreatePtrToInt(ir.CreateLoad(pointer_, next_), ir.getInt64Ty());
      Value* origin = ir.CreateLoad(ir.getInt64Ty(), field(ir, 2));
      ir.CreateStore(ir.CreateLShr(ir.CreateAdd(origin, next), 2), entry_time_, true);
    }
  }

  // Appends register + increment. Splits the block at `before`; what follows goes on behind it.
  void append(Instruction* before, uint64_t increment, bool publish) {
    Inserter ir(before);
    Value* path = ir.CreateAdd(ir.CreateLoad(word_, register_), ir.getInt32(increment));
    Value* word = ir.CreateAdd(path, ir.CreateLoad(word_, slot_));
    Value* at = ir.CreateLoad(pointer_, next_);
    ir.CreateAlignedStore(word, at, Align(4));
    Value* next = ir.CreateConstInBoundsGEP1_64(word_, at, 1);
    ir.CreateStore(next, next_);
    Value* limit = ir.CreateLoad(pointer_, field(ir, 1));
    Value* full = ir.CreateICmpUGE(next, limit);
    auto* weights = MDBuilder(module_.getContext()).createBranchWeights(1, 1 << 20);
    Instruction* rare = SplitBlockAndInsertIfThen(full, before->getIterator(), false, weights);
    Inserter slow(rare);
    slow.SetCurrentDebugLocation(before->getDebugLoc());
    CallInst* fresh = slow.CreateCall(full_, {next});
    fresh->setCallingConv(CallingConv::PreserveMost);
    slow.CreateStore(fresh, next_);
    if (publish) {
      Inserter behind(before);
      store_next(behind);
    }
  }

  // Where code for an edge goes: the end of a block that only leads there, the top of one that is
  // only reached from there, else a new block in between.
  Instruction* on_edge(Instruction* terminator, BasicBlock* to) {
    // Not the block it was laid out in: appends split blocks, and the terminator moves along.
    BasicBlock* from = terminator->getParent();
    if (from->getUniqueSuccessor() == to && !isa<InvokeInst>(terminator)) return terminator;
    if (to->getUniquePredecessor() == from) return &*to->getFirstInsertionPt();
    BasicBlock* between = BasicBlock::Create(module_.getContext(), "vestige.edge", &function_, to);
    auto* jump = BranchInst::Create(to, between);
    jump->setDebugLoc(terminator->getDebugLoc());
    for (unsigned i = 0; i < terminator->getNumSuccessors(); ++i)
      if (terminator->getSuccessor(i) == to) terminator->setSuccessor(i, between);
    for (PHINode& phi : to->phis()) {
      Value* value = phi.getIncomingValueForBlock(from);
      for (int at; (at = phi.getBasicBlockIndex(from)) >= 0;)
        phi.removeIncomingValue(at, false);
      phi.addIncoming(value, between);
    }
    return jump;
  }

  void leave_by_edges(uint32_t s) {
    const Segment& segment = layout_.segments[s];
    if (!is_last_of_block(s)) return;
    Instruction* terminator = last_statement(segment);
    for (uint32_t e = 0; e < segment.edges.size(); ++e) {
      const uint32_t target = segment.edges[e].target;
      BasicBlock* to = layout_.blocks[layout_.segments[target].block];
      const bool set_at_top = sets_register_at_top(target);
      if (segment.end == SegmentEnd::call && isa<InvokeInst>(terminator)) {
        if (set_at_top) continue;  // the landing pad does it itself
        Inserter ir(on_edge(terminator, to));
        load_next(ir);
        set_register(ir, offset(target));
      } else if (segment.end == SegmentEnd::branch) {
        const uint64_t increment = layout_.numbering.increment[s][e];
        if (segment.edges[e].cut) {
          Instruction* at = on_edge(terminator, to);
          append(at, increment, false);
          if (!set_at_top) {
            Inserter ir(at);
            set_register(ir, offset(target));
          }
        } else if (is_bare_dispatch(target)) {
          append(on_edge(terminator, to), increment, false);
        } else if (increment != 0) {
          Inserter ir(on_edge(terminator, to));
          Value* path = ir.CreateLoad(word_, register_);
          ir.CreateStore(ir.CreateAdd(path, ir.getInt32(increment)), register_);
        }
      }
    }
  }

  // A block of nothing but an indirectbr, as computed gotos share one: paths that end in it are
  // appended before they come to it, so the code generator still copies it to every jump.
  bool is_bare_dispatch(uint32_t s) const {
    const Segment& segment = layout_.segments[s];
    if (segment.end != SegmentEnd::indirect || segment.start != SegmentStart::none) return false;
    if (s != layout_.first_segment[segment.block]) return false;
    for (uint32_t i = 0; i + 1 < segment.statement_count; ++i)
      if (!isa<PHINode>(layout_.statements[segment.first_statement + i])) return false;
    return isa<IndirectBrInst>(last_statement(segment));
  }

  // Landing pads and targets of indirectbr: no code can go on the edges that lead there.
  bool sets_register_at_top(uint32_t s) const {
    const Segment& segment = layout_.segments[s];
    if (segment.start == SegmentStart::pad) return true;
    if (s != layout_.first_segment[segment.block]) return false;
    return indirect_targets().contains(s);
  }
  const DenseSet<uint32_t>& indirect_targets() const {
    if (!indirect_known_) {
      for (const Segment& segment : layout_.segments)
        if (segment.end == SegmentEnd::indirect)
          for (const SegmentEdge& edge : segment.edges) indirect_.insert(edge.target);
      indirect_known_ = true;
    }
    return indirect_;
  }

  void begin(uint32_t s) {
    const Segment& segment = layout_.segments[s];
    if (segment.start == SegmentStart::pad) {
      Instruction* pad = layout_.blocks[segment.block]->getFirstNonPHI();
      come_back(pad->getNextNode(), s);
    } else if (sets_register_at_top(s)) {
      Inserter ir(&*layout_.blocks[segment.block]->getFirstInsertionPt());
      set_register(ir, offset(s));
    } else if (segment.start == SegmentStart::resume) {
      Instruction* behind = last_statement(layout_.segments[s - 1]);
      if (layout_.segments[s - 1].end == SegmentEnd::stop) return;
      if (cut_at(*behind).returns_twice) return come_back(behind->getNextNode(), s);
      if (const auto* call = dyn_cast<CallBase>(behind); call && call->doesNotReturn()) return;
      Inserter ir(behind->getNextNode());
      if (layout_.segments[s - 1].end == SegmentEnd::call) load_next(ir);
      set_register(ir, offset(s));
    }
  }
  // Control is back in this activation, and frames that were above it may be gone: say which.
  void come_back(Instruction* before, uint32_t s) {
    Inserter ir(before);
    ir.CreateCall(reannounce_, {ir.CreateLoad(ir.getInt64Ty(), entry_time_, true)});
    load_next(ir);
    set_register(ir, offset(s));
  }

  void leave_at_end(uint32_t s) {
    const Segment& segment = layout_.segments[s];
    if (segment.end == SegmentEnd::branch) return;
    // Nothing comes here: a call that does not return, or a trap, is in front.
    const bool dead = segment.end == SegmentEnd::stop && segment.statement_count == 1 &&
                      segment.start == SegmentStart::resume;
    if (dead) return;
    if (is_bare_dispatch(s)) return;
    append(last_statement(segment), 0,
           segment.end != SegmentEnd::sync && segment.end != SegmentEnd::indirect);
  }

  llvm::Function& function_;
  const Layout& layout_;
  GlobalVariable* slot_;
  Module& module_;
  Type* word_;
  Type* pointer_;
  GlobalVariable* thread_;
  llvm::Function* full_;
  FunctionCallee reannounce_;
  AllocaInst* next_ = nullptr;     // promoted
  AllocaInst* register_ = nullptr;  // promoted
  AllocaInst* entry_time_ = nullptr;
  mutable DenseSet<uint32_t> indirect_;
  mutable bool indirect_known_ = false;
};

llvm::Function* module_hook(Module& module, const char* name, const char* runtime) {
  LLVMContext& context = module.getContext();
  auto* nothing = Type::getVoidTy(context);
  auto* pointer = PointerType::get(context, 0);
  auto* hook = llvm::Function::Create(FunctionType::get(nothing, false),
                                      GlobalValue::LinkOnceODRLinkage, name, module);
  hook->setVisibility(GlobalValue::HiddenVisibility);
  hook->setComdat(module.getOrInsertComdat(name));
  hook->addFnAttr(Attribute::NoUnwind);
  hook->addFnAttr("vestige-recorded");
  const auto boundary = [&](const char* symbol) -> llvm::Constant* {
    if (auto* known = module.getNamedGlobal(symbol)) return known;
    auto* global = new GlobalVariable(module, Type::getInt8Ty(context), false,
                                      GlobalValue::ExternalWeakLinkage, nullptr, symbol);
    global->setVisibility(GlobalValue::HiddenVisibility);
    return global;
  };
  IRBuilder<> ir(BasicBlock::Create(context, "", hook));
  ir.CreateCall(module.getOrInsertFunction(runtime, nothing, pointer, pointer),
                {boundary("__start_vestige_fn"), boundary("__stop_vestige_fn")});
  ir.CreateRetVoid();
  return hook;
}

}  // namespace

void instrument(llvm::Function& function, const Layout& layout, ArrayRef<uint8_t> record,
                uint64_t guid) {
  GlobalVariable* slot = add_slot(function, record, layout.numbering.path_count);
  Instrumenter(function, layout, slot).run(guid);
  function.addFnAttr("vestige-recorded");
}

void add_module_hooks(Module& module) {
  if (module.getFunction("__vestige_module_begin")) return;
  auto* begin = module_hook(module, "__vestige_module_begin", "__vestige_module_load");
  auto* end = module_hook(module, "__vestige_module_end", "__vestige_module_unload");
  appendToGlobalCtors(module, begin, 0, begin);
  appendToGlobalDtors(module, end, 0, end);
}

}  // namespace vestige
