#include "total.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace vestige {

namespace {

// Types whose values are derived (program/derive.h).
bool is_simple(const Type* type) {
  return type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

void define_operands(Instruction& instruction) {
  if (isa<DbgInfoIntrinsic>(instruction)) return;
  for (Use& use : instruction.operands())
    if (isa<UndefValue>(use.get()) && is_simple(use->getType()))
      use.set(Constant::getNullValue(use->getType()));
}

// What these give at one input is left open unless they are told.
void define_all_inputs(IntrinsicInst& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
    case Intrinsic::abs:
      intrinsic.setArgOperand(1, ConstantInt::getFalse(intrinsic.getContext()));
      break;
    default:
      break;
  }
}

void mask_amount(BinaryOperator& shift) {
  Type* type = shift.getType();
  if (!type->isIntegerTy()) return;
  const unsigned bits = type->getIntegerBitWidth();
  Value* amount = shift.getOperand(1);
  if (const auto* constant = dyn_cast<ConstantInt>(amount)) {
    if (constant->getValue().uge(bits))
      shift.setOperand(1, ConstantInt::get(type, constant->getValue().urem(bits)));
    return;
  }
  IRBuilder<> ir(&shift);
  shift.setOperand(1, isPowerOf2_32(bits)
                          ? ir.CreateAnd(amount, ConstantInt::get(type, bits - 1))
                          : ir.CreateURem(amount, ConstantInt::get(type, bits)));
}

}  // namespace

void make_total(llvm::Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    instruction.dropPoisonGeneratingFlags();
    instruction.dropPoisonGeneratingMetadata();
    if (isa<FPMathOperator>(instruction)) instruction.copyFastMathFlags(FastMathFlags());
    define_operands(instruction);
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction)) define_all_inputs(*intrinsic);
    if (instruction.isShift()) mask_amount(cast<BinaryOperator>(instruction));
  }
}

}  // namespace vestige
