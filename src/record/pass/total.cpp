#include "total.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace vestige {

namespace {

// Types whose values may be kept (program/derive.h).
bool may_be_kept(const Type* type) {
  if (type->isStructTy() || type->isArrayTy() || type->isVectorTy())
    return llvm::all_of(type->subtypes(), may_be_kept);
  return type->isPointerTy() || type->isFloatingPointTy() || type->isIntegerTy();
}

// Zero where it is undefined, be it in one element only.
Constant* define(Constant* constant) {
  if (isa<UndefValue>(constant)) return Constant::getNullValue(constant->getType());
  if (!isa<ConstantAggregate>(constant)) return constant;
  SmallVector<Constant*, 8> elements;
  bool changed = false;
  for (const Use& use : constant->operands()) {
    elements.push_back(define(cast<Constant>(use.get())));
    changed |= elements.back() != use.get();
  }
  if (!changed) return constant;
  if (auto* type = dyn_cast<StructType>(constant->getType()))
    return ConstantStruct::get(type, elements);
  if (auto* type = dyn_cast<ArrayType>(constant->getType()))
    return ConstantArray::get(type, elements);
  return ConstantVector::get(elements);
}

void define_operands(Instruction& instruction) {
  if (isa<DbgInfoIntrinsic>(instruction)) return;
  for (Use& use : instruction.operands()) {
    auto* constant = dyn_cast<Constant>(use.get());
    if (!constant || !may_be_kept(constant->getType())) continue;
    if (Constant* defined = define(constant); defined != constant) use.set(defined);
  }
}

// Elements that may be anything are those of the same place, as far as there are such.
void define_lanes(ShuffleVectorInst& shuffle) {
  const auto* from = dyn_cast<FixedVectorType>(shuffle.getOperand(0)->getType());
  if (!from || !llvm::is_contained(shuffle.getShuffleMask(), PoisonMaskElem)) return;
  SmallVector<int, 16> mask(shuffle.getShuffleMask());
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i] == PoisonMaskElem) mask[i] = static_cast<int>(i % from->getNumElements());
  shuffle.setShuffleMask(mask);
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

// a × b + c, in one operation or two: whatever the target likes. Two where it has no other, as the
// code generator would have it, so that both can be derived.
void split_multiply_add(IntrinsicInst& intrinsic) {
  if (intrinsic.getIntrinsicID() != Intrinsic::fmuladd) return;
  const Type* type = intrinsic.getType()->getScalarType();
  const StringRef features =
      intrinsic.getFunction()->getFnAttribute("target-features").getValueAsString();
  if (features.contains("+fma") || (!type->isDoubleTy() && !type->isFloatTy())) return;
  IRBuilder<> ir(&intrinsic);
  Value* product = ir.CreateFMul(intrinsic.getArgOperand(0), intrinsic.getArgOperand(1));
  intrinsic.replaceAllUsesWith(ir.CreateFAdd(product, intrinsic.getArgOperand(2)));
  intrinsic.eraseFromParent();
}

void mask_amount(BinaryOperator& shift) {
  Type* type = shift.getType();
  const unsigned bits = type->getScalarSizeInBits();
  Value* amount = shift.getOperand(1);
  if (const auto* constant = dyn_cast<ConstantInt>(amount)) {
    if (constant->getValue().uge(bits))
      shift.setOperand(1, ConstantInt::get(type, constant->getValue().urem(bits)));
    return;
  }
  // Of a vector, each element.
  if (const auto* elements = dyn_cast<ConstantDataVector>(amount)) {
    bool fits = true;
    for (unsigned i = 0; i < elements->getNumElements(); ++i)
      fits &= elements->getElementAsAPInt(i).ult(bits);
    if (fits) return;
  }
  IRBuilder<> ir(&shift);
  shift.setOperand(1, isPowerOf2_32(bits) ? ir.CreateAnd(amount, ConstantInt::get(type, bits - 1))
                                          : ir.CreateURem(amount, ConstantInt::get(type, bits)));
}

}  // namespace

void make_total(llvm::Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    instruction.dropPoisonGeneratingFlags();
    instruction.dropPoisonGeneratingMetadata();
    if (isa<FPMathOperator>(instruction)) instruction.copyFastMathFlags(FastMathFlags());
    define_operands(instruction);
    if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) define_lanes(*shuffle);
    if (instruction.isShift()) mask_amount(cast<BinaryOperator>(instruction));
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
      define_all_inputs(*intrinsic);
      split_multiply_add(*intrinsic);  // last: it may be gone
    }
  }
}

}  // namespace vestige
