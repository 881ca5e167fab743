#include "trace/eval/compile_path.h"

#include <algorithm>
#include <unordered_map>

#include "program/argument_list.h"
#include "trace/eval/compile_statement.h"
#include "trace/eval/observer.h"

namespace vestige {

bool is_outward_call(const Function& function, const Statement& statement) {
  if (statement.op == Op::call) return !is_inline_call(function, statement);
  if (statement.op != Op::invoke) return false;
  if (!statement.attributes.empty() && (statement.attributes[0] & 8)) return false;
  return statement.callee == kNone || !function.symbols[statement.callee].starts_with("llvm.");
}

namespace {

class PathCompiler {
 public:
  PathCompiler(const Path& path, FunctionCode& code, Signatures& signatures,
               const std::vector<bool>& observed, const std::vector<bool>& watched,
               const std::vector<bool>& left_out)
      : path_(path),
        code_(code),
        function_(code.function),
        signatures_(signatures),
        observed_(observed),
        watched_(watched),
        left_out_(left_out),
        statements_(code, out_.cells) {}

  PathCode compile() {
    out_.function = &code_;
    out_.signature = signatures_.number(code_.argument_kinds);
    out_.enters = path_.enters;
    out_.leaves = path_.leaves;
    out_.returns = path_.end == SegmentEnd::ret;
    out_.statements = path_.statements;
    out_.watched = !watched_.empty();
    const Segment& first = function_.segments[path_.segments.front()];
    out_.at_pad = first.start == SegmentStart::pad;
    if (path_.resumes && first.first_statement > 0) come_back(first.first_statement - 1);
    const uint32_t target = cut_target();
    for (size_t i = 0; i < path_.segments.size(); ++i) {
      const Segment& segment = function_.segments[path_.segments[i]];
      const bool begins_block = segment.start != SegmentStart::resume;
      uint32_t skip = 0;
      if (begins_block) {
        if (i == 0)
          skip = enter_block(segment);
        else
          skip = pass_block(segment, function_.segments[path_.segments[i - 1]].block);
      }
      const uint32_t next =
          i + 1 < path_.segments.size() ? function_.segments[path_.segments[i + 1]].block : target;
      // What a path stops at happens behind its end: only calls are prepared before.
      const bool stops = segment.end == SegmentEnd::sync || segment.end == SegmentEnd::call;
      pass_bindings(segment.first_statement, skip);
      for (uint32_t s = skip; s < segment.statement_count; ++s) {
        const uint32_t index = segment.first_statement + s;
        pass_bindings(index, 1);
        if (stops && s + 1 == segment.statement_count &&
            !is_outward_call(function_, function_.statements[index]))
          continue;
        statement(index, next);
      }
    }
    const Segment& last = function_.segments[path_.segments.back()];
    out_.end_block = last.block;
    statements_.emit(Micro::end, 0, 0);
    out_.tracked_only = statements_.uses_unknown();
    out_.cells.shrink_to_fit();
    return std::move(out_);
  }

 private:
  // The path goes on behind this statement.
  void come_back(uint32_t before) {
    out_.behind = before;
    if (is_outward_call(function_, function_.statements[before])) {
      out_.result_of = before;
      return;
    }
    const Op op = function_.statements[before].op;
    if (op == Op::phi || op == Op::br || op == Op::switch_ || op == Op::ret) return;
    statements_.compile(before);
    observe(before, true);
  }

  // The block that a cut edge at the path's end leads to, or kNone.
  uint32_t cut_target() const {
    if (path_.end != SegmentEnd::branch || !code_.numbered) return kNone;
    const DecodedPath decoded =
        decode_path(function_.segments, code_.numbering, path_.id - function_.first_path);
    const Segment& last = function_.segments[path_.segments.back()];
    if (decoded.last_edge >= last.edges.size()) return kNone;
    return function_.segments[last.edges[decoded.last_edge].target].block;
  }

  // A segment's phis: its first statements.
  uint32_t phi_count(const Segment& segment) const {
    uint32_t count = 0;
    while (count < segment.statement_count &&
           function_.statements[segment.first_statement + count].op == Op::phi)
      ++count;
    return count;
  }

  struct Move {
    uint32_t dst, src;
  };
  // All at once: values that another move overwrites go through scratch slots.
  void move_all(std::vector<Move>& moves) {
    std::erase_if(moves, [](const Move& move) { return move.dst == move.src; });
    std::vector<uint32_t> written;
    for (const Move& move : moves) written.push_back(move.dst);
    std::ranges::sort(written);
    const uint32_t scratch = code_.slot_count - code_.first_scratch;
    uint32_t used = 0;
    if (moves.size() > 1) {
      for (Move& move : moves) {
        if (used == scratch || !std::ranges::binary_search(written, move.src)) continue;
        statements_.emit(Micro::copy, code_.first_scratch + used, move.src);
        move.src = code_.first_scratch + used++;
      }
    }
    for (const Move& move : moves) statements_.emit(Micro::copy, move.dst, move.src);
  }

  // A phi takes the value of an operand: part by part.
  void add_moves(uint32_t phi, const Operand& src, std::vector<Move>& moves) {
    const auto parts =
        static_cast<uint32_t>(code_.kept.parts(function_.statements[phi].type).size());
    for (uint32_t p = 0; p < parts; ++p)
      moves.push_back({code_.statement_slots[phi] + p, statements_.use(src, p)});
  }

  void observe_phis(const Segment& segment, uint32_t phis) {
    for (uint32_t i = 0; i < phis; ++i) observe(segment.first_statement + i);
  }

  // The block is entered from `from`, inside the path.
  uint32_t pass_block(const Segment& segment, uint32_t from) {
    const uint32_t phis = phi_count(segment);
    std::vector<Move> moves;
    for (uint32_t i = 0; i < phis; ++i) {
      const uint32_t index = segment.first_statement + i;
      const auto& operands = function_.statements[index].operands;
      if (!moved(index)) continue;
      Operand src;
      for (size_t o = 0; o + 1 < operands.size() && src.kind == Operand::Kind::none; o += 2)
        if (operands[o + 1] == Operand{Operand::Kind::block, from}) src = operands[o];
      add_moves(index, src, moves);
    }
    move_all(moves);
    tell_phis(segment, phis);
    observe_phis(segment, phis);
    return phis;
  }

  // The path begins with the block: one set of moves for each block it may come from. The one a
  // loop comes round by stands last, so that it needs no jump.
  uint32_t enter_block(const Segment& segment) {
    const uint32_t phis = phi_count(segment);
    std::unordered_map<uint32_t, std::vector<Move>> moves;
    std::vector<uint32_t> order;
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < phis; ++i) {
      const uint32_t index = segment.first_statement + i;
      const auto& operands = function_.statements[index].operands;
      if (!moved(index)) continue;
      const uint32_t dst = code_.statement_slots[index];
      const uint32_t parts =
          static_cast<uint32_t>(code_.kept.parts(function_.statements[index].type).size());
      for (uint32_t p = 0; p < parts; ++p) all.push_back(dst + p);
      for (size_t o = 0; o + 1 < operands.size(); o += 2) {
        if (operands[o + 1].kind != Operand::Kind::block) continue;
        const auto [at, fresh] = moves.try_emplace(operands[o + 1].index);
        if (fresh) order.push_back(operands[o + 1].index);
        if (at->second.empty() || at->second.back().dst != dst + parts - 1)
          add_moves(index, operands[o], at->second);
      }
    }
    if (!all.empty()) {
      const uint32_t round = function_.segments[path_.segments.back()].block;
      std::ranges::sort(order, {},
                        [&](uint32_t block) { return std::pair(block == round, block); });
      std::vector<size_t> jumps;
      const auto here = [&] { return static_cast<uint32_t>(out_.cells.size()); };
      const auto jump = [&] {
        jumps.push_back(out_.cells.size());
        statements_.emit(Micro::jump, 0, 0);
      };
      out_.unknown_entry = here();
      for (const uint32_t dst : all) statements_.emit(Micro::unknown, dst, 0);
      for (const uint32_t block : order) {
        jump();
        out_.entries.emplace_back(block, here());
        move_all(moves[block]);
      }
      std::ranges::sort(out_.entries);
      for (const size_t at : jumps) out_.cells[at].a = static_cast<uint32_t>(here() - at);
    }
    tell_phis(segment, phis);
    observe_phis(segment, phis);
    return phis;
  }

  bool moved(uint32_t index) const { return code_.sources[index] == Source::derived; }
  // Phis of values that cannot be followed.
  void tell_phis(const Segment& segment, uint32_t phis) {
    for (uint32_t i = 0; i < phis; ++i)
      if (code_.sources[segment.first_statement + i] == Source::told)
        statements_.read_told(segment.first_statement + i);
  }

  // `next`: the block the path goes to behind this one.
  void statement(uint32_t index, uint32_t next) {
    const Statement& statement = function_.statements[index];
    if (!left_out_.empty() &&
        (left_out_[index] || statement.op == Op::br || statement.op == Op::switch_))
      return;
    switch (statement.op) {
      case Op::br:
        return check_branch(statement, index, next);
      case Op::switch_:
        return check_switch(statement, index, next);
      case Op::ret:
        return give(statement);
      case Op::invoke:
        out_.invoke = index;
        break;
      default:
        break;
    }
    if (is_outward_call(function_, statement)) return call(statement);
    statements_.compile(index);
    observe(index);
  }

  void check_branch(const Statement& statement, uint32_t index, uint32_t next) {
    const auto& operands = statement.operands;  // condition, if false, if true
    if (operands.size() < 3 || next == kNone || operands[1] == operands[2]) return;
    const bool known = operands[1].index == next || operands[2].index == next;
    if (!known || code_.type(operands[0]).bits != 1) return;
    statements_.emit(Micro::check_branch, 0, statements_.use(operands[0]), index,
                     operands[2].index == next);
  }

  void check_switch(const Statement& statement, uint32_t index, uint32_t next) {
    const auto& operands = statement.operands;  // value, otherwise, case, block, …
    if (operands.size() < 2 || next == kNone || code_.type(operands[0]).bits == 0) return;
    if (!code_.switches.contains(index)) {
      FunctionCode::Switch& table = code_.switches[index];
      table.otherwise = operands[1].index;
      for (size_t o = 2; o + 1 < operands.size(); o += 2) {
        const uint32_t slot = code_.slot(operands[o]);
        if (slot < code_.first_constant || code_.never_known(slot)) continue;
        table.blocks.emplace(code_.constants[slot - code_.first_constant], operands[o + 1].index);
      }
    }
    statements_.emit(Micro::check_switch, next, statements_.use(operands[0]), index);
  }

  void give(const Statement& statement) {
    if (statement.operands.empty() || code_.parts(statement.operands[0]).empty())
      return statements_.emit(Micro::give_nothing, 0, 0);
    if (code_.type(statement.operands[0]).bits == 0) return give_wide(statement.operands[0]);
    statements_.emit(Micro::give, 0, statements_.use(statement.operands[0]), 0,
                     value_kind(code_.type(statement.operands[0])));
  }

  void give_wide(const Operand& value) {
    std::vector<ValueKind> kinds;
    add_kinds(code_.kept, type_of(function_, value), kinds);
    for (uint32_t p = 0; p < kinds.size(); ++p)
      statements_.emit(Micro::give_part, p, statements_.use(value, p));
    statements_.emit(Micro::give_wide, signatures_.number(kinds), 0);
  }

  void call(const Statement& statement) {
    const auto& operands = statement.operands;
    if (operands.empty()) return;
    // Arguments, for an invoke two blocks, and the callee.
    const size_t others = statement.op == Op::invoke ? 3 : 1;
    std::vector<ValueKind> kinds;
    for (size_t i = 0; i + others < operands.size(); ++i) {
      const auto first = static_cast<uint32_t>(kinds.size());
      const uint32_t type = type_of(function_, operands[i]);
      if (type == kNone)
        kinds.push_back(0);
      else
        add_kinds(code_.kept, type, kinds);
      for (uint32_t p = 0; p < code_.parts(operands[i]).size(); ++p)
        statements_.emit(Micro::pass, first + p, statements_.use(operands[i], p));
    }
    out_.arguments = std::max(out_.arguments, static_cast<uint32_t>(kinds.size()));
    statements_.emit(Micro::call, signatures_.number(kinds), statements_.use(operands.back()));
  }

  // The watched bindings before any of `count` statements.
  void pass_bindings(uint32_t first, uint32_t count) {
    if (watched_.empty()) return;
    const std::vector<Binding>& all = function_.bindings;
    auto at = std::ranges::lower_bound(all, first, {}, &Binding::position);
    for (; at != all.end() && at->position - first < count; ++at) {
      const auto number = static_cast<uint32_t>(at - all.begin());
      if (number < watched_.size() && watched_[number]) pass_binding(*at, number);
    }
  }

  void pass_binding(const Binding& binding, uint32_t number) {
    struct Shown {
      uint32_t which, slot, parts;  // parts 0: simple
    };
    std::vector<Shown> operands;
    const auto show = [&](uint32_t which, uint32_t slot, uint32_t type) {
      const bool wide = code_.kept.shape(type).wide();
      operands.push_back({which, slot, wide ? code_.kept.shape(type).parts : 0});
    };
    for (uint32_t o = 0; o < binding.operands.size(); ++o) {
      const BindingOperand& operand = binding.operands[o];
      if (operand.kind == BindingOperand::Kind::statement)
        show(o, code_.statement_slots[operand.index], function_.statements[operand.index].type);
      if (operand.kind == BindingOperand::Kind::argument)
        show(o, code_.argument_slots[operand.index], function_.arguments[operand.index]);
    }
    if (operands.empty()) operands.push_back({Passage::kNoOperand, kNone, 0});
    for (const auto& [which, slot, parts] : operands)
      statements_.emit(Micro::observe_binding, parts, slot, number,
                       which | (which == operands.back().which ? kLastOperand : 0));
  }

  // `late`: the statement belongs to the path before.
  void observe(uint32_t index, bool late = false) {
    const uint64_t id = uint64_t{function_.first_statement} + index;
    if (id >= observed_.size() || !observed_[id]) return;
    const Statement& statement = function_.statements[index];
    const auto& operands = statement.operands;
    const uint32_t value = code_.statement_slots[index];
    const auto access = [&](Micro micro, size_t address, uint32_t other) {
      if (operands.size() > address)
        statements_.emit(micro, statements_.use(operands[address]), other, index, late);
    };
    const auto simple = [&](size_t o) {
      return o < operands.size() && code_.type(operands[o]).bits != 0 ? statements_.use(operands[o])
                                                                      : kNone;
    };
    // What it computes, or stores, is wide.
    const auto wide = [&](uint32_t type, uint32_t first, uint32_t address) {
      statements_.emit(Micro::observe_wide, address, first, index,
                       late | code_.kept.shape(type).parts << 1);
    };
    const auto is_wide = [&](uint32_t type) {
      return type != kNone && code_.kept.shape(type).wide();
    };
    switch (statement.op) {
      case Op::load:
      case Op::cmpxchg:
      case Op::atomic_rmw:
        if (is_wide(statement.type) && !operands.empty())
          return wide(statement.type, value, statements_.use(operands[0]));
        return access(Micro::observe_access, 0, value);
      case Op::store:
        if (operands.size() > 1)
          if (const uint32_t type = type_of(function_, operands[0]); is_wide(type))
            return wide(type, use_all(operands[0]), statements_.use(operands[1]));
        return access(Micro::observe_access, 1, simple(0));
      default:
        break;
    }
    if (statement.op == Op::call && statement.callee != kNone) {
      const MemoryWork work = memory_work_of(function_.symbols[statement.callee]);
      if (work != MemoryWork::none && operands.size() > 2) {
        statements_.emit(Micro::observe_work, statements_.use(operands[0]), simple(1), index,
                         work == MemoryWork::fill ? kShowsFill : 0);
        return statements_.emit(Micro::end, 0, simple(2));
      }
      if (is_list_work(function_.symbols[statement.callee]))
        return access(Micro::observe_access, 0, kNone);
    }
    if (value == kNone || code_.sources[index] == Source::called) return;
    if (is_wide(statement.type))
      wide(statement.type, value, kNone);
    else
      statements_.emit(Micro::observe_value, 0, value, index, late);
  }

  // The first slot of an operand, all of whose parts are used.
  uint32_t use_all(const Operand& operand) {
    for (uint32_t p = 1; p < code_.parts(operand).size(); ++p) statements_.use(operand, p);
    return statements_.use(operand, 0);
  }

  const Path& path_;
  FunctionCode& code_;
  const Function& function_;
  Signatures& signatures_;
  const std::vector<bool>& observed_;
  const std::vector<bool>& watched_;
  const std::vector<bool>& left_out_;
  PathCode out_;
  StatementCompiler statements_;
};

}  // namespace

PathCode compile_path(const Path& path, FunctionCode& function, Signatures& signatures,
                      const std::vector<bool>& observed, const std::vector<bool>& watched,
                      const std::vector<bool>& left_out) {
  return PathCompiler(path, function, signatures, observed, watched, left_out).compile();
}

}  // namespace vestige
