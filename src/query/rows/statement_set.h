// The statements a question is about.
//
// A statement is *prompt* when the evaluator shows it while its path runs. Others are shown late
// (calls, atomic operations: observer.h), or not at all (those without a simple value or address).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "vestige/query.h"
#include "vestige/trace.h"

namespace vestige {

class StatementSet {
 public:
  // Repeated ones count once. The trace must outlive it.
  StatementSet(const Trace& trace, std::span<const StatementRef> statements);

  const std::vector<bool>& bits() const { return bits_; }  // by statement id
  bool prompt() const { return late_or_hidden_.empty(); }
  // Its statements by function, by rising number.
  struct OfFunction {
    uint32_t function = 0;
    std::vector<uint32_t> statements;
  };
  const std::vector<OfFunction>& functions() const { return functions_; }
  // Those that are not prompt.
  StatementSet late(const Trace& trace) const { return {trace, late_or_hidden_}; }

 private:
  std::vector<bool> bits_;
  std::vector<OfFunction> functions_;
  std::vector<StatementRef> late_or_hidden_;
};

// What a path executes of a set, in order.
struct PathStatements {
  std::vector<uint32_t> statements;
  bool waits = false;  // for the last one: it is shown when the activation goes on
};
PathStatements path_statements(const Trace& trace, const StatementSet& set, const Path& path);

}  // namespace vestige
