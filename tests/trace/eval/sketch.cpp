#include "trace/eval/sketch.h"

#include <algorithm>
#include <stdexcept>

#include "program/derive.h"
#include "program/numbering.h"

namespace vestige::sketch {

FunctionSketch::FunctionSketch(std::string name, std::vector<std::string> argument_types) {
  function_.name = std::move(name);
  function_.unit = "sketch.c";
  for (const std::string& t : argument_types) function_.arguments.push_back(type(t));
}

uint32_t FunctionSketch::type(const std::string& name) {
  const auto at = std::ranges::find(function_.types, name);
  if (at != function_.types.end()) return static_cast<uint32_t>(at - function_.types.begin());
  function_.types.push_back(name);
  return static_cast<uint32_t>(function_.types.size() - 1);
}

Operand FunctionSketch::number(const std::string& name, uint64_t value) {
  Constant constant;
  constant.kind = name == "float" || name == "double" ? Constant::Kind::floating
                  : name == "ptr"                     ? Constant::Kind::null
                                                      : Constant::Kind::integer;
  constant.type = type(name);
  for (int i = 0; i < 8; ++i) constant.bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  function_.constants.push_back(constant);
  return {Operand::Kind::constant, static_cast<uint32_t>(function_.constants.size() - 1)};
}

Operand FunctionSketch::symbol(const std::string& name, int64_t offset) {
  auto at = std::ranges::find(function_.symbols, name);
  if (at == function_.symbols.end()) at = function_.symbols.insert(at, name);
  Constant constant;
  constant.kind = Constant::Kind::symbol;
  constant.type = type("ptr");
  constant.symbol = static_cast<uint32_t>(at - function_.symbols.begin());
  constant.offset = offset;
  function_.constants.push_back(constant);
  return {Operand::Kind::constant, static_cast<uint32_t>(function_.constants.size() - 1)};
}

uint32_t FunctionSketch::begin_block() {
  Block block;
  block.first_statement = static_cast<uint32_t>(function_.statements.size());
  function_.blocks.push_back(block);
  return static_cast<uint32_t>(function_.blocks.size() - 1);
}

Operand FunctionSketch::add(Op op, const std::string& result, std::vector<Operand> operands,
                            std::vector<uint32_t> attributes) {
  Statement statement;
  statement.op = op;
  statement.pseudo = op == Op::phi;
  statement.block = static_cast<uint32_t>(function_.blocks.size() - 1);
  statement.type = type(result);
  statement.operands = std::move(operands);
  statement.attributes = std::move(attributes);
  function_.statements.push_back(std::move(statement));
  ++function_.blocks.back().statement_count;
  return {Operand::Kind::statement, static_cast<uint32_t>(function_.statements.size() - 1)};
}

Operand FunctionSketch::address(Operand base, int64_t offset,
                                std::vector<std::pair<Operand, int64_t>> indices) {
  std::vector<Operand> operands{base};
  std::vector<uint32_t> attributes;
  const auto put = [&](int64_t v) {
    attributes.push_back(static_cast<uint32_t>(v));
    attributes.push_back(static_cast<uint32_t>(static_cast<uint64_t>(v) >> 32));
  };
  put(offset);
  for (const auto& [index, scale] : indices) {
    operands.push_back(index);
    put(scale);
  }
  return add(Op::get_element_ptr, "ptr", std::move(operands), std::move(attributes));
}

Operand FunctionSketch::call(const std::string& result, std::vector<Operand> arguments,
                             Operand callee) {
  arguments.push_back(callee);
  const Operand made = add(Op::call, result, std::move(arguments), {0});
  if (callee.kind == Operand::Kind::constant)
    function_.statements.back().callee = function_.constants[callee.index].symbol;
  return made;
}

void FunctionSketch::tail_call(const std::string& result, std::vector<Operand> arguments,
                               Operand callee) {
  const Operand made = call(result, std::move(arguments), callee);
  function_.statements.back().attributes = {1};
  tails_.push_back(made.index);
  result == "void" ? ret() : ret(made);
}

Operand FunctionSketch::invoke(const std::string& result, std::vector<Operand> arguments,
                               uint32_t normal, uint32_t unwind, Operand callee) {
  arguments.insert(arguments.end(), {block(normal), block(unwind), callee});
  return add(Op::invoke, result, std::move(arguments), {0});
}

void FunctionSketch::set_operands(Operand statement, std::vector<Operand> operands) {
  function_.statements[statement.index].operands = std::move(operands);
}

std::string FunctionSketch::type_of(const Operand& operand) const {
  const uint32_t number =
      operand.kind == Operand::Kind::statement  ? function_.statements[operand.index].type
      : operand.kind == Operand::Kind::argument ? function_.arguments[operand.index]
                                                : function_.constants[operand.index].type;
  return function_.types[number];
}

namespace {

SegmentEnd end_of(const Function& function, uint32_t index, const std::vector<uint32_t>& tails) {
  const Statement& statement = function.statements[index];
  switch (statement.op) {
    case Op::call:
      if (is_inline_call(function, statement)) return SegmentEnd::branch;
      return std::ranges::find(tails, index) != tails.end() ? SegmentEnd::tail_call
                                                            : SegmentEnd::call;
    case Op::invoke:
      return SegmentEnd::call;
    case Op::ret:
      return SegmentEnd::ret;
    case Op::resume:
      return SegmentEnd::unwind;
    case Op::unreachable:
      return SegmentEnd::stop;
    case Op::atomic_rmw:
    case Op::cmpxchg:
    case Op::fence:
      return SegmentEnd::sync;
    case Op::load:
    case Op::store:
      return statement.attributes.size() > 3 && statement.attributes[3] > 1 ? SegmentEnd::sync
                                                                            : SegmentEnd::branch;
    default:
      return SegmentEnd::branch;
  }
}

}  // namespace

Function FunctionSketch::finish() {
  Function& f = function_;
  std::vector<uint32_t> first_segment;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    const Block& block = f.blocks[b];
    first_segment.push_back(static_cast<uint32_t>(f.segments.size()));
    Segment segment;
    segment.block = b;
    segment.first_statement = block.first_statement;
    bool tail = false;
    for (uint32_t i = 0; i < block.statement_count && !tail; ++i) {
      const uint32_t index = block.first_statement + i;
      const bool last = i + 1 == block.statement_count;
      segment.end = end_of(f, index, tails_);
      if (f.statements[index].op == Op::landing_pad) segment.start = SegmentStart::pad;
      segment.statement_count = index + 1 - segment.first_statement;
      tail = segment.end == SegmentEnd::tail_call;
      if (last || tail || segment.end != SegmentEnd::branch) {
        f.segments.push_back(segment);
        segment = {};
        segment.block = b;
        segment.first_statement = index + 1;
        segment.start = SegmentStart::resume;
      }
    }
  }
  f.segments[0].start = SegmentStart::entry;
  for (uint32_t s = 0; s < f.segments.size(); ++s) {
    Segment& segment = f.segments[s];
    if (segment.end == SegmentEnd::tail_call) continue;
    if (s + 1 < f.segments.size() && f.segments[s + 1].block == segment.block) {
      segment.edges.push_back({s + 1, true});
      continue;
    }
    const Statement& terminator =
        f.statements[segment.first_statement + segment.statement_count - 1];
    for (const Operand& operand : terminator.operands) {
      if (operand.kind != Operand::Kind::block) continue;
      const uint32_t target = first_segment[operand.index];
      f.blocks[segment.block].successors.push_back(operand.index);
      if (std::ranges::find(segment.edges, target, &SegmentEdge::target) != segment.edges.end())
        continue;
      const bool cut = segment.end != SegmentEnd::branch;
      if (cut && f.segments[target].start == SegmentStart::none)
        f.segments[target].start = SegmentStart::block;
      segment.edges.push_back({target, cut});
    }
  }
  cut_cycles(f.segments);
  auto numbering = number_paths(f.segments);
  if (!numbering) throw std::runtime_error(numbering.error().message);
  f.path_count = numbering->path_count;
  return std::move(f);
}

uint64_t SketchProgram::address_of(const std::string& symbol) const {
  for (size_t f = 0; f < program.functions.size(); ++f)
    if (program.functions[f].name == symbol) return 0x400000 + f * 0x100;
  const auto at = std::ranges::find(symbols, symbol);
  return at == symbols.end() ? 0 : 0x700000 + static_cast<uint64_t>(at - symbols.begin()) * 0x10000;
}

SketchProgram assemble(std::vector<Function> functions) {
  SketchProgram result;
  uint32_t next = 0x10000;
  for (Function& function : functions) {
    result.program.paths.push_back(synthetic::enumerate_paths(function));
    result.program.first_path.push_back(next);
    function.first_path = next;
    next += static_cast<uint32_t>(function.path_count) + 5;
    for (const std::string& symbol : function.symbols)
      if (std::ranges::find(result.symbols, symbol) == result.symbols.end() &&
          std::ranges::find(functions, symbol, &Function::name) == functions.end())
        result.symbols.push_back(symbol);
  }
  result.program.functions = std::move(functions);
  for (const Function& function : result.program.functions) {
    FunctionAddresses addresses;
    addresses.own = result.address_of(function.name);
    for (const std::string& symbol : function.symbols)
      addresses.symbols.push_back(result.address_of(symbol));
    result.addresses.push_back(std::move(addresses));
  }
  return result;
}

Trace write_and_open(const SketchProgram& program, const synthetic::Run& run) {
  synthetic::TraceFile file;
  file.program = program.program;
  file.path = synthetic::temporary_name();
  file.runs = {run};
  file.chunks = {synthetic::make_chunks(program.program, 0, run, {1})};
  synthetic::write_trace(file);
  auto trace = Trace::open(file.path);
  if (!trace) throw std::runtime_error(trace.error().message);
  return std::move(*trace);
}

}  // namespace vestige::sketch
