#include "instrument.h"

#include <optional>

#include "atomics.h"
#include "bodies.h"
#include "counted_loops.h"
#include "describe.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "order.h"
#include "program/record.h"
#include "program/untold.h"
#include "record/protocol.h"
#include "slots.h"
#include "values.h"

using namespace llvm;

namespace vestige {

namespace {

// Of a loop, before its rounds are only counted. A run takes as much room as 8 words, and the
// collector more time than for these.
constexpr uint64_t kPlainRounds = 16;

class Instrumenter {
 public:
  // `telling`: of this body. `shared`: the accesses whose order it may have to tell; none: of none.
  Instrumenter(llvm::Function& function, const Body& body, const Function& described,
               const RuntimeCalls& thread, GlobalVariable* slot, Telling telling,
               std::vector<bool> shared = {})
      : function_(function),
        body_(body),
        layout_(body.layout),
        described_(described),
        slot_(slot),
        module_(*function.getParent()),
        thread_(thread),
        loops_(body.layout),
        telling_(telling),
        shared_(std::move(shared)) {
    LLVMContext& context = module_.getContext();
    word_ = Type::getInt32Ty(context);
    pointer_ = PointerType::get(context, 0);
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
    if (values_) values_->statements();
    order_accesses(body_, shared_, thread_, next_);
    // Last, so that nothing comes between an operation and its stamp.
    for (const Segment& segment : layout_.segments)
      if (segment.end == SegmentEnd::sync) stamp(*last_statement(segment), thread_, next_);
    DominatorTree dominators(function_);
    SmallVector<AllocaInst*, 4> variables{next_, register_};
    if (loops_.any()) variables.append({run_, run_limit_});
    PromoteMemToReg(variables, dominators);
    fold_constants();
  }

 private:
  // Up to the first increment that depends on the way taken, the register is known.
  void fold_constants() {
    for (BasicBlock* block : ReversePostOrderTraversal<llvm::Function*>(&function_))
      for (Instruction& instruction : make_early_inc_range(*block))
        if (auto* sum = dyn_cast<BinaryOperator>(&instruction);
            sum && sum->getOpcode() == Instruction::Add &&
            sum->hasMetadata(LLVMContext::MD_nosanitize))
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
      ir.CreateCall(
          probe, {ir.getInt64(guid), ir.getInt64(b + 1), ir.getInt32(0), ir.getInt64(UINT64_MAX)});
    }
  }

  Value* field(Inserter& ir, unsigned index) const { return thread_.field(ir, index); }
  void load_next(Inserter& ir) { ir.CreateStore(ir.CreateLoad(pointer_, field(ir, kNext)), next_); }
  void store_next(Inserter& ir) {
    ir.CreateStore(ir.CreateLoad(pointer_, next_), field(ir, kNext));
  }
  void set_register(Inserter& ir, uint64_t value) { ir.CreateStore(ir.getInt32(value), register_); }

  void enter() {
    Inserter front(&*function_.getEntryBlock().getFirstInsertionPt());
    next_ = front.CreateAlloca(pointer_, nullptr, "vestige.next");
    register_ = front.CreateAlloca(word_, nullptr, "vestige.path");
    Instruction* first = &*body_.entry->getFirstInsertionPt();
    while (isa<AllocaInst>(first)) first = first->getNextNode();
    Inserter ir(first);
    const bool may_come_back = llvm::any_of(layout_.segments, [&](const Segment& segment) {
      return segment.start == SegmentStart::pad ||
             (segment.end == SegmentEnd::call && cut_at(*last_statement(segment)).returns_twice);
    });
    if (may_come_back) entry_time_ = front.CreateAlloca(ir.getInt64Ty(), nullptr, "vestige.entry");
    load_next(ir);
    set_register(ir, offset(0));
    if (loops_.any()) {
      run_ = front.CreateAlloca(pointer_, nullptr, "vestige.run");
      run_limit_ = front.CreateAlloca(pointer_, nullptr, "vestige.run_limit");
      end_counting(ir);
    }
    if (may_come_back) {
      // Volatile: setjmp and unwinding find it in memory as it was stored.
      Value* next = ir.CreatePtrToInt(ir.CreateLoad(pointer_, next_), ir.getInt64Ty());
      Value* origin = ir.CreateLoad(ir.getInt64Ty(), field(ir, kOrigin));
      ir.CreateStore(ir.CreateLShr(ir.CreateAdd(origin, next), 2), entry_time_, true);
    }
    if (telling_ != Telling::nothing) {
      values_.emplace(function_, body_, described_, thread_, slot_, next_,
                      telling_ == Telling::everything, !shared_.empty());
      values_->enter(first);
      values_->slots();
    }
  }

  Instruction* when_rare(Value* condition, Instruction* before) const {
    auto* weights = MDBuilder(module_.getContext()).createBranchWeights(1, 1 << 20);
    return SplitBlockAndInsertIfThen(condition, before->getIterator(), false, weights);
  }

  // Rounds of a counted loop. The first ones append their paths like any other, up to run_limit_;
  // so short loops cost what others do. Then the runtime begins a run: run_ is where its count is,
  // and next_ goes on as if words were appended, so it still tells the time. No call can see it:
  // there is none in the loop.
  void start_counting(Inserter& ir) {
    Value* next = ir.CreateLoad(pointer_, next_);
    Value* soon = ir.CreateConstInBoundsGEP1_64(word_, next, kPlainRounds);
    Value* limit = ir.CreateLoad(pointer_, field(ir, kLimit));
    ir.CreateStore(ir.CreateSelect(ir.CreateICmpULT(soon, limit), soon, limit), run_limit_);
  }
  void end_counting(Inserter& ir) {
    ir.CreateStore(ConstantPointerNull::get(cast<PointerType>(pointer_)), run_);
    ir.CreateStore(ConstantPointerNull::get(cast<PointerType>(pointer_)), run_limit_);
  }
  void go_round(Instruction* before, const CountedLoop& loop, uint64_t increment) {
    Inserter ir(before);
    Value* counts = ir.CreateIsNotNull(ir.CreateLoad(pointer_, run_));
    Value* next = ir.CreateConstInBoundsGEP1_64(word_, ir.CreateLoad(pointer_, next_), 1);
    Instruction *counting, *plain;
    SplitBlockAndInsertIfThenElse(counts, before->getIterator(), &counting, &plain);
    Inserter count(counting);
    count.CreateStore(next, next_);
    // Atomic: it must be in memory after each round, whatever happens to the program.
    count
        .CreateAlignedStore(count.CreatePtrToInt(next, count.getInt64Ty()),
                            count.CreateLoad(pointer_, run_), Align(8))
        ->setAtomic(AtomicOrdering::Monotonic);

    Inserter append(plain);
    Value* path = append.CreateAdd(append.CreateLoad(word_, register_), append.getInt32(increment));
    append.CreateAlignedStore(append.CreateAdd(path, append.CreateLoad(word_, slot_)),
                              append.CreateLoad(pointer_, next_), Align(4));
    append.CreateStore(next, next_);
    Value* enough = append.CreateICmpUGE(next, append.CreateLoad(pointer_, run_limit_));
    Inserter slow(when_rare(enough, plain));
    slow.SetCurrentDebugLocation(before->getDebugLoc());
    Value* word = slow.CreateAdd(slow.getInt32(loop.path), slow.CreateLoad(word_, slot_));
    CallInst* run = slow.CreateCall(thread_.run, {next, word});
    run->setCallingConv(CallingConv::PreserveMost);
    slow.CreateStore(run, run_);
    load_next(slow);
    start_counting(slow);
  }
  void leave_loop(Instruction* before) {
    Inserter ir(before);
    Value* run = ir.CreateLoad(pointer_, run_);
    Inserter counted(
        SplitBlockAndInsertIfThen(ir.CreateIsNotNull(run), before->getIterator(), false));
    counted.SetCurrentDebugLocation(before->getDebugLoc());
    CallInst* next =
        counted.CreateCall(thread_.run_end, {counted.CreateLoad(pointer_, next_), run});
    next->setCallingConv(CallingConv::PreserveMost);
    counted.CreateStore(next, next_);
    Inserter behind(before);
    end_counting(behind);
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
    Value* limit = ir.CreateLoad(pointer_, field(ir, kLimit));
    Instruction* rare = when_rare(ir.CreateICmpUGE(next, limit), before);
    Inserter slow(rare);
    slow.SetCurrentDebugLocation(before->getDebugLoc());
    CallInst* fresh = slow.CreateCall(thread_.full, {next});
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
      for (int at; (at = phi.getBasicBlockIndex(from)) >= 0;) phi.removeIncomingValue(at, false);
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
      const bool is_invoke = segment.end == SegmentEnd::call && isa<InvokeInst>(terminator);
      if (!is_invoke && segment.end != SegmentEnd::branch) continue;
      if (is_invoke && set_at_top) continue;  // the landing pad does it itself
      const bool cut = segment.edges[e].cut, dispatches = !cut && is_bare_dispatch(target);
      const uint64_t increment = is_invoke ? 0 : layout_.numbering.increment[s][e];
      const bool enters = loops_.enters(s, target), leaves = loops_.leaves(s, target);
      if (!is_invoke && !cut && !dispatches && increment == 0 && !enters && !leaves) continue;
      Instruction* at = on_edge(terminator, to);
      if (leaves) leave_loop(at);
      if (is_invoke) {
        Inserter ir(at);
        load_next(ir);
        set_register(ir, offset(target));
        if (values_) values_->come_back(*cast<InvokeInst>(terminator), at);
      } else if (cut) {
        if (const CountedLoop* loop = loops_.goes_round(s, target))
          go_round(at, *loop, increment);
        else
          append(at, increment, false);
        if (!set_at_top) {
          Inserter ir(at);
          set_register(ir, offset(target));
        }
      } else if (dispatches) {
        append(at, increment, false);
      } else if (increment != 0) {
        Inserter ir(at);
        Value* path = ir.CreateLoad(word_, register_);
        ir.CreateStore(ir.CreateAdd(path, ir.getInt32(increment)), register_);
      }
      if (enters) {
        Inserter ir(at);
        start_counting(ir);
      }
    }
  }

  // A block of nothing but an indirectbr, as computed gotos share one: paths that end in it are
  // appended before they come to it, so the code generator still copies it to every jump. Nothing
  // can be told in it then.
  bool is_bare_dispatch(uint32_t s) const {
    const Segment& segment = layout_.segments[s];
    if (segment.end != SegmentEnd::indirect || segment.start != SegmentStart::none) return false;
    if (s != layout_.first_segment[segment.block]) return false;
    for (uint32_t i = 0; i + 1 < segment.statement_count; ++i)
      if (!isa<PHINode>(layout_.statements[segment.first_statement + i]) ||
          (values_ && values_->source(segment.first_statement + i) == Source::told))
        return false;
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
      Instruction* behind = pad->getNextNode();
      come_back(behind, s);
      if (auto* landing = dyn_cast<LandingPadInst>(pad); values_ && landing)
        values_->arrive(*landing, behind);
    } else if (sets_register_at_top(s)) {
      Inserter ir(&*layout_.blocks[segment.block]->getFirstInsertionPt());
      set_register(ir, offset(s));
    } else if (segment.start == SegmentStart::resume) {
      Instruction* behind = last_statement(layout_.segments[s - 1]);
      if (layout_.segments[s - 1].end == SegmentEnd::stop) return;
      if (cut_at(*behind).returns_twice) {
        Instruction* at = behind->getNextNode();
        come_back(at, s);
        if (values_) values_->come_back(*cast<CallBase>(behind), at);
        return;
      }
      if (const auto* call = dyn_cast<CallBase>(behind); call && call->doesNotReturn()) return;
      Instruction* at = behind->getNextNode();
      Inserter ir(at);
      if (layout_.segments[s - 1].end == SegmentEnd::call) load_next(ir);
      set_register(ir, offset(s));
      if (values_ && layout_.segments[s - 1].end == SegmentEnd::call)
        values_->come_back(*cast<CallBase>(behind), at);
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
    Instruction* last = last_statement(segment);
    append(last, 0, segment.end != SegmentEnd::sync && segment.end != SegmentEnd::indirect);
    if (!values_) return;
    if (segment.end == SegmentEnd::call || segment.end == SegmentEnd::tail_call)
      values_->call(*cast<CallBase>(last));
    else if (segment.end == SegmentEnd::ret)
      values_->leave(last);
  }

  llvm::Function& function_;
  const Body& body_;
  const Layout& layout_;
  const Function& described_;
  GlobalVariable* slot_;
  Module& module_;
  const RuntimeCalls& thread_;
  const CountedLoops loops_;
  const Telling telling_;
  const std::vector<bool> shared_;
  std::optional<Values> values_;
  Type* word_;
  Type* pointer_;
  FunctionCallee reannounce_;
  AllocaInst* next_ = nullptr;       // promoted
  AllocaInst* register_ = nullptr;   // promoted
  AllocaInst* run_ = nullptr;        // promoted; null outside of counted loops
  AllocaInst* run_limit_ = nullptr;  // promoted
  AllocaInst* entry_time_ = nullptr;
  mutable DenseSet<uint32_t> indirect_;
  mutable bool indirect_known_ = false;
};

void add_probe_description(llvm::Function& function, uint64_t guid) {
  Module& module = *function.getParent();
  MDBuilder builder(module.getContext());
  module.getOrInsertNamedMetadata("llvm.pseudo_probe_desc")
      ->addOperand(builder.createPseudoProbeDesc(guid, 0, function.getName()));
}

// Goes on to the body that the thread's mode asks for; a thread that has none yet gets one.
void dispatch(const Bodies& bodies, const RuntimeCalls& thread) {
  Instruction* end = bodies.dispatch;
  Inserter ir(end);
  Value* mode = ir.CreateLoad(ir.getInt64Ty(), thread.field(ir, kMode));
  auto* unlikely = MDBuilder(ir.getContext()).createBranchWeights(1, 1 << 20);
  static_assert(kVestigeUndecided == 0 && kVestigeControl == 1);
  Value* undecided = ir.CreateICmpEQ(mode, ir.getInt64(kVestigeUndecided));
  Instruction* rare = SplitBlockAndInsertIfThen(undecided, end->getIterator(), false, unlikely);
  BasicBlock* asked = cast<Instruction>(undecided)->getParent();
  Inserter slow(rare);
  CallInst* decided = slow.CreateCall(thread.decide);
  decided->setCallingConv(CallingConv::PreserveMost);
  if (!bodies.paths) return;
  Inserter at(end);
  PHINode* now = at.CreatePHI(at.getInt64Ty(), 2);
  now->moveBefore(&end->getParent()->front());
  now->addIncoming(mode, asked);
  now->addIncoming(decided, rare->getParent());
  // In most recordings it is the first question that decides.
  BasicBlock* values = bodies.values.entry;
  if (bodies.addresses) {
    values = BasicBlock::Create(ir.getContext(), "vestige.which", end->getFunction(), values);
    Inserter which(values);
    which.CreateCondBr(which.CreateICmpEQ(now, which.getInt64(kVestigeAddresses)),
                       bodies.addresses->entry, bodies.values.entry);
  }
  at.CreateCondBr(at.CreateICmpUGT(now, at.getInt64(kVestigeControl)), values, bodies.paths->entry);
  end->eraseFromParent();
}

}  // namespace

void instrument(llvm::Function& function, const Layout& layout, const Function& described,
                Telling telling, bool order) {
  const std::vector<uint8_t> record = encode_function(described);
  const RuntimeCalls thread(*function.getParent());
  const uint64_t guid = probe_guid(described);
  if (telling == Telling::nothing) {
    GlobalVariable* slot = add_slot(function, record, described, false);
    const Body body{layout, &function.getEntryBlock(), {}};
    Instrumenter(function, body, described, thread, slot, telling).run(guid);
    add_probe_description(function, guid);
    function.addFnAttr("vestige-recorded");
    return;
  }
  const std::vector<bool> shared = order ? shared_accesses(layout) : std::vector<bool>();
  const Bodies bodies = make_bodies(function, layout, has_untold(described));
  GlobalVariable* slot = add_slot(function, record, described, order);
  dispatch(bodies, thread);
  if (bodies.paths)
    Instrumenter(function, *bodies.paths, described, thread, slot, Telling::nothing).run(guid);
  if (bodies.addresses) {
    Function narrow = described;
    make_untold(narrow);
    Instrumenter(function, *bodies.addresses, narrow, thread, slot, Telling::told_values).run(guid);
  }
  Instrumenter(function, bodies.values, described, thread, slot, telling, shared).run(guid);
  add_probe_description(function, guid);
  function.addFnAttr("vestige-recorded");
}

}  // namespace vestige
