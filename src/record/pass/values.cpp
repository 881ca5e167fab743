#include "values.h"

#include "library_calls.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "order.h"
#include "program/derive.h"
#include "record/protocol.h"
#include "rounding.h"

using namespace llvm;

namespace vestige {

namespace {

// The module's own way into the runtime: a direct call that no register is kept for, as there
// would be for an address out of the GOT; and one that runs no lazy binding, which saves fewer
// registers than the convention promises.
enum class Visited : uint8_t { rarely, often };
llvm::Function* way_into(Module& module, StringRef name, FunctionType* type,
                         Visited visited = Visited::rarely) {
  const std::string here_name = (name + "_here").str();
  if (llvm::Function* known = module.getFunction(here_name)) return known;
  auto* there = llvm::Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  auto* here = llvm::Function::Create(type, GlobalValue::LinkOnceODRLinkage, here_name, module);
  here->setVisibility(GlobalValue::HiddenVisibility);
  here->setComdat(module.getOrInsertComdat(here_name));
  here->addFnAttr(Attribute::NoInline);
  here->addFnAttr("vestige-recorded");
  for (llvm::Function* function : {there, here}) {
    function->setCallingConv(CallingConv::PreserveMost);
    function->addFnAttr(Attribute::NonLazyBind);
    function->addFnAttr(Attribute::NoUnwind);
    if (visited == Visited::rarely) function->addFnAttr(Attribute::Cold);
  }
  IRBuilder<> ir(BasicBlock::Create(module.getContext(), "", here));
  SmallVector<Value*, 4> arguments;
  for (Argument& argument : here->args()) arguments.push_back(&argument);
  CallInst* call = ir.CreateCall(there, arguments);
  call->setCallingConv(CallingConv::PreserveMost);
  // In the large code model clang jumps through a register that it has restored by then.
  call->setTailCallKind(module.getCodeModel() == CodeModel::Large ? CallInst::TCK_NoTail
                                                                  : CallInst::TCK_MustTail);
  type->getReturnType()->isVoidTy() ? ir.CreateRetVoid() : ir.CreateRet(call);
  return here;
}

static_assert(static_cast<uint64_t>(LibraryMeasure::Kind::allocated) ==
                  static_cast<uint64_t>(protocol::Measure::allocated) &&
              kUnmeasured == protocol::kUnmeasured);
static_assert(kShadowBytes == protocol::kShadowBytes && kShadowPiece == protocol::kShadowPiece);

MDNode* unlikely(LLVMContext& context) {
  return MDBuilder(context).createBranchWeights(1, 1 << 20);
}

}  // namespace

RuntimeCalls::RuntimeCalls(Module& module) {
  LLVMContext& context = module.getContext();
  auto* wide = Type::getInt64Ty(context);
  auto* pointer = PointerType::get(context, 0);
  auto* nothing = Type::getVoidTy(context);
  thread_ = module.getNamedGlobal("__vestige_thread");
  if (!thread_) {
    thread_ = new GlobalVariable(module, ArrayType::get(wide, sizeof(VestigeThread) / 8), false,
                                 GlobalValue::ExternalLinkage, nullptr, "__vestige_thread", nullptr,
                                 GlobalVariable::InitialExecTLSModel);
    thread_->setAlignment(Align(8));
  }
  full = way_into(module, "__vestige_full", FunctionType::get(pointer, {pointer}, false));
  run = way_into(module, "__vestige_run",
                 FunctionType::get(pointer, {pointer, Type::getInt32Ty(context)}, false));
  run_end = way_into(module, "__vestige_run_end",
                     FunctionType::get(pointer, {pointer, pointer}, false), Visited::often);
  tell_value =
      way_into(module, "__vestige_tell", FunctionType::get(nothing, {pointer, wide, wide}, false));
  tell_own = way_into(module, "__vestige_tell_own",
                      FunctionType::get(nothing, {pointer, pointer, wide, wide}, false));
  look_at_rounding =
      way_into(module, "__vestige_look_at_rounding", FunctionType::get(nothing, {pointer}, false));
  check =
      way_into(module, "__vestige_check", FunctionType::get(nothing, {pointer, wide, wide}, false));
  decide = way_into(module, "__vestige_decide", FunctionType::get(wide, false));
  auto* work = FunctionType::get(nothing, {wide, wide, wide}, false);
  copy = way_into(module, "__vestige_copy", work);
  fill = way_into(module, "__vestige_fill", work);
  measure = way_into(module, "__vestige_measure",
                     FunctionType::get(wide, {wide, wide, wide, wide}, false), Visited::often);
  atomic_begin = way_into(module, "__vestige_atomic_begin",
                          FunctionType::get(nothing, {wide}, false), Visited::often);
  atomic_end = way_into(module, "__vestige_atomic_end",
                        FunctionType::get(pointer, {pointer, wide, wide}, false), Visited::often);
  order_begin =
      way_into(module, "__vestige_order_begin",
               FunctionType::get(nothing, {pointer, wide, wide, wide}, false), Visited::often);
  order_copy = way_into(module, "__vestige_order_copy",
                        FunctionType::get(nothing, {pointer, wide, wide, wide, wide}, false),
                        Visited::often);
  order_end =
      way_into(module, "__vestige_order_end", FunctionType::get(nothing, false), Visited::often);
}

Value* RuntimeCalls::field(Inserter& ir, unsigned index) const {
  return ir.CreateConstInBoundsGEP1_64(ir.getInt64Ty(), ir.CreateThreadLocalAddress(thread_),
                                       index);
}

bool takes_arguments_as_passed(const llvm::Function& function) {
  if (function.hasFnAttribute(kBehindIfunc)) return false;
  return llvm::none_of(function.args(), [](const Argument& argument) {
    return argument.hasPassPointeeByValueCopyAttr() || argument.hasByRefAttr();
  });
}

Values::Values(llvm::Function& function, const Body& body, const Function& described,
               const RuntimeCalls& thread, Value* slot, Value* next, bool checks, bool order)
    : function_(function),
      body_(body),
      described_(described),
      thread_(thread),
      slot_(slot),
      next_(next),
      kept_(described),
      part_indices_(described, kept_),
      sources_(sources_of(described, kept_)),
      first_measures_(first_measures(described, part_indices_.end)),
      checks_(checks),
      order_(order),
      knows_itself_(takes_arguments_as_passed(function)) {
  for (uint32_t i = 0; i < body.layout.statements.size(); ++i)
    index_[body.layout.statements[i]] = i;
}

void Values::enter(Instruction* before) {
  Inserter ir(before);
  SmallVector<Argument*, 8> kept;
  for (Argument& argument : function_.args())
    if (kept_.kept(described_.arguments[argument.getArgNo()])) kept.push_back(&argument);
  auto* wide = ir.getInt64Ty();
  Value* called = ir.CreateLoad(wide, thread_.field(ir, kCallee));
  ir.CreateStore(ir.getInt64(0), thread_.field(ir, kCallee));
  Instruction* at = before;
  if (knows_itself_) {
    Value* unknown = ir.CreateICmpNE(called, ir.CreatePtrToInt(&function_, wide));
    at = SplitBlockAndInsertIfThen(unknown, before->getIterator(), false,
                                   unlikely(function_.getContext()));
  }
  look_at_rounding(at);
  for (Argument* argument : kept)
    tell_own_apart(at, argument, described_.statements.size() + argument->getArgNo(),
                   described_.arguments[argument->getArgNo()]);
}

void Values::slots() {
  for (const SharedSlot& slot : body_.slots) {
    const uint32_t index = index_.lookup(slot.alloca_);
    Value* place = slot.alloca_;
    if (sources_[index] == Source::beside) {
      Inserter ir(slot.before);
      auto* wide = ir.getInt64Ty();
      place = ir.CreateSub(ir.CreatePtrToInt(place, wide),
                           ir.CreatePtrToInt(body_.slots[0].alloca_, wide));
    }
    tell_own(slot.before, place, index, described_.statements[index].type);
    check(slot.before, slot.alloca_, index);
  }
}

namespace {

// __builtin_setjmp and __builtin_longjmp: calls, but of nothing that has an address.
bool is_jump(const CallBase& call) {
  const Intrinsic::ID id = call.getIntrinsicID();
  return id == Intrinsic::eh_sjlj_setjmp || id == Intrinsic::eh_sjlj_longjmp;
}

bool is_inline(const CallBase& call) {
  return (isa<llvm::IntrinsicInst>(call) && !is_jump(call)) || sets_rounding(call);
}

}  // namespace

void Values::call(CallBase& call) {
  if (is_inline(call)) return;
  Inserter ir(&call);
  auto* wide = ir.getInt64Ty();
  Value* callee = is_jump(call) ? static_cast<Value*>(ir.getInt64(0))
                                : ir.CreatePtrToInt(call.getCalledOperand(), wide);
  ir.CreateStore(callee, thread_.field(ir, kCallee));
  ir.CreateStore(ir.getInt64(0), thread_.field(ir, kAck));
}

void Values::come_back(CallBase& call, Instruction* before) {
  if (is_inline(call)) {
    if (sets_rounding(call)) look_at_rounding(before);
    return;
  }
  const uint32_t index = index_.lookup(&call);
  const uint32_t type = described_.statements[index].type;
  const bool kept = kept_.kept(type);
  std::optional<LibraryCall> library;
  if (has_library_effects(described_.statements[index])) library = library_call(call);
  const bool may_round = !library && may_set_rounding(call);
  if (!kept && !may_round && (!library || (library->measures.empty() && !order_))) return;
  if (is_jump(call)) {
    tell_own_apart(before, &call, index, type);
    check(before, &call, index);
    return;
  }
  Inserter ir(before);
  auto* wide = ir.getInt64Ty();
  Value* ack = ir.CreateLoad(wide, thread_.field(ir, kAck));
  Value* unknown = ir.CreateICmpNE(ack, ir.CreatePtrToInt(call.getCalledOperand(), wide));
  Instruction* at = SplitBlockAndInsertIfThen(unknown, before->getIterator(), false);
  if (may_round) look_at_rounding(at);
  if (kept) tell_own_apart(at, &call, index, type);
  if (library) {
    const Numbers measures = measure(at, call, *library, index);
    if (order_) order_library_call(at, call, *library, measures, index, thread_, next_);
  }
  if (kept) check(before, &call, index);
}

// What was allocated is asked before it is given back; all else when the call is back.
Values::Numbers Values::measure(Instruction* before, CallBase& call, const LibraryCall& library,
                                uint32_t index) {
  Numbers all;
  for (uint32_t m = 0; m < library.measures.size(); ++m) {
    const LibraryMeasure& what = library.measures[m];
    const bool early = what.kind == LibraryMeasure::Kind::allocated;
    Inserter ir(early ? &call : before);
    auto* wide = ir.getInt64Ty();
    const auto term = [&](const LibraryTerm& of, uint64_t otherwise) -> Value* {
      if (of.kind == LibraryTerm::Kind::number) return ir.getInt64(of.number);
      if (of.kind == LibraryTerm::Kind::none) return ir.getInt64(otherwise);
      Value* value = of.kind == LibraryTerm::Kind::result ? static_cast<Value*>(&call)
                                                          : call.getArgOperand(of.number);
      return value->getType()->isPointerTy() ? ir.CreatePtrToInt(value, wide)
                                             : ir.CreateSExtOrTrunc(value, wide);
    };
    Value* of = term(what.of, 0);
    // The bound is `with` where only one thing is measured.
    const bool alone = what.kind == LibraryMeasure::Kind::text;
    Value* with = alone ? ir.getInt64(0) : term(what.with, 0);
    Value* most = term(alone ? what.with : what.most, UINT64_MAX);
    if (what.least != 0) {
      Value* assigned = ir.CreateICmpSGE(&call, ConstantInt::get(call.getType(), what.least));
      of = ir.CreateSelect(assigned, of, ir.getInt64(0));
    }
    ir.SetCurrentDebugLocation(call.getDebugLoc());
    CallInst* measured = ir.CreateCall(
        thread_.measure, {ir.getInt64(static_cast<uint64_t>(what.kind)), of, with, most});
    measured->setCallingConv(CallingConv::PreserveMost);
    tell_number_apart(before, measured, first_measures_[index] + m);
    all.push_back(measured);
  }
  return all;
}

void Values::arrive(LandingPadInst& pad, Instruction* before) {
  look_at_rounding(before);
  for (const Instruction& at : *pad.getParent()) {
    const uint32_t index = index_.lookup(&at);
    const uint32_t type = described_.statements[index].type;
    auto* statement = body_.layout.statements[index];
    if (sources_[index] == Source::told) tell_own_apart(before, statement, index, type);
    if (kept_.kept(type)) check(before, statement, index);
    if (&at == &pad) break;
  }
}

void Values::look_at_rounding(Instruction* before) {
  Inserter ir(before);
  ir.SetCurrentDebugLocation(before->getDebugLoc());
  ir.CreateCall(thread_.look_at_rounding, {ir.CreateLoad(ir.getPtrTy(), next_)})
      ->setCallingConv(CallingConv::PreserveMost);
}

void Values::leave(Instruction* before) {
  if (!knows_itself_) return;
  Inserter ir(before);
  ir.CreateStore(ir.CreatePtrToInt(&function_, ir.getInt64Ty()), thread_.field(ir, kAck));
}

Value* Values::as_integer(Inserter& ir, Value* value) const {
  Type* type = value->getType();
  if (type->isPointerTy()) return ir.CreatePtrToInt(value, ir.getInt64Ty());
  if (type->isFloatTy()) return ir.CreateBitCast(value, ir.getInt32Ty());
  if (type->isDoubleTy()) return ir.CreateBitCast(value, ir.getInt64Ty());
  const unsigned bits = type->getIntegerBitWidth();
  return ir.CreateZExt(value, ir.getIntNTy(bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64));
}

Value* Values::own_place(Inserter& ir, uint64_t index) const {
  Value* base = ir.CreateZExt(ir.CreateLoad(ir.getInt32Ty(), slot_), ir.getInt64Ty());
  return ir.CreateShl(ir.CreateAdd(base, ir.getInt64(index)), 3);
}

Value* Values::in_shadow(Inserter& ir, Value* address) const {
  Value* shadow = ir.CreateLoad(ir.getPtrTy(), thread_.field(ir, kShadow));
  return ir.CreateGEP(ir.getInt8Ty(), shadow, ir.CreateAnd(address, kShadowBytes - 1));
}

void Values::add_parts(Inserter& ir, Value* value, const Shape& shape, Numbers& numbers) const {
  switch (shape.kind) {
    case Shape::Kind::none:
      return;
    case Shape::Kind::simple:
      numbers.push_back(as_integer(ir, value));
      return;
    case Shape::Kind::vector:
      for (uint32_t i = 0; i < shape.count; ++i)
        add_parts(ir, ir.CreateExtractElement(value, i), shape.element(i), numbers);
      return;
    case Shape::Kind::array:
    case Shape::Kind::structure:
      for (uint32_t i = 0; i < shape.count; ++i)
        add_parts(ir, ir.CreateExtractValue(value, i), shape.element(i), numbers);
      return;
    default:
      break;
  }
  Value* bits = ir.CreateBitCast(value, ir.getIntNTy(shape.bits));
  for (uint64_t at = 0; at < shape.bits; at += 64) {
    Value* rest = at == 0 ? bits : ir.CreateLShr(bits, at);
    Type* piece = ir.getIntNTy(std::min<uint64_t>(64, shape.bits - at));
    numbers.push_back(as_integer(ir, ir.CreateTrunc(rest, piece)));
  }
}

Values::Numbers Values::parts_of(Inserter& ir, Value* value, uint32_t type) const {
  Numbers numbers;
  add_parts(ir, value, kept_.shape(type), numbers);
  return numbers;
}

uint64_t Values::part_index(uint64_t index, uint32_t part) const {
  if (part == 0) return index;
  const uint64_t statements = described_.statements.size();
  return part + (index < statements ? part_indices_.statements[index]
                                    : part_indices_.arguments[index - statements]);
}

void Values::tell_own(Instruction* before, Value* value, uint64_t index, uint32_t type) {
  Inserter ir(before);
  if (kept_.simple(type)) return tell(before, own_place(ir, index), value, index, type);
  SmallVector<Value*, 8> places;
  for (uint32_t p = 0; p < kept_.parts(type).size(); ++p)
    places.push_back(in_shadow(ir, own_place(ir, part_index(index, p))));
  tell_parts(before, places, value, index, type);
}

// Behind code that is not recorded: what it cost hides a call.
void Values::tell_own_apart(Instruction* before, Value* value, uint64_t index, uint32_t type) {
  if (!kept_.simple(type)) return tell_own(before, value, index, type);
  Inserter ir(before);
  tell_number_apart(before, as_integer(ir, value), index);
}

void Values::tell_number_apart(Instruction* before, Value* number, uint64_t index) {
  Inserter ir(before);
  ir.SetCurrentDebugLocation(before->getDebugLoc());
  const uint64_t bytes = number->getType()->getIntegerBitWidth() / 8;
  ir.CreateCall(thread_.tell_own, {ir.CreateLoad(ir.getPtrTy(), next_), slot_,
                                   ir.getInt64(index | bytes << protocol::kOwnBytes),
                                   ir.CreateZExt(number, ir.getInt64Ty())})
      ->setCallingConv(CallingConv::PreserveMost);
}

void Values::tell(Instruction* before, Value* address, Value* value, uint64_t index,
                  uint32_t type) {
  Inserter ir(before);
  Value* place = in_shadow(ir, address);
  if (kept_.simple(type)) {
    Value* number = as_integer(ir, value);
    Value* seen = ir.CreateAlignedLoad(number->getType(), place, Align(1));
    return tell_when(ir.CreateICmpNE(seen, number), before, place, number, index);
  }
  if (kept_.shape(type).kind == Shape::Kind::vector)
    return tell_vector(before, place, value, index, type);
  SmallVector<Value*, 8> places;
  for (const Part& part : kept_.parts(type))
    places.push_back(ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), place, part.offset));
  tell_parts(before, places, value, index, type);
}

// One comparison for all elements: in memory they lie side by side.
void Values::tell_vector(Instruction* before, Value* place, Value* value, uint64_t index,
                         uint32_t type) {
  Inserter ir(before);
  auto* vector = cast<FixedVectorType>(value->getType());
  Value* numbers = value;
  if (vector->getElementType()->isPointerTy())
    numbers =
        ir.CreatePtrToInt(value, FixedVectorType::get(ir.getInt64Ty(), vector->getNumElements()));
  Type* whole = ir.getIntNTy(kept_.shape(type).bits);
  Value* seen = ir.CreateAlignedLoad(whole, place, Align(1));
  Value* differs = ir.CreateICmpNE(seen, ir.CreateBitCast(numbers, whole));
  Instruction* rare = SplitBlockAndInsertIfThen(differs, before->getIterator(), false,
                                                unlikely(function_.getContext()));
  Inserter slow(rare);
  SmallVector<Value*, 8> places;
  for (const Part& part : kept_.parts(type))
    places.push_back(slow.CreateConstInBoundsGEP1_64(slow.getInt8Ty(), place, part.offset));
  tell_parts(rare, places, value, index, type);
}

void Values::tell_parts(Instruction* before, ArrayRef<Value*> places, Value* value, uint64_t index,
                        uint32_t type) {
  Inserter ir(before);
  const Numbers numbers = parts_of(ir, value, type);
  SmallVector<Value*, 8> differ;
  Value* any = ir.getFalse();
  for (size_t p = 0; p < numbers.size(); ++p) {
    Value* seen = ir.CreateAlignedLoad(numbers[p]->getType(), places[p], Align(1));
    differ.push_back(ir.CreateICmpNE(seen, numbers[p]));
    any = ir.CreateOr(any, differ.back());
  }
  Instruction* rare = SplitBlockAndInsertIfThen(any, before->getIterator(), false,
                                                unlikely(function_.getContext()));
  for (size_t p = 0; p < numbers.size(); ++p)
    tell_when(differ[p], rare, places[p], numbers[p], part_index(index, p));
}

void Values::tell_when(Value* differs, Instruction* before, Value* place, Value* number,
                       uint64_t index) {
  Instruction* rare = SplitBlockAndInsertIfThen(differs, before->getIterator(), false,
                                                unlikely(function_.getContext()));
  Inserter slow(rare);
  slow.SetCurrentDebugLocation(before->getDebugLoc());
  slow.CreateAlignedStore(number, place, Align(1));
  CallInst* call = slow.CreateCall(thread_.tell_value,
                                   {slow.CreateLoad(slow.getPtrTy(), next_), slow.getInt64(index),
                                    slow.CreateZExt(number, slow.getInt64Ty())});
  call->setCallingConv(CallingConv::PreserveMost);
}

void Values::check(Instruction* before, Value* value, uint64_t index) {
  if (!checks_) return;
  Inserter ir(before);
  ir.SetCurrentDebugLocation(before->getDebugLoc());
  const Numbers numbers = parts_of(ir, value, described_.statements[index].type);
  for (size_t p = 0; p < numbers.size(); ++p)
    ir.CreateCall(thread_.check,
                  {ir.CreateLoad(ir.getPtrTy(), next_), ir.getInt64(part_index(index, p)),
                   ir.CreateZExt(numbers[p], ir.getInt64Ty())})
        ->setCallingConv(CallingConv::PreserveMost);
}

void Values::follow_store(StoreInst& store) {
  Inserter ir(store.getNextNode());
  Value* address = ir.CreatePtrToInt(store.getPointerOperand(), ir.getInt64Ty());
  const Statement& described = described_.statements[index_.lookup(&store)];
  const uint32_t type = type_of(described_, described.operands[0]);
  Value* place = in_shadow(ir, address);
  if (!kept_.simple(type)) return follow_wide_store(ir, place, store.getValueOperand(), type);
  ir.CreateAlignedStore(as_integer(ir, store.getValueOperand()), place, Align(1));
}

void Values::follow_wide_store(Inserter& ir, Value* place, Value* value, uint32_t type) {
  if (kept_.shape(type).kind == Shape::Kind::vector) {
    ir.CreateAlignedStore(value, place, Align(1));
    return;
  }
  const Numbers numbers = parts_of(ir, value, type);
  for (size_t p = 0; p < numbers.size(); ++p)
    ir.CreateAlignedStore(
        numbers[p],
        ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), place, kept_.parts(type)[p].offset),
        Align(1));
}

// Short ones of fixed length are one piece, done here.
void Values::follow_memory(MemIntrinsic& work) {
  Inserter ir(&work);
  auto* wide = ir.getInt64Ty();
  Value* to = ir.CreatePtrToInt(work.getRawDest(), wide);
  Value* length = ir.CreateZExtOrTrunc(work.getLength(), wide);
  const auto* fixed = dyn_cast<ConstantInt>(length);
  const bool is_short = fixed && fixed->getZExtValue() <= kShadowPiece;
  if (auto* transfer = dyn_cast<MemTransferInst>(&work)) {
    Value* from = ir.CreatePtrToInt(transfer->getRawSource(), wide);
    if (is_short)
      ir.CreateMemMove(in_shadow(ir, to), Align(1), in_shadow(ir, from), Align(1), length);
    else
      ir.CreateCall(thread_.copy, {to, from, length})->setCallingConv(CallingConv::PreserveMost);
  } else {
    Value* byte = cast<MemSetInst>(work).getValue();
    if (is_short)
      ir.CreateMemSet(in_shadow(ir, to), byte, length, Align(1));
    else
      ir.CreateCall(thread_.fill, {to, ir.CreateZExt(byte, wide), length})
          ->setCallingConv(CallingConv::PreserveMost);
  }
}

namespace {

// A landing pad and the phis before it: they are told when control is back (arrive).
bool in_front_of_pad(const Instruction* statement) {
  return isa<LandingPadInst>(statement) ||
         (isa<PHINode>(statement) && isa<LandingPadInst>(statement->getParent()->getFirstNonPHI()));
}

}  // namespace

void Values::statements() {
  for (const Segment& segment : body_.layout.segments) {
    const uint32_t first = segment.first_statement;
    uint32_t phis = first;
    while (phis < first + segment.statement_count && isa<PHINode>(body_.layout.statements[phis]))
      ++phis;
    // Phis are told behind all of them, each in front of those told before: so the last goes first.
    for (uint32_t i = phis; i-- > first;) statement(i, sources_[i]);
    for (uint32_t i = phis; i < first + segment.statement_count; ++i) statement(i, sources_[i]);
  }
  // Last: the statements are others then.
  for (uint32_t i = 0; i < sources_.size(); ++i)
    if (Instruction* statement = body_.layout.statements[i];
        sources_[i] == Source::derived && isa<FPToSIInst, FPToUIInst>(statement))
      define_conversion(*cast<CastInst>(statement));
}

// What it gives for numbers that do not fit is open in LLVM, and what the machine does to them
// otherwise.
void Values::define_conversion(CastInst& conversion) {
  const unsigned bits = conversion.getType()->getIntegerBitWidth();
  const Op op = isa<FPToSIInst>(conversion) ? Op::fp_to_si : Op::fp_to_ui;
  const bool wide = conversion_width(op, bits) == 64;
  Value* number = conversion.getOperand(0);
  const bool is_double = number->getType()->isDoubleTy();
  const Intrinsic::ID instruction =
      is_double ? (wide ? Intrinsic::x86_sse2_cvttsd2si64 : Intrinsic::x86_sse2_cvttsd2si)
                : (wide ? Intrinsic::x86_sse_cvttss2si64 : Intrinsic::x86_sse_cvttss2si);
  Inserter ir(&conversion);
  auto* row = FixedVectorType::get(number->getType(), is_double ? 2 : 4);
  Value* first = ir.CreateInsertElement(PoisonValue::get(row), number, uint64_t{0});
  Value* whole = ir.CreateIntrinsic(instruction, {}, {first});
  conversion.replaceAllUsesWith(ir.CreateTrunc(whole, conversion.getType()));
  conversion.eraseFromParent();
}

void Values::statement(uint32_t i, Source source) {
  Instruction* statement = body_.layout.statements[i];
  if (auto* store = dyn_cast<StoreInst>(statement)) {
    if (source == Source::derived) follow_store(*store);
  } else if (auto* work = dyn_cast<MemIntrinsic>(statement)) {
    if (source == Source::derived) follow_memory(*work);
  } else if (source == Source::loaded) {
    auto* load = cast<LoadInst>(statement);
    Instruction* behind = load->getNextNode();
    Inserter ir(behind);
    tell(behind, ir.CreatePtrToInt(load->getPointerOperand(), ir.getInt64Ty()), load, i,
         described_.statements[i].type);
    check(behind, load, i);
  } else if ((source == Source::told || source == Source::derived) && !statement->isTerminator() &&
             !is_slot(statement) && !in_front_of_pad(statement)) {
    Instruction* behind = isa<PHINode>(statement) ? &*statement->getParent()->getFirstInsertionPt()
                                                  : statement->getNextNode();
    // Each goes behind what is there already. Where blocks are split, `behind` stays in front of
    // the rest, so what is inserted before it comes in this order.
    if (source == Source::told) tell_own(behind, statement, i, described_.statements[i].type);
    check(behind, statement, i);
  }
}

bool Values::is_slot(const Instruction* statement) const {
  return llvm::any_of(body_.slots,
                      [&](const SharedSlot& slot) { return slot.alloca_ == statement; });
}

}  // namespace vestige
