// The evaluator's naive twin: it runs a sketched program as the recorded machine would, on real
// (made-up) memory, and records it: paths, events, told values. And it keeps every value, to
// compare with.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <vector>

#include "program/derive.h"
#include "trace/eval/sketch.h"

namespace vestige::sketch {

struct Seen {
  uint64_t time = 0;
  uint32_t function = 0, statement = 0;
  std::optional<uint64_t> value, address;
  auto operator<=>(const Seen&) const = default;
};

// What a statement computes; nothing when it is not derived.
std::optional<uint64_t> compute(const Function& function, const Statement& statement,
                                const std::vector<uint64_t>& operands);

class Twin {
 public:
  Twin(const SketchProgram& program, uint64_t seed);

  // Code that is not recorded calls a function.
  void call_from_outside(uint32_t function, std::vector<uint64_t> arguments);

  synthetic::Run run;
  std::vector<ToldValue> told_values;
  std::vector<Seen> seen;
  uint64_t paths_left = 20000;  // then outside code calls nothing any more
  // The outside throws with this chance, and calls back with that.
  double throws = 0, calls_back = 0.3;
  uint64_t made_exceptions = 0;
  std::vector<bool> byval;  // per function: it does not know itself

 private:
  struct Unwound {};
  struct Frame;
  std::optional<uint64_t> activate(uint32_t function, const std::vector<uint64_t>& arguments);
  std::optional<uint64_t> perform(uint64_t address, const std::vector<uint64_t>& arguments);
  std::optional<uint64_t> outside();
  std::optional<uint64_t> reach_end(Frame& frame, uint32_t segment, uint32_t& next, bool& over);
  void enter_block(Frame& frame, uint32_t block);
  void statement(Frame& frame, uint32_t index);
  void work_on_memory(Frame& frame, uint32_t index, bool late);
  void finish_path(Frame& frame, uint32_t cut_target);
  void come_back(Frame& frame, uint32_t index, uint64_t called, std::optional<uint64_t> value);
  uint64_t tell(uint32_t function, uint32_t index, uint64_t address, uint64_t value,
                unsigned bytes);
  uint64_t value_of(const Frame& frame, const Operand& operand) const;
  void keep(Frame& frame, uint32_t index, std::optional<uint64_t> value,
            std::optional<uint64_t> address, bool late);
  uint64_t load(uint64_t address, unsigned bytes);
  void store(uint64_t address, uint64_t value, unsigned bytes);
  uint64_t own_place(uint32_t function, uint64_t index) const;
  uint64_t random_value(const SimpleType& type);
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }

  const SketchProgram& program_;
  std::vector<std::vector<Source>> sources_;
  std::mt19937_64 random_;
  std::map<uint64_t, uint8_t> memory_;
  std::vector<uint8_t> shadow_;
  uint64_t callee_ = 0, ack_ = 0;
  uint64_t depth_ = 0;  // activations with a completed path
  uint64_t nested_ = 0;
};

}  // namespace vestige::sketch
