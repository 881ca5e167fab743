#include "library_calls.h"

#include <string>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace vestige {

namespace {

std::string spelled(const Type* type) {
  std::string text;
  raw_string_ostream(text) << *type;
  return text;
}

}  // namespace

std::optional<LibraryCall> library_call(const CallBase& call) {
  const auto* callee = dyn_cast<llvm::Function>(call.getCalledOperand());
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic() || call.isMustTailCall())
    return std::nullopt;
  StringRef name = callee->getName();
  name.consume_front("\1");
  const LibraryFunction* function = nullptr;
  if (name == "syscall") {
    const auto* number = call.arg_empty() ? nullptr : dyn_cast<ConstantInt>(call.getArgOperand(0));
    if (number) function = find_system_call(number->getZExtValue());
  } else {
    function = find_library_function(std::string_view(name.data(), name.size()));
  }
  if (!function) return std::nullopt;

  std::vector<std::string> types = {spelled(call.getType())};
  for (const Use& argument : call.args()) types.push_back(spelled(argument->getType()));
  if (!library_types_match(*function, std::vector<std::string_view>(types.begin(), types.end())))
    return std::nullopt;
  LibraryCall made = function->call;
  if (function->format.kind != FormatUse::Kind::none) {
    StringRef format;
    if (getConstantStringInfo(call.getArgOperand(function->format.format), format))
      add_format({format.data(), format.size()}, function->format, call.arg_size(), made);
  }
  if (made.ranges.empty()) return std::nullopt;
  // The arguments of a system call are what the caller says they are.
  const auto exists = [&](const LibraryTerm& term) {
    return term.kind != LibraryTerm::Kind::argument || term.number < call.arg_size();
  };
  for (const LibraryRange& range : made.ranges)
    for (const LibraryTerm* term :
         {&range.to, &range.offset, &range.from, &range.length, &range.times, &range.most})
      if (!exists(*term)) return std::nullopt;
  for (const LibraryMeasure& measure : made.measures)
    if (!exists(measure.of) || !exists(measure.with) || !exists(measure.most)) return std::nullopt;
  return made;
}

}  // namespace vestige
