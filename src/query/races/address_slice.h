// The loads that an access may use to choose its location, from the program's text (artifacts.h).
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "vestige/query.h"
#include "vestige/trace.h"

namespace vestige::races {

class AddressSlices {
 public:
  explicit AddressSlices(const Trace& trace);
  // By #ID.
  std::set<uint64_t> loads(const StatementRef& access) const;

 private:
  // Where a pointer points to, when it is a variable.
  struct Root {
    enum class Kind : uint8_t { none, slot, global } kind = Kind::none;
    uint32_t statement = 0;  // slot: the alloca
    uint32_t symbol = 0;     // global: Function::symbols
  };
  Root root(uint32_t function, const Operand& pointer) const;

  const Trace* trace_;
  std::unordered_map<std::string, std::vector<uint32_t>> functions_;   // by name
  std::unordered_map<std::string, std::vector<StatementRef>> calls_;   // by callee
  std::unordered_map<std::string, std::vector<StatementRef>> stores_;  // to globals, by name
};

}  // namespace vestige::races
