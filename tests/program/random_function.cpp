#include "random_function.h"

#include <sstream>

#include "program/numbering.h"

namespace vestige {

namespace {

uint32_t below(std::mt19937& random, size_t n) { return static_cast<uint32_t>(random() % n); }

// Small mostly, now and then any number: every length of varint is met.
uint32_t any_number(std::mt19937& random) { return random() >> (random() % 32); }

std::string any_text(std::mt19937& random) {
  std::string text(random() % 12, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

std::vector<std::string> texts(std::mt19937& random, size_t least) {
  std::vector<std::string> list(least + random() % 4);
  for (std::string& text : list) text = any_text(random);
  return list;
}

uint32_t maybe(std::mt19937& random, size_t n) {
  return n == 0 || random() % 4 == 0 ? kNone : below(random, n);
}

Constant random_constant(std::mt19937& random, const Function& f) {
  Constant c;
  c.kind = static_cast<Constant::Kind>(below(random, 9));
  c.type = below(random, f.types.size());
  const bool has_parts =
      c.kind == Constant::Kind::aggregate || c.kind == Constant::Kind::expression;
  switch (c.kind) {
    case Constant::Kind::integer:
    case Constant::Kind::floating:
      c.bytes.resize(random() % 20);
      for (uint8_t& byte : c.bytes) byte = static_cast<uint8_t>(random());
      break;
    case Constant::Kind::symbol:
      c.symbol = below(random, f.symbols.size());
      c.offset = static_cast<int64_t>((uint64_t{random()} << 32 | random()) >> (random() % 64));
      if (random() % 2) c.offset = -c.offset;
      break;
    case Constant::Kind::expression:
      c.op = static_cast<Op>(random());
      break;
    default:
      break;
  }
  if (has_parts && !f.constants.empty())
    for (size_t n = random() % 4; n > 0; --n) c.parts.push_back(below(random, f.constants.size()));
  return c;
}

Operand random_operand(std::mt19937& random, const Function& f, size_t statements) {
  Operand o;
  o.kind = static_cast<Operand::Kind>(below(random, 5));
  const size_t limit = o.kind == Operand::Kind::statement  ? statements
                       : o.kind == Operand::Kind::argument ? f.arguments.size()
                       : o.kind == Operand::Kind::constant ? f.constants.size()
                       : o.kind == Operand::Kind::block    ? f.blocks.size()
                                                           : 1;
  if (limit == 0) return {};
  o.index = below(random, limit);
  return o;
}

void add_statements(std::mt19937& random, Function& f) {
  uint32_t statements = 0;
  for (Block& block : f.blocks) {
    block.first_statement = statements;
    block.statement_count = 1 + below(random, 6);
    statements += block.statement_count;
  }
  for (uint32_t b = 0; b < f.blocks.size(); ++b)
    for (uint32_t i = 0; i < f.blocks[b].statement_count; ++i) {
      Statement s;
      s.op = static_cast<Op>(random());
      s.pseudo = random() % 5 == 0;
      s.block = b;
      s.type = below(random, f.types.size());
      s.location = maybe(random, f.locations.size());
      s.callee = maybe(random, f.symbols.size());
      s.attributes.resize(random() % 3);
      for (uint32_t& attribute : s.attributes) attribute = any_number(random);
      for (size_t n = random() % 4; n > 0; --n)
        s.operands.push_back(random_operand(random, f, statements));
      f.statements.push_back(std::move(s));
    }
}

// Blocks cut into segments anywhere, and edges between any of them.
void add_segments(std::mt19937& random, Function& f) {
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    const Block& block = f.blocks[b];
    for (uint32_t at = 0; at < block.statement_count;) {
      Segment s;
      s.block = b;
      s.first_statement = block.first_statement + at;
      s.statement_count = 1 + below(random, block.statement_count - at);
      at += s.statement_count;
      f.segments.push_back(s);
    }
  }
  const auto graph = random_segments(random, static_cast<uint32_t>(f.segments.size()));
  for (uint32_t s = 0; s < f.segments.size(); ++s) {
    if (s < graph.size()) {
      f.segments[s].start = graph[s].start;
      f.segments[s].end = graph[s].end;
      f.segments[s].edges = graph[s].edges;
    } else {
      f.segments[s].end = SegmentEnd::ret;
    }
  }
  cut_cycles(f.segments);
  limit_paths(f.segments, 1 + random() % 200);
}

uint64_t any_word(std::mt19937& random) {
  return (uint64_t{random()} << 32 | random()) >> (random() % 64);
}

SourceType random_type(std::mt19937& random, const Function& f) {
  SourceType t;
  t.kind = static_cast<SourceType::Kind>(below(random, f.source_types.empty() ? 10 : 11));
  t.name = any_text(random);
  t.bytes = 1 + any_number(random);
  if (t.kind == SourceType::Kind::array) t.element = below(random, f.source_types.size());
  if (t.kind == SourceType::Kind::record && !f.source_types.empty())
    for (size_t n = random() % 4; n > 0; --n)
      t.members.push_back({any_text(random), below(random, f.source_types.size()),
                           random() % (t.bytes * 8), below(random, 65)});
  if (t.kind == SourceType::Kind::enumeration)
    for (size_t n = random() % 4; n > 0; --n)
      t.enumerators.push_back({any_text(random), static_cast<int64_t>(any_word(random))});
  return t;
}

BindingOperand random_binding_operand(std::mt19937& random, const Function& f) {
  BindingOperand o;
  o.kind = static_cast<BindingOperand::Kind>(below(random, 4));
  const size_t limit = o.kind == BindingOperand::Kind::statement  ? f.statements.size()
                       : o.kind == BindingOperand::Kind::argument ? f.arguments.size()
                       : o.kind == BindingOperand::Kind::symbol   ? f.symbols.size()
                                                                  : 0;
  if (limit == 0) o.kind = BindingOperand::Kind::number;
  if (limit != 0) o.index = below(random, limit);
  if (limit == 0 || o.kind == BindingOperand::Kind::symbol) o.number = any_word(random);
  if (random() % 4 == 0 && o.number) o.number = ~o.number;
  return o;
}

// Pushes and operations as they come, as long as the stack allows.
std::vector<BindingStep> random_steps(std::mt19937& random, size_t operands) {
  std::vector<BindingStep> steps;
  size_t depth = 0;
  for (size_t n = random() % 8; n > 0 || depth == 0; n -= n > 0) {
    BindingStep s;
    s.kind = static_cast<BindingStep::Kind>(below(random, 23));
    using Kind = BindingStep::Kind;
    if (s.kind <= Kind::number) {
      s.number = s.kind == Kind::operand ? below(random, operands) : any_word(random);
      ++depth;
    } else if (s.kind == Kind::sign_extend || s.kind == Kind::zero_extend) {
      if (depth < 1) continue;
      s.number = 1 + below(random, 64);
    } else if (s.kind == Kind::negate || s.kind == Kind::not_) {
      if (depth < 1) continue;
    } else if (depth-- < 2) {
      ++depth;
      continue;
    }
    steps.push_back(s);
  }
  return steps;
}

void add_variables(std::mt19937& random, Function& f) {
  for (size_t n = random() % 3; n > 0; --n) {
    const std::string text = any_text(random);
    f.data.push_back({below(random, f.symbols.size()), {text.begin(), text.end()}});
  }
  for (size_t n = random() % 5; n > 0; --n) f.source_types.push_back(random_type(random, f));
  if (f.source_types.empty()) return;
  for (size_t n = random() % 5; n > 0; --n)
    f.variables.push_back({any_text(random), below(random, f.source_types.size()),
                           maybe(random, f.locations.size()), any_number(random) >> 1,
                           maybe(random, f.symbols.size())});
  if (f.variables.empty()) return;
  for (uint32_t at = 0; at < f.statements.size(); ++at)
    while (random() % 3 == 0) {
      Binding b;
      b.position = at;
      b.variable = below(random, f.variables.size());
      b.kind = static_cast<Binding::Kind>(below(random, 7));
      if (random() % 3 == 0) {
        b.bits = 1 + below(random, 8);
        b.first_bit = 8 * below(random, f.source_types[f.variables[b.variable].type].bytes);
      }
      for (size_t n = 1 + random() % 7; n > 0; --n)
        b.operands.push_back(random_binding_operand(random, f));
      if (random() % 2) b.steps = random_steps(random, b.operands.size());
      f.bindings.push_back(std::move(b));
    }
}

void dump_variables(std::ostream& out, const Function& f) {
  for (const SourceType& t : f.source_types) {
    out << "source type " << int(t.kind) << ' ' << t.name << ' ' << t.bytes << " of " << t.element
        << '\n';
    for (const SourceType::Member& m : t.members)
      out << "  member " << m.name << ' ' << m.type << ' ' << m.first_bit << ':' << m.bits << '\n';
    for (const SourceType::Enumerator& e : t.enumerators)
      out << "  enumerator " << e.name << ' ' << e.value << '\n';
  }
  for (const Variable& v : f.variables)
    out << "variable " << v.name << ' ' << v.type << " at " << v.location << " parameter "
        << v.parameter << " symbol " << v.symbol << '\n';
  for (const Binding& b : f.bindings) {
    out << "binding before " << b.position << " of " << b.variable << ' ' << int(b.kind) << ' '
        << b.first_bit << ':' << b.bits << '\n';
    for (const BindingOperand& o : b.operands)
      out << "  operand " << int(o.kind) << ' ' << o.index << ' ' << o.number << '\n';
    for (const BindingStep& s : b.steps) out << "  step " << int(s.kind) << ' ' << s.number << '\n';
  }
  for (const ConstantData& d : f.data)
    out << "data of " << d.symbol << ' ' << std::string(d.bytes.begin(), d.bytes.end()) << '\n';
}

template <class List>
void put(std::ostream& out, const char* name, const List& list) {
  out << name << " [";
  for (const auto& item : list) out << ' ' << item;
  out << " ]\n";
}

}  // namespace

std::vector<Segment> random_segments(std::mt19937& random, uint32_t most) {
  std::vector<Segment> segments(1 + below(random, most));
  for (Segment& segment : segments) {
    if (random() % 5 == 0) segment.start = static_cast<SegmentStart>(1 + below(random, 4));
    if (random() % 4 == 0) segment.end = static_cast<SegmentEnd>(below(random, 8));
    const bool branches = segment.end == SegmentEnd::branch;
    for (size_t n = (branches ? 1 : 0) + random() % 3; n > 0; --n) {
      segment.edges.push_back({below(random, segments.size()), random() % 8 == 0});
      if (segment.edges.back().cut || !branches) {
        Segment& target = segments[segment.edges.back().target];
        if (target.start == SegmentStart::none) target.start = SegmentStart::block;
      }
    }
  }
  segments[0].start = SegmentStart::entry;
  return segments;
}

Function random_function(std::mt19937& random) {
  Function f;
  f.name = any_text(random);
  f.unit = any_text(random);
  f.files = texts(random, 0);
  f.scopes = texts(random, 0);
  f.types = texts(random, 1);
  f.symbols = texts(random, 1);
  f.file = maybe(random, f.files.size());
  f.line = any_number(random);
  for (size_t n = random() % 4; n > 0; --n) f.arguments.push_back(below(random, f.types.size()));
  for (size_t n = random() % 8; n > 0; --n) f.constants.push_back(random_constant(random, f));
  for (size_t n = random() % 6; n > 0; --n)
    f.locations.push_back({maybe(random, f.files.size()), any_number(random), any_number(random),
                           maybe(random, f.scopes.size()), maybe(random, f.locations.size())});
  f.blocks.resize(1 + below(random, 6));
  for (size_t n = random() % 3; n > 0; --n)
    f.loops.push_back({below(random, f.blocks.size()), maybe(random, f.loops.size())});
  for (Block& block : f.blocks) {
    block.loop = maybe(random, f.loops.size());
    for (size_t n = random() % 3; n > 0; --n)
      block.successors.push_back(below(random, f.blocks.size()));
    for (size_t n = random() % 3; n > 0; --n)
      block.control_parents.push_back(below(random, f.blocks.size()));
  }
  add_statements(random, f);
  add_segments(random, f);
  f.path_count = number_paths(f.segments)->path_count;
  add_variables(random, f);
  return f;
}

std::string dump(const Function& f) {
  std::ostringstream out;
  out << f.name << '\n' << f.unit << '\n' << f.file << ':' << f.line << '\n';
  put(out, "files", f.files);
  put(out, "scopes", f.scopes);
  put(out, "types", f.types);
  put(out, "symbols", f.symbols);
  put(out, "arguments", f.arguments);
  for (const Constant& c : f.constants) {
    out << "constant " << int(c.kind) << ' ' << c.type << ' ' << c.symbol << '+' << c.offset << ' '
        << int(c.op) << ' ' << std::string(c.bytes.begin(), c.bytes.end());
    put(out, " parts", c.parts);
  }
  for (const Location& l : f.locations)
    out << "location " << l.file << ':' << l.line << ':' << l.column << " in " << l.scope << " at "
        << l.inlined_at << '\n';
  for (const Loop& l : f.loops) out << "loop " << l.header << " in " << l.parent << '\n';
  for (const Block& b : f.blocks) {
    out << "block " << b.first_statement << '+' << b.statement_count << " loop " << b.loop << '\n';
    put(out, "  to", b.successors);
    put(out, "  depends on", b.control_parents);
  }
  for (const Statement& s : f.statements) {
    out << "statement " << int(s.op) << (s.pseudo ? " pseudo" : "") << " in " << s.block << " type "
        << s.type << " at " << s.location << " calls " << s.callee << '\n';
    put(out, "  attributes", s.attributes);
    for (const Operand& o : s.operands)
      out << "  operand " << int(o.kind) << ' ' << o.index << '\n';
  }
  for (const Segment& s : f.segments) {
    out << "segment of " << s.block << ": " << s.first_statement << '+' << s.statement_count << ' '
        << int(s.start) << ' ' << int(s.end);
    for (const SegmentEdge& e : s.edges) out << (e.cut ? " cut " : " to ") << e.target;
    out << '\n';
  }
  out << f.path_count << " paths\n";
  dump_variables(out, f);
  return out.str();
}

}  // namespace vestige
