#include "variables.h"

#include <algorithm>
#include <map>
#include <set>

#include "expressions.h"
#include "initial_data.h"
#include "library_calls.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "program/variable_record.h"
#include "source_types.h"

using namespace llvm;

namespace vestige {

namespace {

bool is_tagged_language(const llvm::Function& function) {
  const Module& module = *function.getParent();
  const DISubprogram* written = function.getSubprogram();
  const DICompileUnit* unit = written ? written->getUnit() : nullptr;
  if (!unit && module.debug_compile_units().empty()) return false;
  if (!unit) unit = *module.debug_compile_units_begin();
  switch (unit->getSourceLanguage()) {
    case dwarf::DW_LANG_C:
    case dwarf::DW_LANG_C89:
    case dwarf::DW_LANG_C99:
    case dwarf::DW_LANG_C11:
    case dwarf::DW_LANG_C17:
      return true;
    default:
      return false;
  }
}

// Longer constants are tables rather than values of variables.
constexpr uint64_t kMostCopied = 256;
// What a global begins with is described once, and so are literals.
constexpr uint64_t kMostInitial = 1 << 16;
constexpr uint64_t kMostText = 4096;

using Detail = SourceTypes::Detail;

class VariableDescriber {
 public:
  VariableDescriber(const llvm::Function& from, const Layout& layout, const DescribedPlaces& places,
                    bool is_home, Function& out)
      : from_(from),
        layout_(layout),
        places_(places),
        is_home_(is_home),
        out_(out),
        types_(out.source_types, is_tagged_language(from)),
        dominators_(const_cast<llvm::Function&>(from)) {}

  void describe() {
    for (const BasicBlock* block : layout_.blocks) describe_block(*block);
    if (const DISubprogram* written = from_.getSubprogram())
      for (const DINode* node : written->getRetainedNodes())
        if (const auto* local = dyn_cast_or_null<DILocalVariable>(node)) variable(local, nullptr);
    describe_globals();
    describe_texts();
    sort_bindings();
  }

 private:
  // By position; those of one position stay in order.
  void sort_bindings() {
    std::vector<std::pair<uint32_t, uint32_t>> order;
    for (uint32_t i = 0; i < out_.bindings.size(); ++i)
      order.emplace_back(out_.bindings[i].position, i);
    std::ranges::sort(order);
    std::vector<Binding> sorted;
    for (const auto& [position, i] : order) sorted.push_back(std::move(out_.bindings[i]));
    out_.bindings = std::move(sorted);
  }

  // Debug records stand before an instruction; invisible ones do not count.
  void describe_block(const BasicBlock& block) {
    uint32_t position = layout_.first_statement[layout_.block_index.lookup(&block)];
    for (const Instruction& instruction : block) {
      for (const DbgVariableRecord& record :
           filterDbgVars(const_cast<Instruction&>(instruction).getDbgRecordRange()))
        describe_record(record, position);
      if (const auto* old = dyn_cast<DbgVariableIntrinsic>(&instruction))
        describe_intrinsic(*old, position);
      const auto at = layout_.statement_index.find(&instruction);
      if (at == layout_.statement_index.end()) continue;
      position = at->second + 1;
      if (instruction.isLifetimeStartOrEnd()) describe_lifetime(instruction, position);
      describe_thread_local(instruction, position);
      describe_copy(instruction);
    }
  }

  // The bytes of a constant that is copied: nothing else would tell what the copy holds.
  void describe_copy(const Instruction& instruction) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) return;
    if (const auto* copy = dyn_cast<MemTransferInst>(call))
      return describe_constant(copy->getSource());
    const auto library = library_call(*call);
    if (!library) return;
    // What it copies, and of a text that it prints the format and its arguments.
    bool prints = false;
    for (const LibraryRange& range : library->ranges) {
      if (range.kind == LibraryRange::Kind::copy && range.from.kind == LibraryTerm::Kind::argument)
        describe_constant(call->getArgOperand(range.from.number));
      prints |= range.kind == LibraryRange::Kind::computed && call->getFunctionType()->isVarArg();
    }
    for (const Use& argument : call->args())
      if (prints && argument->getType()->isPointerTy()) describe_constant(argument);
  }

  void describe_constant(const Value* source) {
    const auto* from = dyn_cast<GlobalVariable>(source->stripInBoundsOffsets());
    if (!from || !from->isConstant()) return;
    const uint32_t symbol = places_.symbol(*from);
    if (symbol == kNone || !held_.insert(from).second) return;
    if (!hold(*from, symbol, kMostCopied, places_.symbol)) held_.erase(from);
  }

  bool hold(const GlobalVariable& global, uint32_t symbol, uint64_t most,
            const std::function<uint32_t(const GlobalValue&)>& number) {
    auto data = initial_data(global, most, number);
    if (!data) return false;
    data->symbol = symbol;
    // A copy reads all of it; of a variable, zeros follow from its size.
    const uint64_t size =
        from_.getParent()->getDataLayout().getTypeAllocSize(global.getValueType());
    const bool named = global.hasMetadata(LLVMContext::MD_dbg);
    if (size <= (named ? kMostCopied : most)) data->bytes.resize(size);
    out_.data.push_back(std::move(*data));
    return true;
  }

  struct Site {
    uint32_t variable;
    uint32_t position;
  };
  struct Source {
    const DIExpression* expression;
    SmallVector<const Value*, 4> values;
    bool killed;
  };

  void describe_record(const DbgVariableRecord& record, uint32_t position) {
    Source source{record.getExpression(), {}, record.isKillLocation()};
    for (const Value* value : record.location_ops()) source.values.push_back(value);
    const Site site{variable(record.getVariable(), record.getDebugLoc().getInlinedAt()), position};
    if (site.variable == kNone) return;
    if (record.getType() == DbgVariableRecord::LocationType::Declare) return declare(site, source);
    if (record.isDbgAssign()) {
      const bool stored = !record.isKillAddress() && !at::getAssignmentInsts(&record).empty();
      return assign(site, source, stored ? record.getAddress() : nullptr,
                    record.getAddressExpression());
    }
    value(site, source);
  }

  void describe_intrinsic(const DbgVariableIntrinsic& old, uint32_t position) {
    Source source{old.getExpression(), {}, old.isKillLocation()};
    for (const Value* value : old.location_ops()) source.values.push_back(value);
    const Site site{variable(old.getVariable(), old.getDebugLoc().getInlinedAt()), position};
    if (site.variable == kNone) return;
    if (isa<DbgDeclareInst>(old)) return declare(site, source);
    if (const auto* assigned = dyn_cast<DbgAssignIntrinsic>(&old)) {
      const bool stored = !assigned->isKillAddress() && !at::getAssignmentInsts(assigned).empty();
      return assign(site, source, stored ? assigned->getAddress() : nullptr,
                    assigned->getAddressExpression());
    }
    value(site, source);
  }

  uint32_t variable(const DILocalVariable* local, const DILocation* inlined_at) {
    const auto [at, fresh] = numbers_.try_emplace({local, inlined_at}, kNone);
    if (!fresh) return at->second;
    if (local->getName().empty()) return kNone;
    Variable v;
    v.name = local->getName().str();
    v.type = types_(local->getType(), Detail::full);
    v.location =
        places_.location(local->getFile(), local->getLine(), local->getScope(), inlined_at);
    v.parameter = local->getArg();
    out_.variables.push_back(std::move(v));
    return at->second = static_cast<uint32_t>(out_.variables.size() - 1);
  }

  std::optional<BindingOperand> operand(const Value* value) const {
    BindingOperand o;
    if (isa_and_nonnull<Instruction>(value)) {
      const auto at = layout_.statement_index.find(cast<Instruction>(value));
      if (at == layout_.statement_index.end()) return std::nullopt;
      o.kind = BindingOperand::Kind::statement;
      o.index = at->second;
      return o;
    }
    if (const auto* argument = dyn_cast_or_null<Argument>(value)) {
      o.kind = BindingOperand::Kind::argument;
      o.index = argument->getArgNo();
      return o;
    }
    if (const auto* integer = dyn_cast_or_null<ConstantInt>(value)) {
      if (integer->getBitWidth() > 64) return std::nullopt;
      o.number = integer->getZExtValue();
      return o;
    }
    if (const auto* number = dyn_cast_or_null<ConstantFP>(value)) {
      if (!number->getType()->isFloatTy() && !number->getType()->isDoubleTy()) return std::nullopt;
      o.number = number->getValueAPF().bitcastToAPInt().getZExtValue();
      return o;
    }
    if (isa_and_nonnull<ConstantPointerNull>(value)) return o;
    if (const auto* constant = dyn_cast_or_null<llvm::Constant>(value);
        constant && constant->getType()->isPointerTy()) {
      const DataLayout& data = from_.getParent()->getDataLayout();
      APInt offset(data.getIndexTypeSizeInBits(constant->getType()), 0);
      const Value* base = constant->stripAndAccumulateConstantOffsets(data, offset, true);
      const auto* global = dyn_cast<GlobalValue>(base);
      if (!global || global->isThreadLocal()) return std::nullopt;
      o.kind = BindingOperand::Kind::symbol;
      o.index = places_.symbol(*global);
      o.number = static_cast<uint64_t>(offset.getSExtValue());
      if (o.index == kNone) return std::nullopt;
      return o;
    }
    return std::nullopt;
  }

  // Debug records may name a value that is computed further on: that says nothing.
  bool comes_before(const Value* value, const Site& site) const {
    const auto* definition = dyn_cast<Instruction>(value);
    if (!definition) return true;
    const auto at = layout_.statement_index.find(definition);
    if (at == layout_.statement_index.end()) return false;
    const BasicBlock* here = layout_.statements[site.position]->getParent();
    if (definition->getParent() == here) return at->second < site.position;
    return dominators_.dominates(definition, here);
  }

  // A binding with its operands and steps; `unknown` when they cannot be followed.
  Binding make(const Site& site, Binding::Kind kind, const LocationExpression& expression,
               ArrayRef<const Value*> values) {
    Binding b;
    b.position = site.position;
    b.variable = site.variable;
    b.kind = kind;
    b.first_bit = expression.first_bit;
    b.bits = expression.bits;
    bool known = expression.known && !values.empty() && values.size() <= kMostBindingOperands;
    for (const Value* value : values) {
      if (!known) break;
      const auto one = operand(value);
      known = one.has_value();
      if (known) b.operands.push_back(*one);
    }
    const auto late = [&](const Value* value) { return !comes_before(value, site); };
    if (known && std::ranges::any_of(values, late)) {
      b.kind = Binding::Kind::lost;
      b.operands.clear();
    } else if (known) {
      b.steps = expression.steps;
    } else {
      b.kind = Binding::Kind::unknown;
      b.operands.clear();
    }
    return b;
  }

  void add(Binding binding) {
    const SourceType& type = out_.source_types[out_.variables[binding.variable].type];
    if (binding.bits && (uint64_t{binding.first_bit} + binding.bits + 7) / 8 > type.bytes) return;
    if (binding.bits == type.bytes * 8) binding.first_bit = binding.bits = 0;
    out_.bindings.push_back(std::move(binding));
  }

  void value(const Site& site, const Source& source) {
    const LocationExpression expression = translate(*source.expression);
    if (source.killed) {
      Binding b = make(site, Binding::Kind::lost, expression, {});
      b.kind = Binding::Kind::lost;
      return add(std::move(b));
    }
    const Binding::Kind kind = expression.address ? Binding::Kind::memory : Binding::Kind::value;
    add(make(site, kind, expression, source.values));
    if (expression.address) remember(source.values[0], out_.bindings.back());
  }

  // It lives where it was stored, and its value is told besides; or only the value is left.
  void assign(const Site& site, const Source& source, const Value* stored_at,
              const DIExpression* address_expression) {
    if (!stored_at) return value(site, source);
    const LocationExpression part = translate(*source.expression);
    LocationExpression where = translate(*address_expression);
    where.first_bit = part.first_bit;
    where.bits = part.bits;
    Binding memory = make(site, Binding::Kind::memory, where, {stored_at});
    const bool lives = memory.kind == Binding::Kind::memory;
    if (!lives) return value(site, source);
    add(std::move(memory));
    remember(stored_at, out_.bindings.back());
    if (source.killed || part.address) return;
    Binding content = make(site, Binding::Kind::content, part, source.values);
    if (content.kind == Binding::Kind::content) add(std::move(content));
  }

  // A declaration holds for the whole life of its memory, wherever it stands: parameters are
  // stored before it.
  void declare(Site site, const Source& source) {
    if (source.killed || source.values.empty()) return;
    const Value* address = source.values[0];
    LocationExpression expression = translate(*source.expression);
    const Binding::Kind kind = expression.address ? Binding::Kind::behind : Binding::Kind::memory;
    if (const auto* definition = dyn_cast<Instruction>(address)) {
      const auto at = layout_.statement_index.find(definition);
      if (at != layout_.statement_index.end() && !definition->isTerminator())
        site.position = at->second + 1;
    } else {
      site.position = 0;
    }
    Binding binding = make(site, kind, expression, {address});
    remember(address, binding);
    const auto* slot = dyn_cast<AllocaInst>(address);
    bool begins_later = false;
    if (slot && binding.kind == Binding::Kind::memory) {
      for (const User* user : slot->users()) {
        const auto* intrinsic = dyn_cast<IntrinsicInst>(user);
        if (!intrinsic || intrinsic->getIntrinsicID() != Intrinsic::lifetime_start) continue;
        const auto at = layout_.statement_index.find(intrinsic);
        if (at == layout_.statement_index.end()) continue;
        Binding begun = binding;
        begun.position = at->second + 1;
        add(std::move(begun));
        begins_later = true;
      }
    }
    if (!begins_later) add(std::move(binding));
  }

  // Which variables live in a slot: they end with it.
  void remember(const Value* address, const Binding& binding) {
    if (!isa<AllocaInst>(address) || binding.kind != Binding::Kind::memory) return;
    auto& list = tenants_[cast<AllocaInst>(address)];
    if (std::ranges::find(list, binding.variable) == list.end()) list.push_back(binding.variable);
    for (const uint32_t position : ends_[cast<AllocaInst>(address)])
      end(binding.variable, position);
  }

  void describe_lifetime(const Instruction& instruction, uint32_t position) {
    const auto& intrinsic = cast<IntrinsicInst>(instruction);
    if (intrinsic.getIntrinsicID() != Intrinsic::lifetime_end) return;
    const auto* slot = dyn_cast<AllocaInst>(intrinsic.getArgOperand(1)->stripPointerCasts());
    if (!slot) return;
    ends_[slot].push_back(position);
    for (const uint32_t variable : tenants_[slot]) end(variable, position);
  }

  void end(uint32_t variable, uint32_t position) {
    if (!ended_.insert({variable, position}).second) return;
    Binding b;
    b.position = position;
    b.variable = variable;
    b.kind = Binding::Kind::ended;
    out_.bindings.push_back(std::move(b));
  }

  // Globals that the statements name; at home all that the module defines, so that those are known
  // that only other modules use. They are named here as well: they are in this module whatever
  // becomes of its functions, unless they are in a group of their own.
  void describe_globals() {
    for (const GlobalVariable& global : from_.getParent()->globals()) {
      if (!global.hasMetadata(LLVMContext::MD_dbg)) continue;
      const bool is_own = is_home_ && !global.isDeclaration() && !global.hasComdat() &&
                          !global.hasAvailableExternallyLinkage() && global.hasName();
      const uint32_t symbol = is_own ? places_.name(global) : places_.symbol(global);
      if (symbol == kNone) continue;
      const uint32_t number =
          global_variable(global, symbol, is_own ? Detail::full : Detail::brief);
      if (is_own && number != kNone && held_.insert(&global).second)
        hold(global, symbol, kMostInitial, [&](const GlobalValue& value) {
          return may_name(value) ? places_.name(value) : kNone;
        });
    }
  }

  // At home the module's literals, which have no name in the source: library functions read them
  // through pointers that came from anywhere.
  void describe_texts() {
    if (!is_home_) return;
    const auto number = [](const GlobalValue&) { return kNone; };
    for (const GlobalVariable& global : from_.getParent()->globals()) {
      const auto* list = dyn_cast<ArrayType>(global.getValueType());
      if (!list || !list->getElementType()->isIntegerTy(8)) continue;
      if (!global.isConstant() || !global.hasLocalLinkage() || !global.hasName()) continue;
      if (global.hasSection() || global.use_empty() || !may_name(global)) continue;
      if (list->getNumElements() > kMostText || !held_.insert(&global).second) continue;
      hold(global, places_.name(global), kMostText, number);
    }
  }

  // Whether naming it refers to nothing that its module does not refer to anyway.
  static bool may_name(const GlobalValue& value) {
    return !value.hasComdat() && !value.hasAvailableExternallyLinkage() &&
           !value.getName().starts_with("llvm.");
  }

  uint32_t global_variable(const GlobalVariable& global, uint32_t symbol, Detail detail) {
    if (const auto known = globals_.find(&global); known != globals_.end()) return known->second;
    SmallVector<DIGlobalVariableExpression*, 1> all;
    global.getDebugInfo(all);
    uint32_t number = kNone;
    for (const DIGlobalVariableExpression* one : all) {
      const DIGlobalVariable* declared = one->getVariable();
      if (number != kNone || !declared || declared->getName().empty()) continue;
      if (one->getExpression() && one->getExpression()->getNumElements() != 0) continue;
      Variable v;
      v.name = declared->getName().str();
      v.type = types_(declared->getType(), detail);
      v.location =
          places_.location(declared->getFile(), declared->getLine(), declared->getScope(), nullptr);
      v.symbol = symbol;
      out_.variables.push_back(std::move(v));
      number = static_cast<uint32_t>(out_.variables.size() - 1);
    }
    return globals_[&global] = number;
  }

  // Where a thread's copy of a global is, the thread finds out itself.
  void describe_thread_local(const Instruction& instruction, uint32_t position) {
    const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    if (!intrinsic || intrinsic->getIntrinsicID() != Intrinsic::threadlocal_address) return;
    const auto* global = dyn_cast<GlobalVariable>(intrinsic->getArgOperand(0));
    const uint32_t symbol = global ? places_.symbol(*global) : kNone;
    if (symbol == kNone || !global->hasMetadata(LLVMContext::MD_dbg)) return;
    const uint32_t variable =
        global_variable(*global, symbol, is_home_ ? Detail::full : Detail::brief);
    if (variable == kNone) return;
    add(make({variable, position}, Binding::Kind::memory, LocationExpression{}, {intrinsic}));
  }

  const llvm::Function& from_;
  const Layout& layout_;
  const DescribedPlaces& places_;
  const bool is_home_;
  Function& out_;
  SourceTypes types_;
  DominatorTree dominators_;
  std::map<std::pair<const DILocalVariable*, const DILocation*>, uint32_t> numbers_;
  DenseMap<const GlobalVariable*, uint32_t> globals_;
  DenseSet<const GlobalVariable*> held_;  // whose bytes are described
  DenseMap<const AllocaInst*, std::vector<uint32_t>> tenants_, ends_;
  std::set<std::pair<uint32_t, uint32_t>> ended_;
};

}  // namespace

void describe_variables(const llvm::Function& from, const Layout& layout,
                        const DescribedPlaces& places, bool is_home, Function& out) {
  VariableDescriber(from, layout, places, is_home, out).describe();
}

}  // namespace vestige
