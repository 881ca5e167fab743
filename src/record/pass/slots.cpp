#include "slots.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "record/protocol.h"
#include "values.h"

using namespace llvm;

namespace vestige {

namespace {

constexpr StringRef kAddressSection = "vestige_addr";

}  // namespace

bool is_address_list(const GlobalVariable& global) {
  return global.getSection() == kAddressSection;
}

GlobalVariable* add_slot(llvm::Function& function, ArrayRef<uint8_t> record,
                         const Function& described, bool has_order) {
  Module& module = *function.getParent();
  LLVMContext& context = module.getContext();
  auto* bytes = ConstantDataArray::get(context, record);
  auto* table = new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage,
                                   bytes, "__vestige_record");
  table->setSection("vestige_program");
  table->setAlignment(Align(1));

  // What its symbols' addresses are is known to the loader only.
  auto* pointer = PointerType::get(context, 0);
  std::vector<llvm::Constant*> known = {takes_arguments_as_passed(function)
                                            ? static_cast<llvm::Constant*>(&function)
                                            : ConstantPointerNull::get(pointer)};
  for (const std::string& symbol : described.symbols) {
    GlobalValue* value = module.getNamedValue(symbol);
    const auto* called = dyn_cast_or_null<llvm::Function>(value);
    // Of an ifunc, code may have another address (the linker's stub) than data.
    if (!value || value->isThreadLocal() || isa<GlobalIFunc>(value) ||
        (called && called->isIntrinsic()))
      known.push_back(ConstantPointerNull::get(pointer));
    else
      known.push_back(value);
  }
  auto* list = ArrayType::get(pointer, known.size());
  auto* addresses = new GlobalVariable(module, list, true, GlobalValue::PrivateLinkage,
                                       ConstantArray::get(list, known), "__vestige_addresses");
  addresses->setSection(kAddressSection);
  addresses->setAlignment(Align(8));

  auto* word = Type::getInt32Ty(context);
  auto* layout = StructType::get(word, word, word, word, word, word, word, word);
  constexpr unsigned kRecordField = 3, kAddressesField = 5;
  static_assert(sizeof(VestigeFunctionSlot) == 8 * 4 &&
                offsetof(VestigeFunctionSlot, record) == 4 * kRecordField &&
                offsetof(VestigeFunctionSlot, addresses) == 4 * kAddressesField);
  auto* slot = new GlobalVariable(module, layout, false, GlobalValue::PrivateLinkage, nullptr,
                                  "__vestige_slot");
  slot->setSection("vestige_fn");
  slot->setAlignment(Align(sizeof(VestigeFunctionSlot)));
  auto* wide = Type::getInt64Ty(context);
  const auto distance = [&](GlobalVariable* to, unsigned field) {
    llvm::Constant* from = ConstantExpr::getInBoundsGetElementPtr(
        layout, slot,
        ArrayRef<llvm::Constant*>{ConstantInt::get(word, 0), ConstantInt::get(word, field)});
    return ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(to, wide),
                                                       ConstantExpr::getPtrToInt(from, wide)),
                                  word);
  };
  const auto number = [&](uint64_t n) -> llvm::Constant* { return ConstantInt::get(word, n); };
  slot->setInitializer(ConstantStruct::get(
      layout, ArrayRef<llvm::Constant*>{
                  number(protocol::kUnregistered), number(described.path_count),
                  number(record.size()), distance(table, kRecordField), number(known.size()),
                  distance(addresses, kAddressesField), number(has_order), number(0)}));
  for (GlobalVariable* global : {table, addresses, slot}) {
    if (Comdat* group = function.getComdat()) global->setComdat(group);
    GlobalValue::SanitizerMetadata none;
    none.NoAddress = none.NoHWAddress = true;
    global->setSanitizerMetadata(none);
  }
  appendToUsed(module, {table, addresses, slot});
  return slot;
}

namespace {

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

// The last entry of a list of constructors or destructors goes to its front: of equal priority,
// constructors run in this order, destructors in the opposite one.
void bring_forward(Module& module, StringRef list) {
  GlobalVariable* entries = module.getNamedGlobal(list);
  const auto* all = cast<ConstantArray>(entries->getInitializer());
  std::vector<llvm::Constant*> order = {cast<llvm::Constant>(all->op_end()[-1])};
  for (unsigned i = 0; i + 1 < all->getNumOperands(); ++i) order.push_back(all->getOperand(i));
  entries->setInitializer(ConstantArray::get(all->getType(), order));
}

}  // namespace

void add_module_hooks(Module& module) {
  if (module.getFunction("__vestige_module_begin")) return;
  auto* begin = module_hook(module, "__vestige_module_begin", "__vestige_module_load");
  auto* end = module_hook(module, "__vestige_module_end", "__vestige_module_unload");
  appendToGlobalCtors(module, begin, 0, begin);
  appendToGlobalDtors(module, end, 0, end);
  bring_forward(module, "llvm.global_ctors");
  bring_forward(module, "llvm.global_dtors");
}

}  // namespace vestige
