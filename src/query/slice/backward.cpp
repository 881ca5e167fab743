#include "query/slice/backward.h"

#include <algorithm>

#include "query/slice/needed_bytes.h"
#include "query/slice/needs.h"
#include "query/slice/path_shape.h"
#include "query/slice/window_paths.h"

namespace vestige {

namespace {

class BackwardSlicer {
 public:
  BackwardSlicer(const Trace& trace, const Windows& windows, const CallNames& names,
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
  void go_back(const PathStep& step, std::span<const Observation> rows,
               std::span<const Transfer> transfers);
  bool concerns(const ActivationNeeds& needs, std::span<const Observation> rows) const;
  void visit(const PathStep& step, const ShapeItem& item, const Observation* row);
  void visit_memory(const PathStep& step, const ShapeItem& item, const Observation& row,
                    Token result);
  void visit_copy(const PathStep& step, const ShapeItem& item, const Observation& row);
  void visit_phi(const PathStep& step, const ShapeItem& item, Token result);
  void visit_call(const PathStep& step, const ShapeItem& item, Token result, Token control);
  void leave_block(const Function& function, uint32_t block);
  void come_back(const PathStep& step);
  void take_transfers(const PathStep& step, std::span<const Transfer> transfers);
  void enter(const PathStep& step);
  void drop(ActivationNeeds& needs);
  void finish();

  Token decided_by(const Function& function, const ShapeItem& item);
  Token member(const PathStep& step, uint32_t statement, SliceReason reason, Token of,
               uint64_t address = 0) {
    return members_.enter(step.path->function, statement, step.time, reason, of, address);
  }
  void need(const Operand& operand, Token token);
  void need_all(const Statement& statement, Token token);
  void need_bytes(const Observation* row, uint32_t bytes, Token token);
  void need_branch(Token token) {
    if (controlled() && !members_.last(token)) needs_->blocks.add(block_, token);
  }
  void check_loaded(const Observation& row, uint32_t bytes);
  bool is_criterion(const PathStep& step, uint32_t statement) const {
    return step.time == place_.time && statement == options_.statement.statement;
  }
  bool controlled() const { return !options_.data_only && !options_.copies_only; }
  bool done() const;

  const Trace& trace_;
  const Windows& windows_;
  const CallNames& names_;
  const SliceOptions& options_;
  const CriterionPlace& place_;
  SliceMembers& members_;
  PathShapes shapes_;
  std::vector<ActivationNeeds> levels_;
  ActivationNeeds* needs_ = nullptr;  // of the activation we are in
  uint32_t block_ = 0;                // the one we are in
  NeededBytes bytes_;
  struct Byte {
    uint64_t address;
    Token token;
  };
  std::vector<Byte> taken_;
  bool begun_ = false;  // the criterion is a member
};

uint8_t byte_of(uint64_t value, uint64_t number) {
  return static_cast<uint8_t>(value >> (8 * number));
}

// Its first operand is the value that it gives.
bool passes_on(Op op) {
  return op == Op::store || op == Op::ret || op == Op::freeze ||
         (op >= Op::trunc && op <= Op::addr_space_cast);
}

Result<void> BackwardSlicer::run() {
  auto steps = PathSteps::open(trace_, place_.thread, names_);
  if (!steps) return std::unexpected(std::move(steps.error()));
  WindowPaths paths(trace_, windows_, place_.thread, *steps);
  for (size_t window = window_at(windows_, place_.thread, place_.known_at) + 1; window-- > 0;) {
    if (auto loaded = paths.load(window, place_.windows.at(window), place_.known_at); !loaded)
      return loaded;
    for (size_t i = paths.size(); i-- > 0;) {
      go_back(paths.step(i), paths.rows(i), paths.transfers(i));
      if (members_.too_many() || bytes_.full()) return too_large(options_, bytes_.full());
    }
    if (done()) break;
  }
  finish();
  return {};
}

bool BackwardSlicer::done() const {
  return begun_ && bytes_.empty() &&
         std::ranges::all_of(levels_, [](const ActivationNeeds& needs) { return needs.nothing(); });
}

void BackwardSlicer::go_back(const PathStep& step, std::span<const Observation> rows,
                             std::span<const Transfer> transfers) {
  if (levels_.size() < step.level + 2) levels_.resize(step.level + 2);
  needs_ = &levels_[step.level];
  const bool another = step.path->leaves || needs_->function != step.path->function;
  if (needs_->function != kNone && another) drop(*needs_);
  needs_->function = step.path->function;

  if (step.time > place_.time && !begun_) {
    // The call that is the criterion has come back here.
    const Token token = member({.time = place_.time, .path = step.path},
                               options_.statement.statement, SliceReason::criterion, {});
    begun_ = true;
    needs_->call = token;
    needs_->resolved = step.returned;
    if (step.returned && !members_.last(token)) levels_[step.level + 1].returned = token;
    take_transfers(step, transfers);
  } else {
    if (step.time == place_.time || concerns(*needs_, rows)) {
      const PathShape& shape = shapes_.of(*step.path);
      size_t row = rows.size();
      for (size_t i = shape.items.size(); i-- > 0;) {
        const ShapeItem& item = shape.items[i];
        const bool has_row =
            refers_to_memory(item.kind) && row > 0 && rows[row - 1].statement == item.statement;
        if (has_row) --row;
        if (begun_ || is_criterion(step, item.statement))
          visit(step, item, has_row ? &rows[row] : nullptr);
        if (item.begins && needs_->blocks.has(item.block))
          leave_block(trace_.functions()[step.path->function], item.block);
      }
    }
    if (step.path->enters) {
      enter(step);
    } else {
      come_back(step);
      if (step.before) take_transfers(step, transfers);
    }
  }
  for (size_t level = step.kept; level < levels_.size(); ++level) drop(levels_[level]);
}

// Whether anything of the path can be in the slice.
bool BackwardSlicer::concerns(const ActivationNeeds& needs,
                              std::span<const Observation> rows) const {
  if (!needs.results.empty() || !needs.blocks.empty() || needs.edge || !needs.branches.empty() ||
      needs.returned || needs.call || needs.entered || !needs.passed.empty())
    return true;
  if (bytes_.empty()) return false;
  return std::ranges::any_of(rows, [&](const Observation& row) {
    return row.has_address && bytes_.overlaps(row.address, row.length);
  });
}

void BackwardSlicer::visit(const PathStep& step, const ShapeItem& item, const Observation* row) {
  const Function& function = trace_.functions()[step.path->function];
  const Statement& statement = function.statements[item.statement];
  const Token control = item.ends ? decided_by(function, item) : Token{};
  const Token result = needs_->results.take(item.statement);
  const bool criterion = is_criterion(step, item.statement);
  begun_ = true;
  block_ = item.block;
  switch (item.kind) {
    case StepKind::phi:
      if (result || criterion) visit_phi(step, item, result);
      return;
    case StepKind::call:
      visit_call(step, item, result, control);
      return;
    case StepKind::load:
    case StepKind::store:
    case StepKind::exchange:
    case StepKind::copy:
    case StepKind::fill: {
      static const Observation kUnknown;
      visit_memory(step, item, row ? *row : kUnknown, result);
      return;
    }
    case StepKind::plain:
    case StepKind::branch:
    case StepKind::ret: {
      Token of = result;
      SliceReason reason = SliceReason::operand;
      if (control.depth < of.depth) {
        of = control;
        reason = SliceReason::control;
      }
      if (item.kind == StepKind::ret && needs_->returned.depth < of.depth) {
        of = needs_->returned;
        reason = SliceReason::returned;
      }
      if (item.kind == StepKind::ret) needs_->returned = {};
      if (!of && !criterion) return;
      const Token token =
          member(step, item.statement, criterion ? SliceReason::criterion : reason, of);
      need_all(statement, token);
      need_branch(token);
      return;
    }
  }
}

void BackwardSlicer::visit_phi(const PathStep& step, const ShapeItem& item, Token result) {
  const Function& function = trace_.functions()[step.path->function];
  const Statement& statement = function.statements[item.statement];
  const Token token = member(
      step, item.statement,
      is_criterion(step, item.statement) ? SliceReason::criterion : SliceReason::operand, result);
  need_branch(token);
  uint32_t from = item.from;
  if (from == kNone && step.before) from = function.segments[step.before->segments.back()].block;
  if (from == kNone) {
    members_.end(token, SliceEnd::activation);
    return;
  }
  for (size_t i = 0; i + 1 < statement.operands.size(); i += 2) {
    if (statement.operands[i + 1] != Operand{Operand::Kind::block, from}) continue;
    need(statement.operands[i], token);
    break;
  }
  if (controlled() && !members_.last(token)) lower(needs_->edge, token);
}

void BackwardSlicer::visit_memory(const PathStep& step, const ShapeItem& item,
                                  const Observation& row, Token result) {
  const Function& function = trace_.functions()[step.path->function];
  const Statement& statement = function.statements[item.statement];
  const bool criterion = is_criterion(step, item.statement);
  if (item.kind == StepKind::copy) {
    visit_copy(step, item, row);
    return;
  }
  Token of = result;
  SliceReason reason = SliceReason::operand;
  uint64_t lowest = UINT64_MAX;
  if (item.kind == StepKind::load) {
    check_loaded(row, item.bytes);
  } else if (row.has_address) {
    const bool known = item.kind == StepKind::store && row.has_value && item.bytes <= 8;
    bytes_.take(row.address, row.length,
                [&](uint64_t address, Token token, bool expected, uint8_t value) {
                  if (known && expected && byte_of(row.value, address - row.address) != value) {
                    members_.end(token, SliceEnd::changed);
                    return true;
                  }
                  if (token.depth < of.depth) {
                    of = token;
                    reason = SliceReason::memory;
                  }
                  lowest = std::min(lowest, address);
                  return true;
                });
  }
  if (!of && !criterion) return;
  const Token token =
      member(step, item.statement, criterion ? SliceReason::criterion : reason, of, lowest);
  if (row.has_address) members_.address(token, row.address);
  need_all(statement, token);
  need_branch(token);
  if (item.kind == StepKind::load || item.kind == StepKind::exchange)
    need_bytes(&row, item.bytes, token);
}

void BackwardSlicer::visit_copy(const PathStep& step, const ShapeItem& item,
                                const Observation& row) {
  const bool criterion = is_criterion(step, item.statement);
  taken_.clear();
  Token of;
  if (row.has_address && row.has_length) {
    bytes_.take(row.address, row.length, [&](uint64_t address, Token token, bool, uint8_t) {
      taken_.push_back({address, token});
      lower(of, token);
      return true;
    });
  }
  if (taken_.empty() && !criterion) return;
  uint64_t lowest = UINT64_MAX;
  for (const Byte& byte : taken_) lowest = std::min(lowest, byte.address);
  const Token token = member(step, item.statement,
                             criterion ? SliceReason::criterion : SliceReason::memory, of, lowest);
  if (row.has_address) members_.address(token, row.address);
  need_all(trace_.functions()[step.path->function].statements[item.statement], token);
  need_branch(token);
  if (!row.has_source) {
    members_.end(token, SliceEnd::address);
    return;
  }
  // Of a copy that is the criterion all is wanted; otherwise each byte for who needs it.
  if (criterion && row.has_length && !members_.last(token))
    bytes_.add_all(row.source, row.length, token);
  if (criterion) return;
  for (const Byte& byte : taken_) {
    const Token through = members_.again(token, SliceReason::memory, byte.token, byte.address);
    if (!members_.last(through))
      bytes_.add(row.source + (byte.address - row.address), through, false, 0);
  }
}

void BackwardSlicer::visit_call(const PathStep& step, const ShapeItem& item, Token result,
                                Token control) {
  ActivationNeeds& needs = *needs_;
  const Statement& call = trace_.functions()[step.path->function].statements[item.statement];
  Token known = needs.call;
  const auto member_for = [&](SliceReason reason, Token of) {
    if (known) return members_.again(known, reason, of);
    return known = member(step, item.statement, reason, of);
  };
  const auto decides = [&](Token token) {
    need_branch(token);
    if (call.callee == kNone && !call.operands.empty() && !options_.copies_only)
      need(call.operands.back(), token);
  };
  if (known) decides(known);
  if (is_criterion(step, item.statement)) {
    if (!known) decides(known = member(step, item.statement, SliceReason::criterion, {}));
    if (!needs.resolved) {
      need_all(call, known);
      members_.end(known, SliceEnd::result);
    }
  }
  if (result) {
    const Token token = member_for(SliceReason::operand, result);
    decides(token);
    need_all(call, token);
    members_.end(token, SliceEnd::result);
  }
  if (needs.entered) decides(member_for(SliceReason::entered, needs.entered));
  if (control) decides(member_for(SliceReason::control, control));
  for (const auto& [number, of] : needs.passed.list()) {
    const Token token = member_for(SliceReason::argument, of);
    decides(token);
    if (number + 1 < call.operands.size())
      need(call.operands[number], token);
    else
      members_.end(token, SliceEnd::argument);
  }
  needs.call = needs.entered = {};
  needs.resolved = false;
  needs.passed.clear();
}

// Who needs this terminator: blocks it decided on, and phis behind it.
Token BackwardSlicer::decided_by(const Function& function, const ShapeItem& item) {
  Token token;
  if (needs_->edge) {
    // A jump to one place decides nothing: whoever asks is decided on as the jump is.
    if (item.chooses)
      token = needs_->edge;
    else
      needs_->blocks.add(item.block, needs_->edge);
    needs_->edge = {};
  }
  if (needs_->branches.empty()) return token;
  for (size_t i = 0; i < needs_->branches.list().size();) {
    const auto [block, of] = needs_->branches.list()[i];
    if (std::ranges::count(function.blocks[block].control_parents, item.block) > 0) {
      lower(token, of);
      needs_->branches.take(block);
    } else {
      ++i;
    }
  }
  return token;
}

// We go back out of a block, one of whose executed statements is in the slice.
void BackwardSlicer::leave_block(const Function& function, uint32_t block) {
  const Token token = needs_->blocks.take(block);
  if (function.blocks[block].control_parents.empty())
    lower(needs_->entry, token);
  else
    needs_->branches.add(block, token);
}

// At the beginning of a path that goes on in its activation.
void BackwardSlicer::come_back(const PathStep& step) {
  if (!step.before) {
    drop(*needs_);
    return;
  }
  if (!step.returned) return;
  const uint32_t call = stopped_at(trace_.functions()[step.path->function], *step.before);
  const Token of = needs_->results.take(call);
  if (!of) return;
  const Token token =
      members_.enter(step.path->function, call, step.before_time, SliceReason::operand, of);
  needs_->call = token;
  needs_->resolved = true;
  if (!members_.last(token)) levels_[step.level + 1].returned = token;
}

// What the unrecorded code that was called read and wrote, before the path went on. The call needs
// what it was given; what it computed, its result too, also needs what it read, and a byte that it
// copied that one byte. visit_call adds what decided on the call.
void BackwardSlicer::take_transfers(const PathStep& step, std::span<const Transfer> transfers) {
  if (transfers.empty() || !step.before || members_.too_many()) return;
  const Function& function = trace_.functions()[step.path->function];
  const uint32_t call = stopped_at(function, *step.before);
  if (call == kNone || transfers.front().statement != call) return;
  // The call is a member already when it is the criterion: then all of it is wanted.
  const Token criterion = needs_->call;
  Token member = criterion, nearest = criterion;
  const auto member_for = [&](SliceReason reason, Token of, uint64_t address) {
    Token token;
    if (member)
      token = members_.again(member, reason, of, address);
    else
      token = member = members_.enter(step.path->function, call, step.before_time, reason, of, address);
    lower(nearest, token);
    return token;
  };
  const auto places = [](const Transfer& t, bool has) { return has && t.has_length; };

  Token computed;  // who needs what was not copied
  uint64_t lowest = UINT64_MAX;
  bool outside = false;
  std::vector<std::pair<Byte, uint64_t>> copied;  // with the byte's source
  for (size_t i = transfers.size(); i-- > 0;) {
    const Transfer& t = transfers[i];
    if (!places(t, t.has_to)) continue;
    bytes_.take(t.to, t.length, [&](uint64_t address, Token token, bool, uint8_t) {
      if (t.kind == LibraryRange::Kind::copy && t.has_from) {
        copied.push_back({{address, token}, t.from + (address - t.to)});
      } else {
        lower(computed, token);
        lowest = std::min(lowest, address);
        outside = outside || t.kind == LibraryRange::Kind::outside;
      }
      return true;
    });
    outside = outside || (criterion && t.kind == LibraryRange::Kind::outside);
  }
  Token reader = criterion;
  if (computed) lower(reader, member_for(SliceReason::memory, computed, lowest));
  const bool has_reads = std::ranges::any_of(
      transfers, [](const Transfer& t) { return t.kind == LibraryRange::Kind::read; });
  const Token result = needs_->results.get(call);
  const Token written = nearest;
  if (result && has_reads) lower(reader, member_for(SliceReason::operand, result, 0));
  std::vector<std::pair<uint64_t, Token>> sources;
  Token arguments = written;
  for (const auto& [byte, source] : copied) {
    const Token through = member_for(SliceReason::memory, byte.token, byte.address);
    lower(arguments, through);
    sources.emplace_back(source, through);
  }
  if (!member) return;
  if (arguments && arguments.depth != kNone && !criterion)
    need_all(function.statements[call], arguments);
  if (outside) members_.end(member, SliceEnd::outside);
  for (const Transfer& t : transfers) {
    if (!places(t, t.has_from)) continue;
    const bool reads = t.kind == LibraryRange::Kind::read;
    const Token token = reads ? reader : criterion;
    if (token && !members_.last(token) && !(reads && options_.copies_only))
      bytes_.add_all(t.from, t.length, token);
  }
  for (const auto& [source, token] : sources)
    if (!members_.last(token)) bytes_.add(source, token, false, 0);
  if (nearest) needs_->call = nearest;
}

// At the beginning of an activation: what it needs is its caller's to give.
void BackwardSlicer::enter(const PathStep& step) {
  const Token entry = needs_->entry;
  // What no branch of the activation decided on ran because it was entered.
  Token undecided = entry;
  for (const auto* list : {&needs_->blocks, &needs_->branches})
    for (const auto& [block, of] : list->list()) lower(undecided, of);
  std::vector<std::pair<uint32_t, Token>> arguments = needs_->arguments.list();
  needs_->clear();
  if (!step.has_caller) {
    for (const auto& [number, of] : arguments) members_.end(of, SliceEnd::argument);
    return;
  }
  ActivationNeeds& caller = step.tail_called ? *needs_ : levels_[step.level - 1];
  lower(caller.entered, undecided);
  for (const auto& [number, of] : arguments) {
    if (step.called)
      caller.passed.add(number, of);
    else
      members_.end(of, SliceEnd::argument);
  }
}

// Nothing before this is known of the activation.
void BackwardSlicer::drop(ActivationNeeds& needs) {
  if (!needs.nothing()) {
    Token any;
    for (const auto* list :
         {&needs.results, &needs.arguments, &needs.blocks, &needs.branches, &needs.passed})
      for (const auto& [number, of] : list->list()) lower(any, of);
    for (const Token token : {needs.edge, needs.entry, needs.returned, needs.entered})
      lower(any, token);
    if (any) members_.end(any, SliceEnd::activation);
  }
  needs.clear();
}

void BackwardSlicer::finish() {
  for (ActivationNeeds& needs : levels_) drop(needs);
  bytes_.all([&](Token token) { members_.end(token, SliceEnd::memory); });
}

void BackwardSlicer::need(const Operand& operand, Token token) {
  if (members_.last(token)) return;
  if (operand.kind == Operand::Kind::statement)
    needs_->results.add(operand.index, token);
  else if (operand.kind == Operand::Kind::argument)
    needs_->arguments.add(operand.index, token);
}

void BackwardSlicer::need_all(const Statement& statement, Token token) {
  if (options_.copies_only) {
    if (passes_on(statement.op) && !statement.operands.empty()) need(statement.operands[0], token);
    return;
  }
  for (const Operand& operand : statement.operands) need(operand, token);
}

void BackwardSlicer::need_bytes(const Observation* row, uint32_t bytes, Token token) {
  if (!row->has_address) {
    members_.end(token, SliceEnd::address);
    return;
  }
  if (members_.last(token)) return;
  const bool known = row->has_value && bytes <= 8;
  if (!known) bytes_.add_all(row->address, bytes, token);
  for (uint32_t i = 0; known && i < bytes; ++i)
    bytes_.add(row->address + i, token, true, byte_of(row->value, i));
}

// Memory that was needed behind this load held what is loaded here; otherwise someone else changed
// it.
void BackwardSlicer::check_loaded(const Observation& row, uint32_t bytes) {
  if (!row.has_address || !row.has_value || bytes > 8) return;
  taken_.clear();
  bytes_.take(row.address, bytes, [&](uint64_t address, Token token, bool expected, uint8_t value) {
    if (!expected) taken_.push_back({address, token});
    if (!expected || byte_of(row.value, address - row.address) == value) return false;
    members_.end(token, SliceEnd::changed);
    return true;
  });
  for (const Byte& byte : taken_)
    bytes_.add(byte.address, byte.token, true, byte_of(row.value, byte.address - row.address));
}

}  // namespace

Result<void> slice_backwards(const Trace& trace, const Windows& windows, const CallNames& names,
                             const SliceOptions& options, const CriterionPlace& place,
                             SliceMembers& members) {
  return BackwardSlicer(trace, windows, names, options, place, members).run();
}

}  // namespace vestige
