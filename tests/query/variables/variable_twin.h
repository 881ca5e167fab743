// Follows variables in the slowest way that is surely right: every byte of every instance knows its
// own address, and every access looks at all of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/eval/observer.h"
#include "vestige/program.h"

namespace vestige {

class VariableTwin final : public EvaluationObserver {
 public:
  // One function, of which every variable is watched.
  explicit VariableTwin(const Function& function) : function_(function) {}

  void see(const Observation& seen) override;
  void enter(uint32_t function, uint64_t depth, uint64_t time) override;
  void pass(const Passage& passage) override;
  void leave(uint64_t depth) override { cut(depth); }
  void cut(uint64_t depth) override;

  // One line per row since the last call: variable, depth, entered, time, how, first bit and bits
  // that changed, and their bytes afterwards.
  std::vector<std::string> take() { return std::exchange(rows_, {}); }

 private:
  struct Byte {
    std::optional<uint64_t> address;
    uint64_t place = 0;  // bytes of one place lie together
    std::optional<uint8_t> value;
  };
  struct Instance {
    uint64_t entered = 0;
    std::vector<Byte> bytes;
  };
  void put(Instance& instance, size_t first, size_t bytes, std::optional<uint64_t> address);
  void row(const std::pair<uint64_t, uint32_t>& key, const Instance& instance, uint64_t time,
           const char* how, size_t first, size_t bytes);

  const Function& function_;
  std::map<uint64_t, uint64_t> entered_;
  std::map<std::pair<uint64_t, uint32_t>, Instance> instances_;  // by depth and variable
  uint64_t places_ = 0;
  std::vector<std::string> rows_;
};

}  // namespace vestige
