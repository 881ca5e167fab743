#include "trace/eval/decisions.h"

namespace vestige {

std::vector<bool> mere_decisions(const FunctionCode& code, const std::vector<bool>& observed) {
  const std::vector<Statement>& statements = code.function.statements;
  std::vector<bool> mere(statements.size());
  std::vector<uint32_t> needed;
  for (uint32_t i = 0; i < statements.size(); ++i) {
    const uint64_t id = uint64_t{code.function.first_statement} + i;
    const Op op = statements[i].op;
    const bool acts = op == Op::store || op == Op::call || op == Op::invoke || op == Op::phi;
    mere[i] =
        code.sources[i] == Source::derived && !acts && !(id < observed.size() && observed[id]);
    if (!mere[i] && op != Op::br && op != Op::switch_) needed.push_back(i);
  }
  while (!needed.empty()) {
    const Statement& statement = statements[needed.back()];
    needed.pop_back();
    for (const Operand& operand : statement.operands) {
      if (operand.kind != Operand::Kind::statement || !mere[operand.index]) continue;
      mere[operand.index] = false;
      needed.push_back(operand.index);
    }
  }
  return mere;
}

}  // namespace vestige
