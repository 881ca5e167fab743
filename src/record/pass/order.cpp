#include "order.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "record/protocol.h"
#include "values.h"

using namespace llvm;

namespace vestige {

namespace {

// What goes with an access, below the statement's number.
constexpr uint64_t kWrites = 1, kComplete = 2;
constexpr unsigned kStatement = 2;

// Null: none that is looked at.
Value* address_of(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction))
    return const_cast<Value*>(load->getPointerOperand());
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    return const_cast<Value*>(store->getPointerOperand());
  if (const auto* rmw = dyn_cast<AtomicRMWInst>(&instruction))
    return const_cast<Value*>(rmw->getPointerOperand());
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return const_cast<Value*>(exchange->getPointerOperand());
  if (const auto* work = dyn_cast<MemIntrinsic>(&instruction)) return work->getRawDest();
  return nullptr;
}

class Privacy {
 public:
  bool may_be_shared(const Value* address) {
    const Value* object = getUnderlyingObject(address, 0);
    if (const auto* global = dyn_cast<GlobalVariable>(object)) return !global->isConstant();
    const auto* local = dyn_cast<AllocaInst>(object);
    if (!local) return true;
    const auto [known, fresh] = escapes_.try_emplace(local, true);
    if (fresh) known->second = PointerMayBeCaptured(local, true, true);
    return known->second;
  }

 private:
  DenseMap<const AllocaInst*, bool> escapes_;
};

uint64_t bytes_of(const Instruction& instruction) {
  const Type* type = instruction.getType();
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    type = store->getValueOperand()->getType();
  else if (const auto* rmw = dyn_cast<AtomicRMWInst>(&instruction))
    type = rmw->getValOperand()->getType();
  else if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    type = exchange->getNewValOperand()->getType();
  return instruction.getModule()->getDataLayout().getTypeStoreSize(const_cast<Type*>(type));
}

Value* is_ordered(Inserter& ir, const RuntimeCalls& thread) {
  Value* mode = ir.CreateLoad(ir.getInt64Ty(), thread.field(ir, kMode));
  return ir.CreateICmpEQ(mode, ir.getInt64(kVestigeOrder));
}

// Where a thread that tells the order comes by.
Instruction* when_ordered(Instruction* before, const RuntimeCalls& thread) {
  Inserter ir(before);
  return SplitBlockAndInsertIfThen(is_ordered(ir, thread), before->getIterator(), false,
                                   MDBuilder(ir.getContext()).createBranchWeights(1, 1 << 20));
}

void begin(Inserter& ir, const RuntimeCalls& thread, Value* next, uint64_t what, Value* address,
           Value* bytes) {
  ir.CreateCall(thread.order_begin,
                {ir.CreateLoad(ir.getPtrTy(), next), ir.getInt64(what), address, bytes})
      ->setCallingConv(CallingConv::PreserveMost);
}

void end(Inserter& ir, const RuntimeCalls& thread) {
  ir.CreateCall(thread.order_end)->setCallingConv(CallingConv::PreserveMost);
}

void begin_access(Instruction* at, const Instruction& access, uint32_t statement,
                  const RuntimeCalls& thread, Value* next) {
  Inserter ir(at);
  ir.SetCurrentDebugLocation(access.getDebugLoc());
  auto* wide = ir.getInt64Ty();
  uint64_t what = uint64_t{statement} << kStatement;
  Value* address = ir.CreatePtrToInt(address_of(access), wide);
  const auto* work = dyn_cast<MemIntrinsic>(&access);
  if (!work) {
    if (!isa<LoadInst>(access)) what |= kWrites;
    if (access.isAtomic()) what |= kComplete;
    begin(ir, thread, next, what, address, ir.getInt64(bytes_of(access)));
    return;
  }
  Value* bytes = ir.CreateZExtOrTrunc(work->getLength(), wide);
  if (const auto* transfer = dyn_cast<MemTransferInst>(work))
    ir.CreateCall(thread.order_copy,
                  {ir.CreateLoad(ir.getPtrTy(), next), ir.getInt64(what), address,
                   ir.CreatePtrToInt(transfer->getRawSource(), wide), bytes})
        ->setCallingConv(CallingConv::PreserveMost);
  else
    begin(ir, thread, next, what | kWrites, address, bytes);
}

void end_access(Instruction* at, const Instruction& access, const RuntimeCalls& thread) {
  Inserter ir(at);
  ir.SetCurrentDebugLocation(access.getDebugLoc());
  end(ir, thread);
}

// Stamps find an atomic operation where it is.
void order_atomic(Instruction& access, uint32_t statement, const RuntimeCalls& thread,
                  Value* next) {
  end_access(when_ordered(access.getNextNode(), thread), access, thread);
  begin_access(when_ordered(&access, thread), access, statement, thread, next);
}

// The others are there twice, so one question is enough.
void order_access(Instruction& access, uint32_t statement, const RuntimeCalls& thread,
                  Value* next) {
  Instruction *told, *plain;
  Inserter ir(&access);
  SplitBlockAndInsertIfThenElse(is_ordered(ir, thread), access.getIterator(), &told, &plain,
                                MDBuilder(ir.getContext()).createBranchWeights(1, 1 << 20));
  BasicBlock* behind = access.getParent();
  Instruction* ordered = access.clone();
  ordered->insertBefore(told);
  begin_access(ordered, access, statement, thread, next);
  end_access(told, access, thread);
  access.moveBefore(plain);
  if (access.use_empty()) return;
  PHINode* either = PHINode::Create(access.getType(), 2, "", behind->begin());
  access.replaceAllUsesWith(either);
  either->addIncoming(ordered, told->getParent());
  either->addIncoming(&access, plain->getParent());
}

// The ranges of one call, as numbers at run time.
class Ranges {
 public:
  Ranges(Instruction* before, CallBase& call, ArrayRef<Value*> measures)
      : ir_(before), call_(call), measures_(measures) {
    ir_.SetCurrentDebugLocation(call.getDebugLoc());
  }
  Inserter& ir() { return ir_; }

  // Null: there is no such term.
  Value* of(const LibraryTerm& term) {
    auto* wide = ir_.getInt64Ty();
    switch (term.kind) {
      case LibraryTerm::Kind::none:
        return nullptr;
      case LibraryTerm::Kind::number:
        return ir_.getInt64(term.number);
      case LibraryTerm::Kind::measure:
        return term.number < measures_.size() ? measures_[term.number] : nullptr;
      default:
        break;
    }
    Value* value = term.kind == LibraryTerm::Kind::result ? static_cast<Value*>(&call_)
                                                          : call_.getArgOperand(term.number);
    if (value->getType()->isPointerTy()) return ir_.CreatePtrToInt(value, wide);
    return value->getType()->isIntegerTy() ? ir_.CreateZExtOrTrunc(value, wide) : nullptr;
  }

  // How many bytes; 0 when the range does not hold.
  Value* bytes(const LibraryRange& range, Value* address) {
    Value* length = of(range.length);
    Value* holds = ir_.CreateIsNotNull(address);
    if (!length) return ir_.getInt64(0);
    holds = ir_.CreateAnd(holds, measured(range.length, length));
    if (Value* times = of(range.times)) {
      holds = ir_.CreateAnd(holds, measured(range.times, times));
      length = ir_.CreateMul(length, times);
    }
    length = ir_.CreateAdd(length, ir_.getInt64(range.plus));
    if (Value* most = of(range.most))
      length = ir_.CreateSelect(ir_.CreateICmpULT(most, length), most, length);
    if (range.when != LibraryRange::When::always) holds = ir_.CreateAnd(holds, condition(range));
    return ir_.CreateSelect(holds, length, ir_.getInt64(0));
  }

 private:
  Value* measured(const LibraryTerm& term, Value* value) {
    if (term.kind != LibraryTerm::Kind::measure) return ir_.getTrue();
    return ir_.CreateICmpNE(value, ir_.getInt64(kUnmeasured));
  }
  Value* condition(const LibraryRange& range) {
    Value* tested = of(range.tested);
    if (!tested) return ir_.getFalse();
    if (range.when == LibraryRange::When::nonzero) return ir_.CreateIsNotNull(tested);
    if (range.when == LibraryRange::When::zero) return ir_.CreateIsNull(tested);
    if (!call_.getType()->isIntegerTy()) return ir_.getFalse();
    Value* narrow = ir_.CreateZExtOrTrunc(tested, call_.getType());
    return ir_.CreateICmpSGE(narrow, ConstantInt::get(call_.getType(), range.bound));
  }

  Inserter ir_;
  CallBase& call_;
  ArrayRef<Value*> measures_;
};

}  // namespace

std::vector<bool> shared_accesses(const Layout& layout) {
  std::vector<bool> shared(layout.statements.size());
  Privacy privacy;
  for (size_t i = 0; i < shared.size(); ++i) {
    const Instruction& instruction = *layout.statements[i];
    const Value* address = address_of(instruction);
    if (!address) continue;
    shared[i] = privacy.may_be_shared(address);
    if (const auto* transfer = dyn_cast<MemTransferInst>(&instruction))
      shared[i] = shared[i] || privacy.may_be_shared(transfer->getRawSource());
  }
  return shared;
}

void order_accesses(const Body& body, const std::vector<bool>& shared, const RuntimeCalls& thread,
                    Value* next) {
  for (uint32_t i = 0; i < shared.size(); ++i)
    if (shared[i]) {
      Instruction& access = *body.layout.statements[i];
      (access.isAtomic() ? order_atomic : order_access)(access, i, thread, next);
    }
}

void order_library_call(Instruction* before, CallBase& call, const LibraryCall& library,
                        ArrayRef<Value*> measures, uint32_t statement, const RuntimeCalls& thread,
                        Value* next) {
  Ranges ranges(when_ordered(before, thread), call, measures);
  Inserter& ir = ranges.ir();
  // All that is read is read before anything is written.
  for (const bool writes : {false, true})
    for (const LibraryRange& range : library.ranges) {
      Value* address = ranges.of(writes ? range.to : range.from);
      if (!address || (writes && range.kind == LibraryRange::Kind::read)) continue;
      Value* bytes = ranges.bytes(range, address);
      if (Value* offset = ranges.of(range.offset); writes && offset)
        address = ir.CreateAdd(address, offset);
      begin(ir, thread, next, uint64_t{statement} << kStatement | (writes ? kWrites : 0), address,
            bytes);
      end(ir, thread);
    }
}

}  // namespace vestige
