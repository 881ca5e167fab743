#include "atomics.h"

#include "llvm/IR/InstIterator.h"
#include "record/protocol.h"
#include "values.h"

using namespace llvm;

namespace vestige {

namespace {

using protocol::SyncKind;

constexpr unsigned kResult = 8;      // the first bit of what goes with the kind
constexpr unsigned kFailure = 12;    // of a compare-exchange's order when it fails
constexpr unsigned kNotStored = 16;  // the bit that says that it failed

struct AtomicUse {
  SyncKind kind;
  AtomicOrdering order;
  Value* address;  // null: none
};

AtomicUse operation_of(Instruction& instruction) {
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return {SyncKind::atomic_load, load->getOrdering(), load->getPointerOperand()};
  if (auto* store = dyn_cast<StoreInst>(&instruction))
    return {SyncKind::atomic_store, store->getOrdering(), store->getPointerOperand()};
  if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction))
    return {SyncKind::atomic_rmw, rmw->getOrdering(), rmw->getPointerOperand()};
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return {SyncKind::atomic_cmpxchg, exchange->getSuccessOrdering(),
            exchange->getPointerOperand()};
  return {SyncKind::fence, cast<FenceInst>(instruction).getOrdering(), nullptr};
}

}  // namespace

void fence_flushes(llvm::Function& function) {
  for (Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->getName() != "__kmpc_flush") continue;
    Inserter before(&instruction);
    before.SetCurrentDebugLocation(instruction.getDebugLoc());
    before.CreateFence(AtomicOrdering::SequentiallyConsistent);
  }
}

void stamp(Instruction& instruction, const RuntimeCalls& thread, Value* next) {
  const AtomicUse operation = operation_of(instruction);
  Inserter before(&instruction);
  auto* wide = before.getInt64Ty();
  Value* address = before.getInt64(0);
  if (operation.address) {
    address = before.CreatePtrToInt(operation.address, wide);
    before.CreateCall(thread.atomic_begin, {address})->setCallingConv(CallingConv::PreserveMost);
  }

  Inserter behind(instruction.getNextNode());
  behind.SetCurrentDebugLocation(instruction.getDebugLoc());
  uint64_t fixed = static_cast<uint64_t>(operation.kind) |
                   static_cast<uint64_t>(toCABI(operation.order)) << kResult;
  Value* what = nullptr;
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    fixed |= static_cast<uint64_t>(toCABI(exchange->getFailureOrdering())) << kFailure;
    Value* failed = behind.CreateNot(behind.CreateExtractValue(exchange, 1));
    what = behind.CreateOr(behind.CreateShl(behind.CreateZExt(failed, wide), kNotStored), fixed);
  } else {
    what = behind.getInt64(fixed);
  }
  CallInst* fresh = behind.CreateCall(thread.atomic_end,
                                      {behind.CreateLoad(behind.getPtrTy(), next), address, what});
  fresh->setCallingConv(CallingConv::PreserveMost);
  behind.CreateStore(fresh, next);
}

}  // namespace vestige
