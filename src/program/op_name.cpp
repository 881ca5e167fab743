#include "vestige/program.h"

namespace vestige {

// The names are LLVM's own mnemonics. No default: the compiler reports a missing op.
std::string_view op_name(Op op) {
  // clang-format off
  switch (op) {
    case Op::unknown: return "unknown";
    case Op::ret: return "ret";
    case Op::br: return "br";
    case Op::switch_: return "switch";
    case Op::indirect_br: return "indirectbr";
    case Op::invoke: return "invoke";
    case Op::resume: return "resume";
    case Op::unreachable: return "unreachable";
    case Op::call_br: return "callbr";
    case Op::add: return "add";
    case Op::fadd: return "fadd";
    case Op::sub: return "sub";
    case Op::fsub: return "fsub";
    case Op::mul: return "mul";
    case Op::fmul: return "fmul";
    case Op::udiv: return "udiv";
    case Op::sdiv: return "sdiv";
    case Op::fdiv: return "fdiv";
    case Op::urem: return "urem";
    case Op::srem: return "srem";
    case Op::frem: return "frem";
    case Op::shl: return "shl";
    case Op::lshr: return "lshr";
    case Op::ashr: return "ashr";
    case Op::and_: return "and";
    case Op::or_: return "or";
    case Op::xor_: return "xor";
    case Op::fneg: return "fneg";
    case Op::alloca_: return "alloca";
    case Op::load: return "load";
    case Op::store: return "store";
    case Op::get_element_ptr: return "getelementptr";
    case Op::fence: return "fence";
    case Op::cmpxchg: return "cmpxchg";
    case Op::atomic_rmw: return "atomicrmw";
    case Op::trunc: return "trunc";
    case Op::zext: return "zext";
    case Op::sext: return "sext";
    case Op::fp_to_ui: return "fptoui";
    case Op::fp_to_si: return "fptosi";
    case Op::ui_to_fp: return "uitofp";
    case Op::si_to_fp: return "sitofp";
    case Op::fp_trunc: return "fptrunc";
    case Op::fp_ext: return "fpext";
    case Op::ptr_to_int: return "ptrtoint";
    case Op::int_to_ptr: return "inttoptr";
    case Op::bit_cast: return "bitcast";
    case Op::addr_space_cast: return "addrspacecast";
    case Op::icmp: return "icmp";
    case Op::fcmp: return "fcmp";
    case Op::phi: return "phi";
    case Op::call: return "call";
    case Op::select: return "select";
    case Op::va_arg: return "va_arg";
    case Op::extract_element: return "extractelement";
    case Op::insert_element: return "insertelement";
    case Op::shuffle_vector: return "shufflevector";
    case Op::extract_value: return "extractvalue";
    case Op::insert_value: return "insertvalue";
    case Op::landing_pad: return "landingpad";
    case Op::freeze: return "freeze";
  }
  // clang-format on
  return "unknown";
}

}  // namespace vestige
