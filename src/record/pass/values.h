// What a body that tells values does besides recording its paths: the shadow, the call edge, and
// the records of what could not be foreseen (program/derive.h says which and when).
//
//     tell:     if (shadow[address] != value) { shadow[address] = value; tell_value(next, index, value); }
//               of a wide value: first whether any part differs, then each by itself
//     store:    shadow[address] = value
//     memcpy:   shadow[to …] = shadow[from …]
#pragma once

#include <cstddef>

#include "bodies.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "program/derive.h"
#include "program/library.h"
#include "record/protocol.h"

namespace vestige {

// An IRBuilder whose instructions sanitizers leave alone.
class LeaveAlone : public llvm::IRBuilderDefaultInserter {
  void InsertHelper(llvm::Instruction* instruction, const llvm::Twine& name,
                    llvm::BasicBlock::iterator at) const override {
    llvm::IRBuilderDefaultInserter::InsertHelper(instruction, name, at);
    instruction->setNoSanitizeMetadata();
  }
};
using Inserter = llvm::IRBuilder<llvm::ConstantFolder, LeaveAlone>;

// The thread's state (VestigeThread), and the module's own ways into the runtime.
class RuntimeCalls {
 public:
  explicit RuntimeCalls(llvm::Module& module);
  // The address of a member, asked for anew at each use: so it becomes an address mode, not a
  // register kept all along.
  llvm::Value* field(Inserter& ir, unsigned index) const;

  llvm::Function* full;              // ptr(ptr)
  llvm::Function* run;               // ptr(ptr, i32)
  llvm::Function* run_end;           // ptr(ptr, ptr)
  llvm::Function* tell_value;        // void(ptr, i64, i64)
  llvm::Function* tell_own;          // void(ptr, ptr, i64, i64)
  llvm::Function* look_at_rounding;  // void(ptr)
  llvm::Function* check;             // void(ptr, i64, i64)
  llvm::Function* decide;            // i64()
  llvm::Function* copy;              // void(i64, i64, i64)
  llvm::Function* fill;              // void(i64, i64, i64)
  llvm::Function* measure;           // i64(i64, i64, i64, i64)
  llvm::Function* atomic_begin;      // void(i64)
  llvm::Function* atomic_end;        // ptr(ptr, i64, i64)
  llvm::Function* order_begin;       // void(ptr, i64, i64, i64)
  llvm::Function* order_copy;        // void(ptr, i64, i64, i64, i64)
  llvm::Function* order_end;         // void()

 private:
  llvm::GlobalVariable* thread_;
};
// Members of VestigeThread, by their place: all of them are words of 8 bytes.
enum ThreadField : unsigned {
  kNext,
  kLimit,
  kOrigin,
  kMode,
  kShadow,
  kCallee,
  kAck,
  kValuesNext,
  kValuesLimit,
  kRounding
};
static_assert(offsetof(VestigeThread, next) == 8 * kNext &&
              offsetof(VestigeThread, limit) == 8 * kLimit &&
              offsetof(VestigeThread, origin) == 8 * kOrigin &&
              offsetof(VestigeThread, mode) == 8 * kMode &&
              offsetof(VestigeThread, shadow) == 8 * kShadow &&
              offsetof(VestigeThread, callee) == 8 * kCallee &&
              offsetof(VestigeThread, ack) == 8 * kAck &&
              offsetof(VestigeThread, values_next) == 8 * kValuesNext &&
              offsetof(VestigeThread, values_limit) == 8 * kValuesLimit &&
              offsetof(VestigeThread, rounding) == 8 * kRounding);

class Values {
 public:
  // `next` is the alloca of the ring pointer, `slot` the function's. `checks`: all values are
  // given, for the evaluator to be compared with. `order`: what library calls access gets its place
  // in the order.
  Values(llvm::Function& function, const Body& body, const Function& described,
         const RuntimeCalls& thread, llvm::Value* slot, llvm::Value* next, bool checks, bool order);

  Source source(uint32_t statement) const { return sources_[statement]; }

  // At the body's begin: arguments of a caller that is not recorded.
  void enter(llvm::Instruction* before);
  // Where allocas of fixed size stood. Before anything is appended: the path may end just there.
  void slots();
  // Before and behind a call that may run recorded code.
  void call(llvm::CallBase& call);
  void come_back(llvm::CallBase& call, llvm::Instruction* before);
  // Where an exception arrives, when control is back: what the pad's block begins with.
  void arrive(llvm::LandingPadInst& pad, llvm::Instruction* before);
  // Before a return.
  void leave(llvm::Instruction* before);
  // Loads, stores, and what cannot be derived. After everything else.
  void statements();

 private:
  using Numbers = llvm::SmallVector<llvm::Value*, 8>;
  llvm::Value* as_integer(Inserter& ir, llvm::Value* value) const;
  void add_parts(Inserter& ir, llvm::Value* value, const Shape& shape, Numbers& numbers) const;
  Numbers parts_of(Inserter& ir, llvm::Value* value, uint32_t type) const;
  uint64_t part_index(uint64_t index, uint32_t part) const;
  llvm::Value* own_place(Inserter& ir, uint64_t index) const;
  llvm::Value* in_shadow(Inserter& ir, llvm::Value* address) const;
  // `index` is that of the statement or argument, whose type is kept.
  void tell(llvm::Instruction* before, llvm::Value* address, llvm::Value* value, uint64_t index,
            uint32_t type);
  void tell_own(llvm::Instruction* before, llvm::Value* value, uint64_t index, uint32_t type);
  void tell_own_apart(llvm::Instruction* before, llvm::Value* value, uint64_t index, uint32_t type);
  void tell_number_apart(llvm::Instruction* before, llvm::Value* number, uint64_t index);
  void tell_when(llvm::Value* differs, llvm::Instruction* before, llvm::Value* place,
                 llvm::Value* number, uint64_t index);
  void tell_parts(llvm::Instruction* before, llvm::ArrayRef<llvm::Value*> places,
                  llvm::Value* value, uint64_t index, uint32_t type);
  void tell_vector(llvm::Instruction* before, llvm::Value* place, llvm::Value* value,
                   uint64_t index, uint32_t type);
  void check(llvm::Instruction* before, llvm::Value* value, uint64_t index);
  void look_at_rounding(llvm::Instruction* before);
  void follow_store(llvm::StoreInst& store);
  void follow_wide_store(Inserter& ir, llvm::Value* place, llvm::Value* value, uint32_t type);
  void follow_memory(llvm::MemIntrinsic& work);
  void statement(uint32_t index, Source source);
  void define_conversion(llvm::CastInst& conversion);
  Numbers measure(llvm::Instruction* before, llvm::CallBase& call, const LibraryCall& library,
                  uint32_t index);
  bool is_slot(const llvm::Instruction* statement) const;

  llvm::Function& function_;
  const Body& body_;
  const Function& described_;
  const RuntimeCalls& thread_;
  llvm::Value* slot_;
  llvm::Value* next_;
  const KeptTypes kept_;
  const PartIndices part_indices_;
  const std::vector<Source> sources_;
  const std::vector<uint32_t> first_measures_;
  llvm::DenseMap<const llvm::Instruction*, uint32_t> index_;
  const bool checks_;
  const bool order_;
  bool knows_itself_;  // its address means the same to callers and to itself
};

// Marks functions that an ifunc may stand for: callers may know them by the address of a stub that
// the linker made, and the loader's table by their own.
inline constexpr const char* kBehindIfunc = "vestige-behind-ifunc";

// Whether arguments arrive as the caller passed them.
bool takes_arguments_as_passed(const llvm::Function& function);

}  // namespace vestige
