#include "rounding.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace vestige {

bool sets_rounding(const CallBase& call) {
  if (const auto* assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    const StringRef text = assembly->getAsmString();
    return isa<CallInst>(call) && call.getType()->isVoidTy() &&
           text.contains_insensitive("ldmxcsr");
  }
  switch (call.getIntrinsicID()) {
    case Intrinsic::x86_sse_ldmxcsr:
    case Intrinsic::x86_fxrstor:
    case Intrinsic::x86_fxrstor64:
    case Intrinsic::x86_xrstor:
    case Intrinsic::x86_xrstor64:
    case Intrinsic::set_rounding:
    case Intrinsic::set_fpenv:
    case Intrinsic::reset_fpenv:
    case Intrinsic::set_fpmode:
    case Intrinsic::reset_fpmode:
      return true;
    default:
      return false;
  }
}

bool may_set_rounding(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee) return true;
  static const TargetLibraryInfoImpl known(Triple(call.getModule()->getTargetTriple()));
  LibFunc function;
  return !known.getLibFunc(*callee, function);
}

}  // namespace vestige
