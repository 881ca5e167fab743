#include "describe.h"

#include <map>
#include <tuple>

#include "library_calls.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "opcodes.h"
#include "program/control_dependence.h"
#include "program/untold.h"
#include "variables.h"

using namespace llvm;

namespace vestige {

uint64_t probe_guid(const Function& function) {
  const std::string text = function.unit + '\0' + function.name;
  return xxh3_64bits(text);
}

namespace {

uint32_t low(uint64_t v) { return static_cast<uint32_t>(v); }
uint32_t high(uint64_t v) { return static_cast<uint32_t>(v >> 32); }

// A table of strings that gives each distinct one a number.
class StringTable {
 public:
  explicit StringTable(std::vector<std::string>& list) : list_(list) {}
  uint32_t operator()(const std::string& name) {
    const auto [at, fresh] = numbers_.try_emplace(name, list_.size());
    if (fresh) list_.push_back(name);
    return at->second;
  }
  // kNone when it is not in the table.
  uint32_t find(const std::string& name) const {
    const auto at = numbers_.find(name);
    return at == numbers_.end() ? kNone : at->second;
  }

 private:
  std::vector<std::string>& list_;
  std::map<std::string, uint32_t> numbers_;
};

class Describer {
 public:
  Describer(llvm::Function& from, const Layout& layout, bool is_home)
      : from_(from),
        layout_(layout),
        is_home_(is_home),
        data_(from.getParent()->getDataLayout()),
        files_(out_.files),
        scopes_(out_.scopes),
        types_(out_.types),
        symbols_(out_.symbols) {}

  Function describe(const LoopInfo& loops) {
    out_.name = from_.getName().str();
    out_.unit = from_.getParent()->getSourceFileName();
    if (const DISubprogram* written = from_.getSubprogram()) {
      out_.file = file(*written->getFile());
      out_.line = written->getLine();
    }
    for (const Argument& argument : from_.args())
      out_.arguments.push_back(type(argument.getType()));
    out_.segments = layout_.segments;
    out_.path_count = layout_.numbering.path_count;
    describe_loops(loops);
    describe_blocks(loops);
    find_control_dependences(out_.blocks);
    describe_variables(
        from_, layout_,
        {.location = [this](auto... what) { return declaration(what...); },
         .symbol = [this](const GlobalValue& v) { return symbols_.find(v.getName().str()); },
         .name = [this](const GlobalValue& v) { return symbols_(v.getName().str()); }},
        is_home_, out_);
    return std::move(out_);
  }

 private:
  uint32_t type(Type* t) {
    if (const auto at = type_numbers_.find(t); at != type_numbers_.end()) return at->second;
    return type_numbers_[t] = types_(spelled(t));
  }

  // As LLVM prints it, but structures by what they consist of: that is all a reader has.
  static std::string spelled(Type* t) {
    const auto list = [&] {
      std::string text;
      for (Type* part : t->subtypes()) text += (text.empty() ? "" : ", ") + spelled(part);
      return text;
    };
    if (auto* structure = dyn_cast<StructType>(t); structure && structure->getNumElements() != 0)
      return structure->isPacked() ? "<{ " + list() + " }>" : "{ " + list() + " }";
    if (auto* array = dyn_cast<ArrayType>(t))
      return "[" + std::to_string(array->getNumElements()) + " x " +
             spelled(array->getElementType()) + "]";
    std::string text;
    raw_string_ostream(text) << *t;
    return text;
  }

  uint32_t file(const DIFile& f) {
    SmallString<256> path(f.getFilename());
    if (!sys::path::is_absolute(path) && !f.getDirectory().empty()) {
      path = f.getDirectory();
      sys::path::append(path, f.getFilename());
    }
    return files_(path.str().str());
  }

  // Call sites are numbered before what was inlined there, so chains point backwards.
  uint32_t location(const DILocation* at) {
    if (!at) return kNone;
    if (const auto known = locations_.find(at); known != locations_.end()) return known->second;
    Location l;
    l.inlined_at = location(at->getInlinedAt());
    l.line = at->getLine();
    l.column = at->getColumn();
    if (const DIFile* f = at->getFile()) l.file = file(*f);
    l.scope = scope(at->getScope());
    out_.locations.push_back(l);
    return locations_[at] = out_.locations.size() - 1;
  }

  // The function that a scope is in.
  uint32_t scope(const DIScope* within) {
    const auto* local = dyn_cast_or_null<DILocalScope>(within);
    const DISubprogram* written = local ? local->getSubprogram() : nullptr;
    if (!written) return kNone;
    const StringRef name = written->getLinkageName();
    return scopes_((name.empty() ? written->getName() : name).str());
  }

  uint32_t declaration(const DIFile* in, uint32_t line, const DIScope* within,
                       const DILocation* inlined_at) {
    Location l;
    l.inlined_at = location(inlined_at);
    l.line = line;
    if (in) l.file = file(*in);
    l.scope = scope(within);
    // Variables of one line share it.
    const auto key = std::tuple(l.file, l.line, l.scope, l.inlined_at);
    const auto [at, fresh] = declarations_.try_emplace(key, out_.locations.size());
    if (fresh) out_.locations.push_back(l);
    return at->second;
  }

  uint32_t constant(const llvm::Constant* c) {
    if (const auto known = constants_.find(c); known != constants_.end()) return known->second;
    Constant k;
    k.type = type(c->getType());
    if (const auto* integer = dyn_cast<ConstantInt>(c)) {
      k.kind = Constant::Kind::integer;
      put_bits(integer->getValue(), k.bytes);
    } else if (const auto* number = dyn_cast<ConstantFP>(c)) {
      k.kind = Constant::Kind::floating;
      put_bits(number->getValueAPF().bitcastToAPInt(), k.bytes);
    } else if (isa<ConstantPointerNull>(c)) {
      k.kind = Constant::Kind::null;
    } else if (isa<UndefValue>(c)) {
      k.kind = Constant::Kind::undefined;
    } else if (isa<ConstantAggregateZero>(c)) {
      k.kind = Constant::Kind::zero;
    } else if (const auto* global = dyn_cast<GlobalValue>(c)) {
      if (!global->isThreadLocal()) k.kind = Constant::Kind::symbol;
      k.symbol = symbols_(global->getName().str());
    } else if (const auto* sequence = dyn_cast<ConstantDataSequential>(c)) {
      k.kind = Constant::Kind::aggregate;
      for (unsigned i = 0; i < sequence->getNumElements(); ++i)
        k.parts.push_back(constant(sequence->getElementAsConstant(i)));
    } else if (isa<ConstantAggregate>(c)) {
      k.kind = Constant::Kind::aggregate;
      for (const Use& part : c->operands()) k.parts.push_back(constant(cast<llvm::Constant>(part)));
    } else if (const auto* expression = dyn_cast<ConstantExpr>(c)) {
      describe_expression(*expression, k);
    }
    out_.constants.push_back(std::move(k));
    return constants_[c] = out_.constants.size() - 1;
  }

  void describe_expression(const ConstantExpr& expression, Constant& k) {
    APInt offset(data_.getIndexTypeSizeInBits(PointerType::get(expression.getContext(), 0)), 0);
    if (expression.getType()->isPointerTy()) {
      const Value* base = expression.stripAndAccumulateConstantOffsets(data_, offset, true);
      if (const auto* global = dyn_cast<GlobalValue>(base); global && !global->isThreadLocal()) {
        k.kind = Constant::Kind::symbol;
        k.symbol = symbols_(global->getName().str());
        k.offset = offset.getSExtValue();
        return;
      }
    }
    k.kind = Constant::Kind::expression;
    k.op = op_of(expression.getOpcode());
    for (const Use& part : expression.operands())
      k.parts.push_back(constant(cast<llvm::Constant>(part)));
  }

  static void put_bits(const APInt& value, std::vector<uint8_t>& bytes) {
    for (unsigned bit = 0; bit < value.getBitWidth(); bit += 8)
      bytes.push_back(value.extractBitsAsZExtValue(std::min(8u, value.getBitWidth() - bit), bit));
  }

  Operand operand(const Value* v) {
    if (const auto* instruction = dyn_cast<Instruction>(v)) {
      const auto at = layout_.statement_index.find(instruction);
      if (at != layout_.statement_index.end()) return {Operand::Kind::statement, at->second};
    } else if (const auto* argument = dyn_cast<Argument>(v)) {
      return {Operand::Kind::argument, argument->getArgNo()};
    } else if (const auto* block = dyn_cast<BasicBlock>(v)) {
      return {Operand::Kind::block, layout_.block_index.lookup(block)};
    } else if (const auto* c = dyn_cast<llvm::Constant>(v)) {
      return {Operand::Kind::constant, constant(c)};
    }
    return {};
  }

  // The numbers docs/format.md lists for each op.
  void attributes(const Instruction& i, Statement& s) {
    auto& a = s.attributes;
    const auto access = [&](Type* accessed, Align align, bool is_volatile, AtomicOrdering order) {
      a = {low(data_.getTypeStoreSize(accessed).getKnownMinValue()), Log2(align), is_volatile,
           static_cast<uint32_t>(order)};
    };
    if (const auto* load = dyn_cast<LoadInst>(&i)) {
      access(load->getType(), load->getAlign(), load->isVolatile(), load->getOrdering());
    } else if (const auto* store = dyn_cast<StoreInst>(&i)) {
      access(store->getValueOperand()->getType(), store->getAlign(), store->isVolatile(),
             store->getOrdering());
    } else if (const auto* swap = dyn_cast<AtomicCmpXchgInst>(&i)) {
      access(swap->getNewValOperand()->getType(), swap->getAlign(), swap->isVolatile(),
             swap->getSuccessOrdering());
    } else if (const auto* rmw = dyn_cast<AtomicRMWInst>(&i)) {
      access(rmw->getValOperand()->getType(), rmw->getAlign(), rmw->isVolatile(),
             rmw->getOrdering());
      a.push_back(rmw->getOperation());
    } else if (const auto* fence = dyn_cast<FenceInst>(&i)) {
      a = {static_cast<uint32_t>(fence->getOrdering())};
    } else if (const auto* slot = dyn_cast<AllocaInst>(&i)) {
      const uint64_t size = data_.getTypeAllocSize(slot->getAllocatedType()).getKnownMinValue();
      a = {low(size), high(size), Log2(slot->getAlign())};
    } else if (const auto* compare = dyn_cast<CmpInst>(&i)) {
      a = {compare->getPredicate()};
    } else if (const auto* gep = dyn_cast<GetElementPtrInst>(&i)) {
      describe_address(*gep, s);
    } else if (const auto* extract = dyn_cast<ExtractValueInst>(&i)) {
      a.assign(extract->idx_begin(), extract->idx_end());
    } else if (const auto* insert = dyn_cast<InsertValueInst>(&i)) {
      a.assign(insert->idx_begin(), insert->idx_end());
    } else if (const auto* shuffle = dyn_cast<ShuffleVectorInst>(&i)) {
      for (const int lane : shuffle->getShuffleMask()) a.push_back(static_cast<uint32_t>(lane));
    } else if (const auto* call = dyn_cast<CallBase>(&i)) {
      a = {(call->isTailCall() ? 1u : 0) | (call->doesNotReturn() ? 2u : 0) |
           (cut_at(*call).returns_twice ? 4u : 0) | (call->isInlineAsm() ? 8u : 0)};
      if (const FunctionType* type = call->getFunctionType(); type->isVarArg())
        a[0] |= kVariadic | type->getNumParams() * kFixedArguments;
      if (const auto library = library_call(*call)) {
        const std::vector<uint32_t> ranges = library_attributes(*library);
        a.append(ranges.begin(), ranges.end());
      }
    }
  }

  // base + constant + Σ index·scale: what an evaluator needs, without the type it came from. The
  // operands become base and indices; vectors of addresses keep the operands they have.
  void describe_address(const GetElementPtrInst& gep, Statement& s) {
    if (gep.getType()->isVectorTy()) return;
    const unsigned bits = data_.getIndexTypeSizeInBits(gep.getType());
    APInt constant_part(bits, 0);
    MapVector<Value*, APInt> scaled;
    if (!gep.collectOffset(data_, bits, scaled, constant_part)) return;
    const uint64_t offset = constant_part.getSExtValue();
    s.attributes = {low(offset), high(offset)};
    s.operands = {operand(gep.getPointerOperand())};
    for (const auto& [index, scale] : scaled) {
      const uint64_t factor = scale.getSExtValue();
      s.operands.push_back(operand(index));
      s.attributes.push_back(low(factor));
      s.attributes.push_back(high(factor));
    }
  }

  Statement statement(const Instruction& i) {
    Statement s;
    s.op = op_of(i.getOpcode());
    s.pseudo = isa<PHINode>(i) || i.isLifetimeStartOrEnd();
    s.type = type(i.getType());
    s.location = location(i.getDebugLoc().get());
    if (const auto* phi = dyn_cast<PHINode>(&i)) {
      for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n) {
        s.operands.push_back(operand(phi->getIncomingValue(n)));
        s.operands.push_back(operand(phi->getIncomingBlock(n)));
      }
    } else {
      for (const Use& use : i.operands()) s.operands.push_back(operand(use));
    }
    attributes(i, s);
    if (const auto* call = dyn_cast<CallBase>(&i))
      if (const auto* callee =
              dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCastsAndAliases()))
        s.callee = symbols_(callee->getName().str());
    return s;
  }

  void describe_loops(const LoopInfo& loops) {
    for (const llvm::Loop* loop : const_cast<LoopInfo&>(loops).getLoopsInPreorder()) {
      const llvm::Loop* parent = loop->getParentLoop();
      loop_numbers_[loop] = out_.loops.size();
      out_.loops.push_back(
          {layout_.block_index.lookup(loop->getHeader()), parent ? loop_numbers_[parent] : kNone});
    }
  }

  void describe_blocks(const LoopInfo& loops) {
    for (uint32_t b = 0; b < layout_.blocks.size(); ++b) {
      const BasicBlock* from = layout_.blocks[b];
      Block block;
      block.first_statement = layout_.first_statement[b];
      const uint32_t end = b + 1 < layout_.blocks.size() ? layout_.first_statement[b + 1]
                                                         : layout_.statements.size();
      block.statement_count = end - block.first_statement;
      if (const llvm::Loop* loop = loops.getLoopFor(from)) block.loop = loop_numbers_[loop];
      for (const BasicBlock* to : successors(from))
        block.successors.push_back(layout_.block_index.lookup(to));
      for (uint32_t s = block.first_statement; s < end; ++s) {
        out_.statements.push_back(statement(*layout_.statements[s]));
        out_.statements.back().block = b;
      }
      out_.blocks.push_back(std::move(block));
    }
  }

  llvm::Function& from_;
  const Layout& layout_;
  const bool is_home_;
  const DataLayout& data_;
  Function out_;
  StringTable files_, scopes_, types_, symbols_;
  DenseMap<Type*, uint32_t> type_numbers_;
  DenseMap<const DILocation*, uint32_t> locations_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> declarations_;
  DenseMap<const llvm::Constant*, uint32_t> constants_;
  DenseMap<const llvm::Loop*, uint32_t> loop_numbers_;
};

}  // namespace

Function describe(llvm::Function& function, const Layout& layout, const LoopInfo& loops,
                  bool is_home) {
  return Describer(function, layout, is_home).describe(loops);
}

}  // namespace vestige
