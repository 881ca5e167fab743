// A plain block counter to check Vestige against: one counter per basic block, at the same
// extension point, in the same compilation, before Vestige's pass. It shares no code with it on
// purpose.
//
// Blocks are numbered in layout order. At the start of each block stands one `lock incq counter`,
// as inline assembly: exact with threads, and not an atomic operation to Vestige's pass, which
// would end a path there. At unload each translation unit hands its counters to count_runtime.c:
//
//     __count_dump(unit, table, functions, counters)
//     table: per function its name and how many blocks it has, in the order of the counters
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace {

struct CountPass : PassInfoMixin<CountPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    SmallVector<Function*, 32> functions;
    uint64_t total = 0;
    for (Function& function : module) {
      if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
          function.hasFnAttribute(Attribute::Naked))
        continue;
      functions.push_back(&function);
      total += function.size();
    }
    if (functions.empty()) return PreservedAnalyses::all();

    LLVMContext& context = module.getContext();
    Type* i64 = Type::getInt64Ty(context);
    PointerType* pointer = PointerType::getUnqual(context);
    ArrayType* counter_type = ArrayType::get(i64, total);
    auto* counters =
        new GlobalVariable(module, counter_type, false, GlobalValue::InternalLinkage,
                           ConstantAggregateZero::get(counter_type), "__count_counters");
    InlineAsm* increment =
        InlineAsm::get(FunctionType::get(Type::getVoidTy(context), {pointer}, false),
                       "lock incq $0", "=*m,~{dirflag},~{fpsr},~{flags}", true);

    StructType* row_type = StructType::get(context, {pointer, i64});
    SmallVector<Constant*, 32> rows;
    uint64_t number = 0;
    for (Function* function : functions) {
      IRBuilder<> builder(context);
      rows.push_back(ConstantStruct::get(row_type, {string(module, function->getName()),
                                                    ConstantInt::get(i64, function->size())}));
      for (BasicBlock& block : *function) {
        builder.SetInsertPoint(&block, block.getFirstInsertionPt());
        builder.SetCurrentDebugLocation(DebugLoc());
        Value* counter = ConstantExpr::getInBoundsGetElementPtr(
            counter_type, counters,
            ArrayRef<Constant*>{ConstantInt::get(i64, 0), ConstantInt::get(i64, number++)});
        CallInst* call = builder.CreateCall(increment, {counter});
        call->addParamAttr(0, Attribute::get(context, Attribute::ElementType, i64));
      }
    }
    add_dump(module, counters, row_type, rows);
    return PreservedAnalyses::none();
  }

  static Constant* string(Module& module, StringRef text) {
    Constant* bytes = ConstantDataArray::getString(module.getContext(), text);
    return new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes,
                              "__count_string");
  }

  // A destructor with the last priority, so that it runs behind what the program does at its end.
  // Naked of blocks that count: it is made after the counting, and named so that the comparison
  // leaves it out of Vestige's functions.
  static void add_dump(Module& module, Constant* counters, StructType* row_type,
                       ArrayRef<Constant*> rows) {
    LLVMContext& context = module.getContext();
    auto* table_type = ArrayType::get(row_type, rows.size());
    auto* table = new GlobalVariable(module, table_type, true, GlobalValue::InternalLinkage,
                                     ConstantArray::get(table_type, rows), "__count_table");
    Type* i64 = Type::getInt64Ty(context);
    PointerType* pointer = PointerType::getUnqual(context);
    FunctionCallee dump = module.getOrInsertFunction("__count_dump", Type::getVoidTy(context),
                                                     pointer, pointer, i64, pointer);
    auto* finish = Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                    GlobalValue::InternalLinkage, "__count_finish", module);
    IRBuilder<> builder(BasicBlock::Create(context, "", finish));
    builder.CreateCall(dump, {string(module, module.getSourceFileName()), table,
                              ConstantInt::get(i64, rows.size()), counters});
    builder.CreateRetVoid();
    appendToGlobalDtors(module, finish, 0);
  }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "count", "1", [](PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(CountPass()); });
          }};
}
