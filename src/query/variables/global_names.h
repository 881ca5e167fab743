// Which global variable an address belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/told/inputs.h"
#include "vestige/trace.h"

namespace vestige::races {

class GlobalNames {
 public:
  explicit GlobalNames(const Trace& trace);
  // "table[3].x"; the symbol's name where the optimizer left no variable; empty when nothing is
  // known there.
  std::string at(uint64_t address, uint64_t bytes) const;
  // A number for each variable; 0 when none is known there.
  size_t whole(uint64_t address) const;

 private:
  struct Entry {
    uint64_t first = 0, bytes = 0;
    uint32_t function = 0, variable = 0;
  };
  const Trace* trace_;
  std::vector<Entry> entries_;  // by first
  std::map<uint64_t, std::string> symbols_;
};

}  // namespace vestige::races
