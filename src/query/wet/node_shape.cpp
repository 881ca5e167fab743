#include "query/wet/node_shape.h"

#include <algorithm>
#include <map>

#include "query/wet/value_field.h"
#include "vestige/values.h"

namespace vestige {

FunctionExports exports_of(const Function& function) {
  FunctionExports out;
  out.statements.assign(function.statements.size(), kNone);
  out.blocks.assign(function.blocks.size(), kNone);
  std::vector<uint32_t> segment_of(function.statements.size(), kNone);
  for (uint32_t s = 0; s < function.segments.size(); ++s)
    for (uint32_t k = 0; k < function.segments[s].statement_count; ++k)
      segment_of[function.segments[s].first_statement + k] = s;
  for (uint32_t c = 0; c < function.statements.size(); ++c) {
    const bool phi = function.statements[c].op == Op::phi;
    for (const Operand& operand : function.statements[c].operands) {
      if (operand.kind != Operand::Kind::statement) continue;
      if (!phi && segment_of[operand.index] == segment_of[c]) continue;
      uint32_t& number = out.statements[operand.index];
      if (number == kNone) number = out.statement_count++;
    }
  }
  const auto decides = [&](uint32_t block) {
    uint32_t& number = out.blocks[block];
    if (number == kNone) number = out.block_count++;
  };
  for (const Block& block : function.blocks) {
    for (const uint32_t parent : block.control_parents) decides(parent);
    if (block.round != kNone) decides(block.round);
  }
  return out;
}

namespace {

using Inputs = std::vector<uint64_t>;  // a set, as bits

bool contains(const Inputs& all, const Inputs& some) {
  for (size_t i = 0; i < some.size(); ++i)
    if ((some[i] & ~all[i]) != 0) return false;
  return true;
}

uint64_t size_of(const Inputs& inputs) {
  uint64_t count = 0;
  for (const uint64_t word : inputs) count += static_cast<uint64_t>(__builtin_popcountll(word));
  return count;
}

bool keeps_value(const Function& function, uint32_t statement) {
  const Statement& s = function.statements[statement];
  return !s.pseudo && s.op != Op::store && value_type(function, statement).bits > 0;
}

// The groups of the paper's section 3.2: statements that depend on the same inputs; and a group
// whose inputs are among those of another one joins it.
struct Valued {
  uint32_t statement = 0, field = 0;
  Inputs inputs;
};
void form_groups(const Function& function, const std::vector<Valued>& valued, NodeShape& out) {
  constexpr size_t kMostJoined = 1024;  // groups; joining takes their square
  std::map<Inputs, std::vector<size_t>> by_inputs;
  for (size_t i = 0; i < valued.size(); ++i) by_inputs[valued[i].inputs].push_back(i);
  std::vector<std::pair<Inputs, std::vector<size_t>>> groups(by_inputs.begin(), by_inputs.end());
  std::ranges::sort(groups, {}, [](const auto& group) {
    return std::pair(UINT64_MAX - size_of(group.first), group.second.front());
  });
  std::vector<std::pair<Inputs, std::vector<size_t>>> joined;
  for (auto& [inputs, members] : groups) {
    auto larger = joined.end();
    if (groups.size() <= kMostJoined)
      larger =
          std::ranges::find_if(joined, [&](const auto& g) { return contains(g.first, inputs); });
    if (larger == joined.end())
      joined.emplace_back(inputs, members);
    else
      larger->second.insert(larger->second.end(), members.begin(), members.end());
  }
  out.values.resize(valued.size());
  for (uint32_t g = 0; g < joined.size(); ++g) {
    std::ranges::sort(joined[g].second);
    uint32_t bytes = 0, column = 0;
    for (const size_t i : joined[g].second) {
      const uint32_t statement = valued[i].statement;
      out.values[i] = {statement, g, column++, valued[i].field};
      bytes += (value_type(function, statement).bits + 7u) / 8;
    }
    out.group_bytes.push_back(bytes);
    out.group_columns.push_back(column);
    out.value_bytes += bytes;
  }
}

}  // namespace

NodeShape node_shape(const Trace& trace, const Path& path, const PathShape& shape,
                     const FunctionExports& exports, bool fields) {
  const Function& function = trace.functions()[path.function];
  NodeShape out;
  // Inputs are numbered as they come up: at most one per operand and one per statement.
  std::map<std::pair<Operand::Kind, uint32_t>, uint32_t> outside;
  std::map<uint32_t, Inputs> done;  // by statement of the path, so far
  std::vector<Valued> valued;
  uint32_t inputs = 0;
  const auto add = [](Inputs& set, uint32_t input) {
    if (set.size() <= input / 64) set.resize(input / 64 + 1);
    set[input / 64] |= uint64_t{1} << input % 64;
  };
  const auto join = [](Inputs& set, const Inputs& more) {
    if (set.size() < more.size()) set.resize(more.size());
    for (size_t i = 0; i < more.size(); ++i) set[i] |= more[i];
  };
  for (const ShapeItem& item : shape.items) {
    const Statement& s = function.statements[item.statement];
    Inputs mine, given;
    const auto depend = [&](const Operand& operand) {
      if (operand.kind != Operand::Kind::statement && operand.kind != Operand::Kind::argument)
        return;
      if (operand.kind == Operand::Kind::statement) {
        const auto local = done.find(operand.index);
        if (local != done.end()) {
          ++out.local;
          join(mine, local->second);
          return;
        }
      }
      const bool argument = operand.kind == Operand::Kind::argument;
      out.uses.push_back(
          {argument ? NodeShape::Use::Kind::argument : NodeShape::Use::Kind::statement,
           item.statement, operand.index});
      const auto [at, added] = outside.try_emplace({operand.kind, operand.index}, inputs);
      inputs += added;
      add(mine, at->second);
    };
    if (item.kind == StepKind::phi) {
      if (item.from == kNone) {
        out.uses.push_back({NodeShape::Use::Kind::phi, item.statement, 0});
        add(mine, inputs++);
      } else {
        for (size_t i = 0; i + 1 < s.operands.size(); i += 2)
          if (s.operands[i + 1] == Operand{Operand::Kind::block, item.from}) {
            depend(s.operands[i]);
            break;
          }
      }
    } else {
      for (const Operand& operand : s.operands) depend(operand);
      given = mine;
      // What memory and callees give is an input.
      if (item.kind == StepKind::load || item.kind == StepKind::exchange ||
          item.kind == StepKind::call) {
        mine.clear();
        add(mine, inputs++);
      }
    }
    if (item.begins) {
      const Decider& decider = item.decider;
      if (decider.kind == Decider::Kind::item)
        ++out.local_control;
      else
        out.uses.push_back({NodeShape::Use::Kind::control, item.statement,
                            decider.kind == Decider::Kind::entry ? kNone : decider.index});
    }
    if (fields) {
      for (const uint32_t field : fields_of(function, item.statement))
        valued.push_back(
            {item.statement, field, given_field(function, item.statement, field) ? given : mine});
    } else if (keeps_value(function, item.statement)) {
      valued.push_back({item.statement, 0, mine});
    }
    done[item.statement] = std::move(mine);
    const uint32_t number = exports.statements[item.statement];
    if (number != kNone) out.statements.emplace_back(number, item.statement);
    if (item.ends && exports.blocks[item.block] != kNone)
      out.blocks.emplace_back(exports.blocks[item.block], item.statement);
  }
  for (Valued& value : valued) value.inputs.resize(inputs / 64 + 1);
  out.local += out.local_control;
  form_groups(function, valued, out);
  return out;
}

}  // namespace vestige
