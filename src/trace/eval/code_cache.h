// The compiled paths of an evaluation, found by path id.
//
// Two levels, like PathTable. Memory is bounded: past kMaxBytes all paths are thrown away and
// compiled again when they are met.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/eval/compile_path.h"
#include "trace/told/inputs.h"
#include "vestige/trace.h"

namespace vestige {

class CodeCache {
 public:
  static constexpr uint32_t kPageBits = 12;
  static constexpr uint64_t kMaxBytes = uint64_t{96} << 20;

  CodeCache(const Trace& trace, const EvaluationInputs& inputs)
      : trace_(&trace), inputs_(inputs), functions_(trace.functions().size()) {}

  // Valid until the next call.
  const PathCode& find(const Path& path) {
    const PathCode* code = look_up(path);
    return code ? *code : compile(path);
  }
  // The same, when it is compiled; otherwise null.
  const PathCode* look_up(const Path& path) const {
    const uint32_t page = path.id >> kPageBits;
    if (page >= pages_.size() || !pages_[page]) return nullptr;
    return (*pages_[page])[path.id & (kPageSize - 1)].get();
  }
  // With every statement observed; not kept. The path must have been compiled before.
  PathCode compile_observed(const Path& path);
  // The function's code, whether or not a path of it was compiled.
  FunctionCode& function(uint32_t index);
  Signatures& signatures() { return signatures_; }
  const EvaluationInputs& inputs() const { return inputs_; }
  // From now on the module's functions lie there; compiled paths go when that is elsewhere.
  void move(const ModuleMove& to);
  // Before the first move.
  void move_back();
  // Takes over the functions of another cache for the same addresses.
  void adopt(CodeCache& other) {
    functions_ = std::move(other.functions_);
    moved_ = std::move(other.moved_);
    signatures_ = std::move(other.signatures_);
    clear();
  }
  // From now on; a bit per statement id. `only`: and computes nothing that those do not need.
  void observe(std::vector<bool> statements, bool only) {
    observed_ = std::move(statements);
    only_ = only;
    left_out_.clear();
    clear();
  }
  bool observes_only() const { return only_; }
  // From now on; a bit per binding, by function of the trace.
  void watch(std::vector<std::vector<bool>> bindings) {
    watched_ = std::move(bindings);
    clear();
  }
  bool observes(const Function& function, uint32_t statement) const {
    const uint64_t id = uint64_t{function.first_statement} + statement;
    return id < observed_.size() && observed_[id];
  }

  // Of the parts of a wide type of the function.
  uint32_t signature(const FunctionCode& function, uint32_t type) {
    auto& all = function.signatures;
    if (type >= all.size()) all.resize(function.types.size(), kNone);
    if (all[type] == kNone) {
      std::vector<ValueKind> kinds;
      add_kinds(function.kept, type, kinds);
      all[type] = signatures_.number(kinds);
    }
    return all[type];
  }

 private:
  static constexpr uint32_t kPageSize = 1u << kPageBits;
  using Page = std::array<std::unique_ptr<PathCode>, kPageSize>;
  const PathCode& compile(const Path& path);
  const FunctionAddresses* addresses_of(uint32_t function) const;
  void place_again(const ModuleMove& module);
  void clear() {
    pages_.clear();
    bytes_ = 0;
  }

  const Trace* trace_;
  EvaluationInputs inputs_;
  std::vector<std::unique_ptr<FunctionCode>> functions_;
  std::vector<ModuleMove> moved_;  // the last one of each module
  Signatures signatures_;
  std::vector<bool> observed_;
  bool only_ = false;
  std::vector<std::vector<bool>> left_out_;  // by function; then: decisions.h
  std::vector<std::vector<bool>> watched_;
  std::vector<std::unique_ptr<Page>> pages_;
  uint64_t bytes_ = 0;
};

}  // namespace vestige
