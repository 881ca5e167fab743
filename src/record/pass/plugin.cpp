// The clang plugin: picks the functions to record at the end of the optimizer pipeline and records
// them. Required, so that optnone functions are not skipped; at every -O level; with LTO in the
// compile step.
#include "atomics.h"
#include "bodies.h"
#include "describe.h"
#include "instrument.h"
#include "layout.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "program/untold.h"
#include "slots.h"
#include "tail_calls.h"
#include "total.h"
#include "values.h"

using namespace llvm;

namespace vestige {

namespace {

// The code generator calls these by itself, from the middle of a path, with the ring pointer in a
// register: a recorded one would write over its caller's words.
const StringSet<>& called_by_the_compiler() {
  static const StringSet<> names{"memcpy",    "memmove",   "memset",       "bcmp",
                                 "memcmp",    "bzero",     "__memcpy_chk", "sqrt",
                                 "sqrtf",     "fma",       "fmaf",         "fmod",
                                 "fmodf",     "pow",       "powf",         "sin",
                                 "sinf",      "cos",       "cosf",         "exp",
                                 "expf",      "exp2",      "exp2f",        "log",
                                 "logf",      "log2",      "log2f",        "log10",
                                 "log10f",    "floor",     "floorf",       "ceil",
                                 "ceilf",     "trunc",     "truncf",       "rint",
                                 "rintf",     "nearbyint", "nearbyintf",   "round",
                                 "roundf",    "roundeven", "roundevenf",   "ldexp",
                                 "ldexpf",    "frexp",     "frexpf",       "fmin",
                                 "fminf",     "fmax",      "fmaxf",        "copysign",
                                 "copysignf", "sincos",    "sincosf",      "lrint",
                                 "lrintf",    "llrint",    "llrintf",      "lround",
                                 "lroundf",   "llround",   "llroundf",     "__stack_chk_fail",
                                 "__udivti3", "__divti3",  "__umodti3",    "__modti3",
                                 "__multi3"};
  return names;
}

// Resolvers of ifuncs, and what they call, run before relocation: thread-local addresses are not
// there yet.
DenseSet<const llvm::Function*> run_before_relocation(Module& module) {
  DenseSet<const llvm::Function*> found;
  SmallVector<llvm::Function*, 4> open;
  for (GlobalIFunc& ifunc : module.ifuncs())
    if (llvm::Function* resolver = ifunc.getResolverFunction()) open.push_back(resolver);
  while (!open.empty()) {
    llvm::Function* function = open.pop_back_val();
    if (!found.insert(function).second) continue;
    for (Instruction& instruction : instructions(*function))
      if (auto* call = dyn_cast<CallBase>(&instruction))
        if (llvm::Function* callee = call->getCalledFunction()) open.push_back(callee);
  }
  return found;
}

// Every function that a resolver mentions, in tables too, may be what it resolves to.
void mark_behind_ifuncs(const DenseSet<const llvm::Function*>& resolvers) {
  DenseSet<const llvm::Constant*> seen;
  SmallVector<llvm::Constant*, 8> open;
  const auto mention = [&](Value* value) {
    if (auto* constant = dyn_cast_or_null<llvm::Constant>(value);
        constant && seen.insert(constant).second)
      open.push_back(constant);
  };
  for (const llvm::Function* resolver : resolvers)
    for (const Instruction& instruction : instructions(*resolver))
      for (Value* operand : instruction.operands()) mention(operand);
  while (!open.empty()) {
    llvm::Constant* constant = open.pop_back_val();
    if (auto* function = dyn_cast<llvm::Function>(constant)) {
      if (!function->isIntrinsic()) function->addFnAttr(kBehindIfunc);
      continue;
    }
    for (Value* operand : constant->operands()) mention(operand);
  }
}

bool can_record(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(Attribute::Naked) &&
         !function.hasFnAttribute("vestige-recorded") &&
         !called_by_the_compiler().contains(function.getName());
}

// What the optimizer had inferred of functions holds no longer once they write to the ring: passes
// at link time must not move ring accesses across their calls, merge the calls or drop them. Other
// modules' functions may be recorded too, so declarations lose the promises as well.
void forget_promises(Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isIntrinsic()) {
      function.removeFnAttr(Attribute::Memory);
      function.removeFnAttr(Attribute::Speculatable);
      function.removeFnAttr(Attribute::NoSync);
    }
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call)) {
        call->removeFnAttr(Attribute::Memory);
        call->removeFnAttr(Attribute::Speculatable);
        call->removeFnAttr(Attribute::NoSync);
      }
  }
}

// Whether threads have anything to do with it. Modules that do not look like it can be told
// (vestige-cc --vestige-order, -pthread, -fopenmp).
bool is_threaded(const Module& module) {
  if (std::getenv("VESTIGE_PASS_ORDER")) return true;
  static constexpr StringRef kPrefixes[] = {"pthread_", "thrd_", "mtx_",  "cnd_",        "sem_",
                                            "__kmpc_",  "omp_",  "GOMP_", "_ZNSt6thread"};
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() && llvm::any_of(kPrefixes, [&](StringRef prefix) {
          return function.getName().starts_with(prefix);
        }))
      return true;
    for (const Instruction& instruction : instructions(function))
      if (instruction.isAtomic()) return true;
  }
  return false;
}

// The function that describes the module's globals: one that is in the program whatever other
// modules have, or else one that is made for it.
llvm::Function* home_of_globals(Module& module, ArrayRef<llvm::Function*> chosen) {
  const auto stays = [](const llvm::Function* function) {
    return !function->hasComdat() && !function->isInterposable();
  };
  for (llvm::Function* function : chosen)
    if (stays(function) && !function->hasLocalLinkage()) return function;
  for (llvm::Function* function : chosen)
    if (stays(function)) return function;
  const bool has_globals = llvm::any_of(module.globals(), [](const GlobalVariable& global) {
    return global.hasMetadata(LLVMContext::MD_dbg) && !global.isDeclaration() &&
           !global.hasComdat() && !global.hasAvailableExternallyLinkage();
  });
  if (!has_globals) return nullptr;
  LLVMContext& context = module.getContext();
  auto* home = llvm::Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                      GlobalValue::InternalLinkage, "vestige.globals", module);
  home->addFnAttr(Attribute::NoUnwind);
  ReturnInst::Create(context, BasicBlock::Create(context, "", home));
  return home;
}

// The code generator's search for common subexpressions compares each use of a thread-local address
// with all that come after: of functions this large it would take minutes, to find little.
void spare_large_functions(const Module& module) {
  constexpr size_t kLarge = 12000;  // blocks
  if (llvm::none_of(module, [](const llvm::Function& f) { return f.size() > kLarge; })) return;
  auto& options = cl::getRegisteredOptions();
  const auto search = options.find("disable-machine-cse");
  if (search != options.end() && search->second->getNumOccurrences() == 0)
    search->second->addOccurrence(0, "disable-machine-cse", "true");
}

struct RecordPass : PassInfoMixin<RecordPass> {
  explicit RecordPass(Telling telling) : telling_(telling) {}
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    const auto too_early = run_before_relocation(module);
    mark_behind_ifuncs(too_early);
    SmallVector<llvm::Function*, 32> chosen;
    for (llvm::Function& function : module)
      if (can_record(function) && !too_early.contains(&function)) chosen.push_back(&function);
    llvm::Function* home = home_of_globals(module, chosen);
    if (home && !llvm::is_contained(chosen, home)) chosen.push_back(home);
    if (chosen.empty()) return PreservedAnalyses::all();
    const bool order = telling_ != Telling::nothing && is_threaded(module);
    for (llvm::Function* function : chosen) {
      make_total(*function);
      fence_flushes(*function);
      if (expose_tail_calls(*function)) functions.clear(*function, function->getName());
      const Layout layout = lay_out(*function);
      Function described = describe(*function, layout, functions.getResult<LoopAnalysis>(*function),
                                    function == home);
      if (has_untold(described) && !(saves_much(described) && can_have_addresses(*function)))
        described.types.emplace_back(kTellsAll);
      instrument(*function, layout, described, telling_, order);
      functions.clear(*function, function->getName());
    }
    add_module_hooks(module);
    forget_promises(module);
    spare_large_functions(module);
    return PreservedAnalyses::none();
  }

 private:
  Telling telling_;
};

}  // namespace

}  // namespace vestige

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {
      LLVM_PLUGIN_API_VERSION, "vestige", "1", [](PassBuilder& builder) {
        builder.registerOptimizerLastEPCallback([](ModulePassManager& passes, OptimizationLevel) {
          // The drivers' --vestige-check; a plugin's own flags are read too early to see.
          passes.addPass(vestige::RecordPass(std::getenv("VESTIGE_PASS_CHECKS")
                                                 ? vestige::Telling::everything
                                                 : vestige::Telling::told_values));
        });
        builder.registerPipelineParsingCallback([](StringRef name, ModulePassManager& passes,
                                                   ArrayRef<PassBuilder::PipelineElement>) {
          if (name != "vestige" && name != "vestige-paths") return false;
          passes.addPass(vestige::RecordPass(
              name == "vestige-paths" ? vestige::Telling::nothing : vestige::Telling::told_values));
          return true;
        });
      }};
}
