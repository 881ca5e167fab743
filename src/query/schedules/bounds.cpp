#include "query/schedules/bounds.h"

#include <algorithm>

#include "vestige/values.h"

namespace vestige::schedules {

namespace {

uint64_t key_of(uint32_t function, uint32_t statement) {
  return uint64_t{function} << 32 | statement;
}

// The statements of a function whose values are wanted: what the calls are given, and the local
// variables they point to.
struct WantedBound {
  std::vector<bool> values, variables;
  WantedBound(const Function& function)
      : values(function.statements.size(), false), variables(function.statements.size(), false) {
    for (uint32_t s = 0; s < function.statements.size(); ++s) {
      const Call call = call_of(function, s);
      if (call == Call::single || call == Call::master || call == Call::dispatch_next)
        values[s] = true;
      if (call != Call::static_init && call != Call::dispatch_init && call != Call::dispatch_next)
        continue;
      for (const Operand& operand : function.statements[s].operands) {
        if (operand.kind != Operand::Kind::statement) continue;
        const bool local = function.statements[operand.index].op == Op::alloca_;
        (local ? variables : values)[operand.index] = true;
      }
    }
  }
};

uint32_t variable_of(const Function& function, const Statement& statement) {
  if (statement.op != Op::load && statement.op != Op::store) return kNone;
  const Operand& pointer = statement.operands[statement.op == Op::store ? 1 : 0];
  if (pointer.kind != Operand::Kind::statement) return kNone;
  return function.statements[pointer.index].op == Op::alloca_ ? pointer.index : kNone;
}

uint64_t constant_of(const Constant& constant) {
  uint64_t value = 0;
  for (size_t i = std::min<size_t>(constant.bytes.size(), 8); i-- > 0;)
    value = value << 8 | constant.bytes[i];
  // Bounds are signed, and told in as many bytes as they need.
  if (!constant.bytes.empty() && constant.bytes.size() < 8 && (constant.bytes.back() & 0x80) != 0)
    value |= ~uint64_t{0} << 8 * constant.bytes.size();
  return value;
}

// Bytes of one element; the number of elements is its operand.
uint64_t bytes_of_local(const Function& function, const Statement& statement) {
  uint64_t bytes = 8;
  if (statement.attributes.size() >= 2)
    bytes = statement.attributes[0] | uint64_t{statement.attributes[1]} << 32;
  if (!statement.operands.empty() && statement.operands[0].kind == Operand::Kind::constant)
    bytes *= std::max<uint64_t>(1, constant_of(function.constants[statement.operands[0].index]));
  return std::max<uint64_t>(bytes, 1);
}

// Thread-local variables: bytes, by the statements that find out where the thread's copy is. Eight
// where no debug information tells.
std::unordered_map<uint32_t, uint64_t> thread_locals_of(const Function& function) {
  std::unordered_map<uint32_t, uint64_t> found;
  for (uint32_t s = 0; s < function.statements.size(); ++s) {
    const uint32_t callee = function.statements[s].callee;
    if (callee == kNone) continue;
    if (function.symbols[callee].starts_with("llvm.threadlocal.address")) found[s] = 8;
    if (function.symbols[callee] == "__errno_location") found[s] = sizeof(int);
  }
  if (found.empty()) return found;
  for (const Binding& binding : function.bindings) {
    if (binding.kind != Binding::Kind::memory || binding.operands.empty()) continue;
    const BindingOperand& where = binding.operands[0];
    if (where.kind != BindingOperand::Kind::statement || !found.contains(where.index)) continue;
    const uint64_t bytes = function.source_types[function.variables[binding.variable].type].bytes;
    if (bytes > 0) found[where.index] = bytes;
  }
  return found;
}

}  // namespace

Result<Bounds> Bounds::read(const Trace& trace, uint32_t thread,
                            const std::vector<bool>& functions) {
  Bounds bounds;
  bounds.trace_ = &trace;
  HistoryOptions options;
  options.thread = thread;
  std::unordered_map<uint64_t, uint64_t> bytes;  // of local variables
  std::unordered_map<uint64_t, uint64_t> own;    // the same, of thread-local ones
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    if (!functions[f]) continue;
    const Function& function = trace.functions()[f];
    const WantedBound wanted(function);
    for (const auto& [s, size] : thread_locals_of(function)) own[key_of(f, s)] = size;
    for (uint32_t s = 0; s < function.statements.size(); ++s) {
      const Statement& statement = function.statements[s];
      const uint32_t variable = variable_of(function, statement);
      const bool local = statement.op == Op::alloca_;
      if (local) bytes[key_of(f, s)] = bytes_of_local(function, statement);
      if (local || wanted.values[s] || own.contains(key_of(f, s)) ||
          (variable != kNone && wanted.variables[variable]))
        options.statements.push_back({f, s});
    }
  }
  if (options.statements.empty()) return bounds;
  auto cursor = HistoryCursor::open(trace, options);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  while (const HistoryRow* row = cursor->next()) {
    if (!row->value) continue;
    const Function& function = trace.functions()[row->statement.function];
    const uint64_t key = key_of(row->statement.function, row->statement.statement);
    const Statement& statement = function.statements[row->statement.statement];
    if (statement.op == Op::alloca_) {
      bounds.locals_.push_back({row->time, *row->value, *row->value + bytes[key]});
      continue;
    }
    if (const auto size = own.find(key); size != own.end()) {
      uint64_t& end = bounds.thread_locals_[*row->value];
      end = std::max(end, *row->value + size->second);
      continue;
    }
    bounds.values_[key].push_back({row->time, *row->value});
    const uint32_t variable = variable_of(function, statement);
    if (variable == kNone) continue;
    Rows& rows = statement.op == Op::store ? bounds.stores_ : bounds.loads_;
    rows[key_of(row->statement.function, variable)].push_back({row->time, *row->value});
  }
  if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
  return bounds;
}

std::optional<uint64_t> Bounds::last(const Rows& rows, uint64_t key, uint64_t time) {
  const auto found = rows.find(key);
  if (found == rows.end()) return std::nullopt;
  const auto behind = std::ranges::upper_bound(found->second, time, {}, &Row::time);
  if (behind == found->second.begin()) return std::nullopt;
  return std::prev(behind)->value;
}

std::optional<uint64_t> Bounds::operand(uint32_t function, uint32_t statement, size_t operand,
                                        uint64_t time) const {
  const Function& of = trace_->functions()[function];
  const auto& operands = of.statements[statement].operands;
  if (operand >= operands.size()) return std::nullopt;
  const Operand& wanted = operands[operand];
  if (wanted.kind == Operand::Kind::constant) {
    const Constant& constant = of.constants[wanted.index];
    if (constant.kind == Constant::Kind::null || constant.kind == Constant::Kind::zero) return 0;
    if (constant.kind != Constant::Kind::integer) return std::nullopt;
    return constant_of(constant);
  }
  if (wanted.kind != Operand::Kind::statement) return std::nullopt;
  return last(values_, key_of(function, wanted.index), time);
}

std::optional<uint64_t> Bounds::result(uint32_t function, uint32_t statement, uint64_t time) const {
  const auto found = values_.find(key_of(function, statement));
  if (found == values_.end()) return std::nullopt;
  const auto at = std::ranges::lower_bound(found->second, time, {}, &Row::time);
  if (at == found->second.end() || at->time != time) return std::nullopt;
  return at->value;
}

std::optional<uint64_t> Bounds::stored(uint32_t function, uint32_t variable, uint64_t time) const {
  return last(stores_, key_of(function, variable), time);
}

std::optional<uint64_t> Bounds::loaded(uint32_t function, uint32_t variable, uint64_t time) const {
  const auto found = loads_.find(key_of(function, variable));
  if (found == loads_.end()) return std::nullopt;
  const auto at = std::ranges::upper_bound(found->second, time, {}, &Row::time);
  if (at == found->second.end()) return std::nullopt;
  return at->value;
}

Result<std::map<uint64_t, uint64_t>> read_thread_locals(const Trace& trace, uint32_t thread) {
  HistoryOptions options;
  options.thread = thread;
  std::unordered_map<uint64_t, uint64_t> bytes;
  for (uint32_t f = 0; f < trace.functions().size(); ++f)
    for (const auto& [s, size] : thread_locals_of(trace.functions()[f])) {
      bytes[key_of(f, s)] = size;
      options.statements.push_back({f, s});
    }
  std::map<uint64_t, uint64_t> ends;
  if (options.statements.empty()) return ends;
  auto cursor = HistoryCursor::open(trace, options);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  while (const HistoryRow* row = cursor->next()) {
    if (!row->value) continue;
    uint64_t& end = ends[*row->value];
    end = std::max(end,
                   *row->value + bytes[key_of(row->statement.function, row->statement.statement)]);
  }
  if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
  return ends;
}

}  // namespace vestige::schedules
