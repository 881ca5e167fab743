// Functions written down by hand: blocks of statements in, a Function with segments and paths out,
// cut as the pass cuts them.
#pragma once

#include <string>
#include <vector>

#include "trace/synthetic.h"
#include "trace/told/inputs.h"
#include "vestige/program.h"

namespace vestige::sketch {

class FunctionSketch {
 public:
  FunctionSketch(std::string name, std::vector<std::string> argument_types);

  uint32_t type(const std::string& name);
  Operand argument(uint32_t number) const { return {Operand::Kind::argument, number}; }
  Operand number(const std::string& type, uint64_t value);
  Operand symbol(const std::string& name, int64_t offset = 0);
  static Operand block(uint32_t number) { return {Operand::Kind::block, number}; }

  // Blocks are numbered as they are begun; statements go to the last one.
  uint32_t begin_block();
  Operand add(Op op, const std::string& type, std::vector<Operand> operands,
              std::vector<uint32_t> attributes = {});
  // base + offset + index × scale
  Operand address(Operand base, int64_t offset, std::vector<std::pair<Operand, int64_t>> indices);
  Operand call(const std::string& type, std::vector<Operand> arguments, Operand callee);
  // A call in tail position; the return behind it is added.
  void tail_call(const std::string& type, std::vector<Operand> arguments, Operand callee);
  Operand invoke(const std::string& type, std::vector<Operand> arguments, uint32_t normal,
                 uint32_t unwind, Operand callee);
  void branch(uint32_t to) { add(Op::br, "void", {block(to)}); }
  void branch(Operand condition, uint32_t if_true, uint32_t if_false) {
    add(Op::br, "void", {condition, block(if_false), block(if_true)});
  }
  void ret() { add(Op::ret, "void", {}); }
  void ret(Operand value) { add(Op::ret, "void", {value}); }
  // A phi gets its operands once they exist.
  void set_operands(Operand statement, std::vector<Operand> operands);
  std::string type_of(const Operand& operand) const;

  Function finish();

 private:
  Function function_;
  std::vector<uint32_t> tails_;  // calls in tail position
};

// All functions with their paths; addresses: own ones from 0x400000 on, others from 0x700000.
struct SketchProgram {
  synthetic::Program program;
  std::vector<FunctionAddresses> addresses;
  uint64_t address_of(const std::string& symbol) const;
  std::vector<std::string> symbols;  // that are not functions here
};
SketchProgram assemble(std::vector<Function> functions);

// Writes a trace of one thread and opens it.
Trace write_and_open(const SketchProgram& program, const synthetic::Run& run);

class ListedToldValues : public ToldValueSource {
 public:
  explicit ListedToldValues(std::vector<ToldValue> list) : list_(std::move(list)) {}
  bool next(ToldValue& told_value) override {
    if (at_ == list_.size()) return false;
    told_value = list_[at_++];
    return true;
  }

 private:
  std::vector<ToldValue> list_;
  size_t at_ = 0;
};

}  // namespace vestige::sketch
