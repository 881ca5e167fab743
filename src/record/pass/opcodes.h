// LLVM's opcodes, which change between versions, to the program table's, which are on disk.
#pragma once

#include "llvm/IR/Instruction.h"
#include "vestige/program.h"

namespace vestige {

inline Op op_of(unsigned opcode) {
  using I = llvm::Instruction;
  switch (opcode) {
    case I::Ret:
      return Op::ret;
    case I::Br:
      return Op::br;
    case I::Switch:
      return Op::switch_;
    case I::IndirectBr:
      return Op::indirect_br;
    case I::Invoke:
      return Op::invoke;
    case I::Resume:
      return Op::resume;
    case I::Unreachable:
      return Op::unreachable;
    case I::CallBr:
      return Op::call_br;
    case I::Add:
      return Op::add;
    case I::FAdd:
      return Op::fadd;
    case I::Sub:
      return Op::sub;
    case I::FSub:
      return Op::fsub;
    case I::Mul:
      return Op::mul;
    case I::FMul:
      return Op::fmul;
    case I::UDiv:
      return Op::udiv;
    case I::SDiv:
      return Op::sdiv;
    case I::FDiv:
      return Op::fdiv;
    case I::URem:
      return Op::urem;
    case I::SRem:
      return Op::srem;
    case I::FRem:
      return Op::frem;
    case I::Shl:
      return Op::shl;
    case I::LShr:
      return Op::lshr;
    case I::AShr:
      return Op::ashr;
    case I::And:
      return Op::and_;
    case I::Or:
      return Op::or_;
    case I::Xor:
      return Op::xor_;
    case I::FNeg:
      return Op::fneg;
    case I::Alloca:
      return Op::alloca_;
    case I::Load:
      return Op::load;
    case I::Store:
      return Op::store;
    case I::GetElementPtr:
      return Op::get_element_ptr;
    case I::Fence:
      return Op::fence;
    case I::AtomicCmpXchg:
      return Op::cmpxchg;
    case I::AtomicRMW:
      return Op::atomic_rmw;
    case I::Trunc:
      return Op::trunc;
    case I::ZExt:
      return Op::zext;
    case I::SExt:
      return Op::sext;
    case I::FPToUI:
      return Op::fp_to_ui;
    case I::FPToSI:
      return Op::fp_to_si;
    case I::UIToFP:
      return Op::ui_to_fp;
    case I::SIToFP:
      return Op::si_to_fp;
    case I::FPTrunc:
      return Op::fp_trunc;
    case I::FPExt:
      return Op::fp_ext;
    case I::PtrToInt:
      return Op::ptr_to_int;
    case I::IntToPtr:
      return Op::int_to_ptr;
    case I::BitCast:
      return Op::bit_cast;
    case I::AddrSpaceCast:
      return Op::addr_space_cast;
    case I::ICmp:
      return Op::icmp;
    case I::FCmp:
      return Op::fcmp;
    case I::PHI:
      return Op::phi;
    case I::Call:
      return Op::call;
    case I::Select:
      return Op::select;
    case I::VAArg:
      return Op::va_arg;
    case I::ExtractElement:
      return Op::extract_element;
    case I::InsertElement:
      return Op::insert_element;
    case I::ShuffleVector:
      return Op::shuffle_vector;
    case I::ExtractValue:
      return Op::extract_value;
    case I::InsertValue:
      return Op::insert_value;
    case I::LandingPad:
      return Op::landing_pad;
    case I::Freeze:
      return Op::freeze;
    default:
      return Op::unknown;
  }
}

}  // namespace vestige
