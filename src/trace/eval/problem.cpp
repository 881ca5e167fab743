#include "trace/eval/problem.h"

namespace vestige {

std::string describe(const EvaluationProblem& p, const std::vector<Function>& functions) {
  std::string text = "time " + std::to_string(p.time);
  if (p.function < functions.size()) {
    const Function& function = functions[p.function];
    text += ", " + function.name;
    if (p.statement < function.statements.size()) {
      text += " #" + std::to_string(p.statement) + " (" +
              std::string(op_name(function.statements[p.statement].op)) + ")";
    }
  }
  text += ": ";
  using Kind = EvaluationProblem::Kind;
  const std::string expected = std::to_string(p.expected);
  switch (p.kind) {
    case Kind::branch:
      text += "its condition leads to B" + std::to_string(p.found) +
              ", but the recorded path went to B" + expected;
      break;
    case Kind::not_taken:
      text += "a value was told for index " + expected + ", which did not run";
      break;
    case Kind::out_of_order:
      text += "a value was told for time " + expected + ", which is over";
      break;
    case Kind::needless:
      text += "the value " + expected + " was told, but it was there already";
      break;
    case Kind::too_wide:
      text += "the value " + expected + " was told, which its type cannot hold";
      break;
    case Kind::division:
      text += "divides " + expected + " by " + std::to_string(p.found);
      break;
    case Kind::activation:
      text += "the path is not one of the function that was running";
      break;
  }
  return text;
}

}  // namespace vestige
