#include "query/slice/forward.h"

#include <algorithm>

#include "query/slice/needed_bytes.h"
#include "query/slice/path_shape.h"
#include "query/slice/reached.h"
#include "query/slice/window_paths.h"

namespace vestige {

namespace {

uint8_t byte_of(uint64_t value, uint64_t number) {
  return static_cast<uint8_t>(value >> (8 * number));
}

class ForwardSlicer {
 public:
  ForwardSlicer(const Trace& trace, const Windows& windows, const CallNames& names,
                const SliceOptions& options, const CriterionPlace& place, SliceMembers& members)
      : trace_(trace),
        windows_(windows),
        names_(names),
        options_(options),
        place_(place),
        members_(members),
        shapes_(trace) {}

  Result<void> run();

 private:
  // The nearest of what an execution depends on.
  struct Nearest {
    Token of;
    SliceReason reason = SliceReason::operand;
    uint64_t address = 0;
  };

  void go_on(const PathStep& step, std::span<const Observation> rows,
             std::span<const Transfer> transfers);
  void begin(const PathStep& step, std::span<const Transfer> transfers);
  bool concerns(std::span<const Observation> rows) const;
  void visit(const PathStep& step, const ShapeItem& item, const Observation* row);
  void visit_call(const PathStep& step, const ShapeItem& item, Nearest nearest);
  Token visit_copy(const PathStep& step, const ShapeItem& item, const Observation& row,
                   const Nearest& nearest);
  void take_result(const PathStep& step, std::span<const Transfer> transfers);
  Token call_part(const PathStep& step, const Nearest& nearest);
  void take_transfers(const PathStep& step, std::span<const Transfer> transfers, Token given,
                      Token computed);
  void begin_block(const Function& function, uint32_t block);
  void end_block(const Function& function, const ShapeItem& item, Token token);
  void read(const Observation& row, const ShapeItem& item, Nearest& nearest);
  void write(const Observation& row, const ShapeItem& item, Token token);

  void consider(Nearest& nearest, Token token, SliceReason reason, uint64_t address = 0) const {
    if (!token || members_.last(token) || token.depth >= nearest.of.depth) return;
    nearest = {token, reason, address};
  }
  Token of(const Operand& operand) const;
  Token member(const PathStep& step, uint32_t statement, const Nearest& nearest) {
    if (is_criterion(step, statement))
      return members_.enter(step.path->function, statement, step.time, SliceReason::criterion, {});
    if (!nearest.of) return {};
    return members_.enter(step.path->function, statement, step.time, nearest.reason, nearest.of,
                          nearest.address);
  }
  bool is_criterion(const PathStep& step, uint32_t statement) const {
    return step.time == place_.time && statement == options_.statement.statement;
  }
  bool done() const {
    return begun_ && bytes_.empty() && !returned_ && left_.clean() &&
           std::ranges::all_of(levels_, [](const ActivationReached& a) { return a.clean(); });
  }

  const Trace& trace_;
  const Windows& windows_;
  const CallNames& names_;
  const SliceOptions& options_;
  const CriterionPlace& place_;
  SliceMembers& members_;
  PathShapes shapes_;
  std::vector<ActivationReached> levels_;
  ActivationReached* now_ = nullptr;
  NeededBytes bytes_;       // reached
  Token returned_;          // what the path before returned
  ActivationReached left_;  // it ended in a tail call: its activation
  struct Byte {
    uint64_t address;
    Token token;
  };
  std::vector<Byte> taken_;
  bool begun_ = false;
};

Result<void> ForwardSlicer::run() {
  auto steps = PathSteps::open(trace_, place_.thread, names_);
  if (!steps) return std::unexpected(std::move(steps.error()));
  WindowPaths paths(trace_, windows_, place_.thread, *steps);
  const size_t first = window_at(windows_, place_.thread, place_.time);
  for (size_t window = first; window < windows_.of(place_.thread).size(); ++window) {
    PathSteps::Position position = window == first ? place_.windows.at(window) : steps->position();
    if (auto loaded = paths.load(window, std::move(position), UINT64_MAX); !loaded) return loaded;
    for (size_t i = 0; i < paths.size(); ++i) {
      if (paths.step(i).time < place_.time) continue;
      go_on(paths.step(i), paths.rows(i), paths.transfers(i));
      if (members_.too_many() || bytes_.full()) return too_large(options_, bytes_.full());
    }
    if (done()) break;
  }
  return {};
}

void ForwardSlicer::go_on(const PathStep& step, std::span<const Observation> rows,
                          std::span<const Transfer> transfers) {
  for (size_t level = step.kept; level < levels_.size(); ++level) levels_[level].clear();
  if (levels_.size() < step.level + 2) levels_.resize(step.level + 2);
  now_ = &levels_[step.level];
  begin(step, transfers);
  returned_ = {};
  if (step.time == place_.time || concerns(rows)) {
    const PathShape& shape = shapes_.of(*step.path);
    const Function& function = trace_.functions()[step.path->function];
    size_t row = 0;
    for (const ShapeItem& item : shape.items) {
      const bool has_row =
          refers_to_memory(item.kind) && row < rows.size() && rows[row].statement == item.statement;
      if (!begun_ && !is_criterion(step, item.statement)) {
        row += has_row;
        continue;
      }
      begun_ = true;
      if (item.begins) begin_block(function, item.block);
      visit(step, item, has_row ? &rows[row] : nullptr);
      row += has_row;
    }
  }
  if (!step.path->leaves) return;
  if (step.path->end == SegmentEnd::tail_call) left_ = *now_;
  now_->clear();
}

// What the activation has from who called it, or from what it called.
void ForwardSlicer::begin(const PathStep& step, std::span<const Transfer> transfers) {
  if (step.path->enters) {
    const ActivationReached* caller = step.tail_called ? &left_
                                      : step.level > 0 ? &levels_[step.level - 1]
                                                       : nullptr;
    Token entry;
    std::vector<std::pair<uint32_t, Token>> passed;
    if (caller && step.has_caller) {
      if (!options_.data_only && !(caller->entering && members_.last(caller->entering)))
        entry = caller->entering;
      if (step.called) passed = caller->passed;
    }
    now_->clear();
    now_->function = step.path->function;
    now_->entry = entry;
    for (const auto& [number, token] : passed)
      if (number < trace_.functions()[now_->function].arguments.size())
        now_->arguments.set(number, token);
    if (entry) now_->branches.resize(trace_.functions()[now_->function].blocks.size());
  } else {
    if (now_->function != step.path->function) now_->clear();
    now_->function = step.path->function;
    if (step.before && step.before->end == SegmentEnd::call) take_result(step, transfers);
    now_->forget_call();
  }
  left_.clear();
}

// The call that the activation is in depends on this.
Token ForwardSlicer::call_part(const PathStep& step, const Nearest& nearest) {
  if (!nearest.of) return {};
  if (now_->member)
    return members_.again(now_->member, nearest.reason, nearest.of, nearest.address);
  return now_->member = members_.enter(step.path->function, now_->call, step.before_time,
                                       nearest.reason, nearest.of, nearest.address);
}

void ForwardSlicer::take_result(const PathStep& step, std::span<const Transfer> transfers) {
  // The path that called may have been passed over.
  now_->call = stopped_at(trace_.functions()[step.path->function], *step.before);
  if (now_->call == kNone) return;
  if (!transfers.empty() && transfers.front().statement != now_->call) transfers = {};
  Token result = now_->entering;
  Nearest nearest;
  if (step.returned)
    consider(nearest, returned_, SliceReason::returned);
  else
    consider(nearest, now_->unresolved, SliceReason::operand);
  lower(result, call_part(step, nearest));
  const Token given = result;
  Nearest read;
  for (const Transfer& t : transfers)
    if (t.kind == LibraryRange::Kind::read && t.has_from && t.has_length)
      bytes_.take(t.from, t.length, [&](uint64_t address, Token token, bool, uint8_t) {
        consider(read, token, SliceReason::memory, address);
        return false;
      });
  lower(result, call_part(step, read));
  if ((nearest.of || read.of) && !step.returned) members_.end(now_->member, SliceEnd::result);
  take_transfers(step, transfers, given, result);
  now_->results.set(now_->call, result);
}

// What the unrecorded code that was called wrote: what it copied depends on what it was given and on
// the byte that was copied, all else on what it was given and what it read.
void ForwardSlicer::take_transfers(const PathStep& step, std::span<const Transfer> transfers,
                                   Token given, Token computed) {
  std::vector<Byte> sources;  // by the address they are copied to
  for (const Transfer& t : transfers)
    if (t.kind == LibraryRange::Kind::copy && t.has_to && t.has_from && t.has_length)
      bytes_.take(t.from, t.length, [&](uint64_t address, Token token, bool, uint8_t) {
        if (!members_.last(token)) sources.push_back({t.to + (address - t.from), token});
        return false;
      });
  for (const Transfer& t : transfers) {
    if (!t.has_to || !t.has_length) continue;
    bytes_.take(t.to, t.length, [](auto&&...) { return true; });
    const Token token = t.kind == LibraryRange::Kind::copy && t.has_from ? given : computed;
    if (token && !members_.last(token)) bytes_.add_all(t.to, t.length, token);
  }
  for (const Byte& byte : sources)
    bytes_.add(byte.address, call_part(step, {byte.token, SliceReason::memory, byte.address}), false,
               0);
}

bool ForwardSlicer::concerns(std::span<const Observation> rows) const {
  if (!now_->clean()) return true;
  if (bytes_.empty()) return false;
  return std::ranges::any_of(rows, [&](const Observation& row) {
    return (row.has_address && bytes_.overlaps(row.address, row.length)) ||
           (row.has_source && bytes_.overlaps(row.source, row.length));
  });
}

void ForwardSlicer::visit(const PathStep& step, const ShapeItem& item, const Observation* row) {
  const Function& function = trace_.functions()[step.path->function];
  const Statement& statement = function.statements[item.statement];
  static const Observation kUnknown;
  const Observation& seen = row ? *row : kUnknown;
  Nearest nearest;
  if (!options_.data_only) consider(nearest, now_->blocks.get(item.block), SliceReason::control);
  if (item.kind == StepKind::call) {
    visit_call(step, item, nearest);
    return;
  }
  if (item.kind == StepKind::phi) {
    uint32_t from = item.from;
    if (from == kNone && step.before) from = function.segments[step.before->segments.back()].block;
    for (size_t i = 0; i + 1 < statement.operands.size(); i += 2) {
      if (statement.operands[i + 1] != Operand{Operand::Kind::block, from}) continue;
      consider(nearest, of(statement.operands[i]), SliceReason::operand);
      break;
    }
    if (!options_.data_only) consider(nearest, now_->edge, SliceReason::control);
  } else {
    for (const Operand& operand : statement.operands)
      consider(nearest, of(operand), SliceReason::operand);
  }
  if (item.kind == StepKind::load || item.kind == StepKind::exchange) read(seen, item, nearest);
  const Token token = item.kind == StepKind::copy ? visit_copy(step, item, seen, nearest)
                                                  : member(step, item.statement, nearest);
  if (token && seen.has_address) members_.address(token, seen.address);
  if (token && refers_to_memory(item.kind) && !seen.has_address)
    members_.end(token, SliceEnd::address);
  if (item.kind == StepKind::store || item.kind == StepKind::exchange ||
      item.kind == StepKind::fill)
    write(seen, item, token);
  if (item.kind == StepKind::ret) returned_ = token;
  now_->results.set(item.statement, token);
  if (item.ends) end_block(function, item, token);
}

void ForwardSlicer::visit_call(const PathStep& step, const ShapeItem& item, Nearest nearest) {
  const Function& function = trace_.functions()[step.path->function];
  const Statement& call = function.statements[item.statement];
  now_->forget_call();
  now_->call = item.statement;
  if (call.callee == kNone && !call.operands.empty())
    consider(nearest, of(call.operands.back()), SliceReason::operand);
  const Token entering = now_->member = now_->entering = member(step, item.statement, nearest);
  for (uint32_t k = 0; k < call.operands.size(); ++k) {
    Nearest passed;
    consider(passed, of(call.operands[k]), SliceReason::operand);
    lower(now_->unresolved, passed.of);
    if (k + 1 == call.operands.size()) break;
    Token part = entering;
    if (passed.of) {
      if (now_->member)
        lower(part, members_.again(now_->member, passed.reason, passed.of));
      else
        lower(part, now_->member = member(step, item.statement, passed));
    }
    if (part && !members_.last(part)) now_->passed.emplace_back(k, part);
  }
  now_->results.set(item.statement, {});
  if (item.ends) end_block(function, item, entering);
}

// Each byte depends on the copy as a whole, and on the byte it is copied from.
Token ForwardSlicer::visit_copy(const PathStep& step, const ShapeItem& item, const Observation& row,
                                const Nearest& nearest) {
  const bool places = row.has_address && row.has_length;
  taken_.clear();
  if (places && row.has_source)
    bytes_.take(row.source, row.length, [&](uint64_t address, Token token, bool, uint8_t) {
      if (!members_.last(token)) taken_.push_back({address, token});
      return false;
    });
  const Token whole = member(step, item.statement, nearest);
  Token any = whole;
  if (places) bytes_.take(row.address, row.length, [](auto&&...) { return true; });
  if (whole && places) bytes_.add_all(row.address, row.length, whole);
  for (const Byte& byte : taken_) {
    Token part;
    if (any)
      part = members_.again(any, SliceReason::memory, byte.token, byte.address);
    else
      part = any = member(step, item.statement, {byte.token, SliceReason::memory, byte.address});
    bytes_.add(row.address + (byte.address - row.source), part, false, 0);
  }
  return any;
}

void ForwardSlicer::begin_block(const Function& function, uint32_t block) {
  if (options_.data_only || now_->branches.empty()) {
    if (!now_->blocks.empty()) now_->blocks.set(block, {});
    return;
  }
  Token token = now_->entry;
  uint64_t latest = 0;
  for (const uint32_t parent : function.blocks[block].control_parents) {
    const ActivationReached::Branch& branch = now_->branches[parent];
    if (branch.order <= latest) continue;
    latest = branch.order;
    token = branch.token;
  }
  now_->blocks.set(block, token);
}

void ForwardSlicer::end_block(const Function& function, const ShapeItem& item, Token token) {
  if (options_.data_only) return;
  now_->edge = item.chooses ? token : now_->blocks.get(item.block);
  if (now_->branches.empty()) {
    if (!token) return;
    now_->branches.resize(function.blocks.size());
  }
  ActivationReached::Branch& branch = now_->branches[item.block];
  now_->reached_branches -= static_cast<bool>(branch.token);
  now_->reached_branches += static_cast<bool>(token);
  branch = {++now_->order, token};
  if (now_->reached_branches == 0 && !now_->entry) {
    now_->branches.clear();
    now_->order = 0;
  }
}

void ForwardSlicer::read(const Observation& row, const ShapeItem& item, Nearest& nearest) {
  if (!row.has_address) return;
  const bool known = row.has_value && item.bytes <= 8;
  taken_.clear();
  bytes_.take(row.address, item.bytes,
              [&](uint64_t address, Token token, bool seen, uint8_t value) {
                if (known && seen && byte_of(row.value, address - row.address) != value) {
                  members_.end(token, SliceEnd::changed);
                  return true;
                }
                if (known && !seen) taken_.push_back({address, token});
                consider(nearest, token, SliceReason::memory, address);
                return false;
              });
  for (const Byte& byte : taken_)
    bytes_.add(byte.address, byte.token, true, byte_of(row.value, byte.address - row.address));
}

void ForwardSlicer::write(const Observation& row, const ShapeItem& item, Token token) {
  if (!row.has_address) return;
  bytes_.take(row.address, row.length, [](auto&&...) { return true; });
  if (!token || members_.last(token)) return;
  const bool known = item.kind == StepKind::store && row.has_value && item.bytes <= 8;
  if (!known) bytes_.add_all(row.address, row.length, token);
  for (uint64_t i = 0; known && i < row.length; ++i)
    bytes_.add(row.address + i, token, true, byte_of(row.value, i));
}

Token ForwardSlicer::of(const Operand& operand) const {
  if (operand.kind == Operand::Kind::statement) return now_->results.get(operand.index);
  if (operand.kind == Operand::Kind::argument) return now_->arguments.get(operand.index);
  return {};
}

}  // namespace

Result<void> slice_forwards(const Trace& trace, const Windows& windows, const CallNames& names,
                            const SliceOptions& options, const CriterionPlace& place,
                            SliceMembers& members) {
  return ForwardSlicer(trace, windows, names, options, place, members).run();
}

}  // namespace vestige
