#include "program/record.h"

#include <algorithm>
#include <string>

#include "program/path_count.h"
#include "program/variable_record.h"

namespace vestige {

namespace {

// Indices that may be kNone are stored plus one, so that kNone is 0.
void optional_index(ByteWriter& w, uint32_t v) { w.varint(v == kNone ? 0 : uint64_t{v} + 1); }
uint32_t optional_index(ByteReader& r) {
  const uint64_t v = r.varint();
  if (v > UINT32_MAX) r.fail();
  return v == 0 ? kNone : static_cast<uint32_t>(v - 1);
}

void strings(ByteWriter& w, const std::vector<std::string>& list) {
  w.varint(list.size());
  for (const std::string& s : list) w.string(s);
}
void strings(ByteReader& r, std::vector<std::string>& list) {
  list.resize(r.count());
  for (std::string& s : list) s = r.string();
}

void indices(ByteWriter& w, std::span<const uint32_t> list) {
  w.varint(list.size());
  for (const uint32_t v : list) w.varint(v);
}
template <class List>
void indices(ByteReader& r, List& list) {
  list.resize(r.count());
  for (uint32_t& v : list) v = r.varint32();
}

void constant(ByteWriter& w, const Constant& c) {
  w.u8(static_cast<uint8_t>(c.kind));
  w.varint(c.type);
  switch (c.kind) {
    case Constant::Kind::integer:
    case Constant::Kind::floating:
      w.varint(c.bytes.size());
      w.bytes(c.bytes);
      break;
    case Constant::Kind::symbol:
      w.varint(c.symbol);
      w.svarint(c.offset);
      break;
    case Constant::Kind::expression:
      w.u8(static_cast<uint8_t>(c.op));
      [[fallthrough]];
    case Constant::Kind::aggregate:
      indices(w, c.parts);
      break;
    default:
      break;
  }
}
Constant constant(ByteReader& r) {
  Constant c;
  c.kind = static_cast<Constant::Kind>(r.u8());
  if (c.kind > Constant::Kind::opaque) r.fail();
  c.type = r.varint32();
  switch (c.kind) {
    case Constant::Kind::integer:
    case Constant::Kind::floating: {
      const ByteView bytes = r.bytes(r.varint());
      c.bytes.assign(bytes.begin(), bytes.end());
      break;
    }
    case Constant::Kind::symbol:
      c.symbol = r.varint32();
      c.offset = r.svarint();
      break;
    case Constant::Kind::expression:
      c.op = static_cast<Op>(r.u8());
      [[fallthrough]];
    case Constant::Kind::aggregate:
      indices(r, c.parts);
      break;
    default:
      break;
  }
  return c;
}

// Operands of a statement mostly point a little way back, so statements are stored as a distance.
void operand(ByteWriter& w, const Operand& o, uint32_t statement) {
  const uint64_t value = o.kind == Operand::Kind::statement
                             ? (static_cast<uint64_t>(int64_t{statement} - o.index) << 1) ^
                                   static_cast<uint64_t>((int64_t{statement} - o.index) >> 63)
                             : o.index;
  w.varint(value * 5 + static_cast<uint64_t>(o.kind));
}
Operand operand(ByteReader& r, uint32_t statement) {
  const uint64_t v = r.varint();
  Operand o;
  o.kind = static_cast<Operand::Kind>(v % 5);
  const uint64_t value = v / 5;
  if (o.kind == Operand::Kind::statement) {
    const int64_t distance = static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
    const int64_t index = int64_t{statement} - distance;
    if (index < 0 || index > UINT32_MAX) r.fail();
    o.index = static_cast<uint32_t>(index);
  } else {
    if (value > UINT32_MAX) r.fail();
    o.index = static_cast<uint32_t>(value);
  }
  return o;
}

enum StatementFlag : uint8_t { kPseudo = 1, kCallee = 2, kAttributes = 4 };

void statement(ByteWriter& w, const Statement& s, uint32_t index, uint32_t& last_location) {
  w.u8(static_cast<uint8_t>(s.op));
  w.u8((s.pseudo ? kPseudo : 0) | (s.callee != kNone ? kCallee : 0) |
       (!s.attributes.empty() ? kAttributes : 0));
  w.varint(s.type);
  // Neighbours share their line, or have the next one.
  w.svarint(int64_t{s.location + 1} - int64_t{last_location + 1});
  last_location = s.location;
  if (s.callee != kNone) w.varint(s.callee);
  if (!s.attributes.empty()) indices(w, s.attributes);
  w.varint(s.operands.size());
  for (const Operand& o : s.operands) operand(w, o, index);
}
Statement statement(ByteReader& r, uint32_t index, uint32_t& last_location) {
  Statement s;
  s.op = static_cast<Op>(r.u8());
  const uint8_t flags = r.u8();
  s.pseudo = flags & kPseudo;
  s.type = r.varint32();
  s.location = last_location + static_cast<uint32_t>(r.svarint());  // modulo 2^32, checked below
  last_location = s.location;
  if (flags & kCallee) s.callee = r.varint32();
  if (flags & kAttributes) indices(r, s.attributes);
  s.operands.resize(r.count());
  for (Operand& o : s.operands) o = operand(r, index);
  return s;
}

// Everything a reader of a Function may rely on without looking.
const char* first_problem(const Function& f) {
  const auto within = [](uint32_t v, size_t n) { return v == kNone || v < n; };
  if (f.blocks.empty() || f.segments.empty()) return "a function without blocks";
  if (!within(f.file, f.files.size())) return "a file index";
  for (const uint32_t type : f.arguments)
    if (type >= f.types.size()) return "an argument type";
  for (uint32_t i = 0; i < f.constants.size(); ++i) {
    const Constant& c = f.constants[i];
    if (c.type >= f.types.size()) return "a constant's type";
    if (c.kind == Constant::Kind::symbol && c.symbol >= f.symbols.size()) return "a symbol";
    for (const uint32_t part : c.parts)
      if (part >= i) return "a constant's part";  // parts come first: no cycles
  }
  for (uint32_t i = 0; i < f.locations.size(); ++i) {
    const Location& l = f.locations[i];
    if (!within(l.file, f.files.size()) || !within(l.scope, f.scopes.size()) ||
        !within(l.inlined_at, i))  // call sites come first: no cycles
      return "a location";
  }
  uint64_t statements = 0;
  for (const Block& b : f.blocks) {
    if (b.first_statement != statements) return "a block's statements";
    statements += b.statement_count;
    if (!within(b.loop, f.loops.size())) return "a block's loop";
    for (const uint32_t s : b.successors)
      if (s >= f.blocks.size()) return "a successor";
    for (const uint32_t p : b.control_parents)
      if (p >= f.blocks.size()) return "a control parent";
  }
  if (statements != f.statements.size()) return "the number of statements";
  for (uint32_t i = 0; i < f.loops.size(); ++i)
    if (f.loops[i].header >= f.blocks.size() || !within(f.loops[i].parent, i)) return "a loop";
  for (const Statement& s : f.statements) {
    if (s.type >= f.types.size()) return "a statement's type";
    if (!within(s.location, f.locations.size())) return "a statement's location";
    if (!within(s.callee, f.symbols.size())) return "a callee";
    for (const Operand& o : s.operands) {
      const size_t limit = o.kind == Operand::Kind::statement  ? f.statements.size()
                           : o.kind == Operand::Kind::argument ? f.arguments.size()
                           : o.kind == Operand::Kind::constant ? f.constants.size()
                           : o.kind == Operand::Kind::block    ? f.blocks.size()
                                                               : size_t{UINT32_MAX} + 1;
      if (o.index >= limit) return "an operand";
    }
  }
  for (const Segment& s : f.segments) {
    if (s.block >= f.blocks.size()) return "a segment's block";
    const Block& b = f.blocks[s.block];
    if (s.first_statement < b.first_statement ||
        uint64_t{s.first_statement} + s.statement_count >
            uint64_t{b.first_statement} + b.statement_count)
      return "a segment's statements";
  }
  return nullptr;
}

}  // namespace

Bytes encode_function(const Function& f) {
  ByteWriter w;
  w.varint(std::max(f.record_version, kVariablesSince));
  w.string(f.name);
  w.string(f.unit);
  strings(w, f.files);
  optional_index(w, f.file);
  w.varint(f.line);
  strings(w, f.scopes);
  strings(w, f.types);
  strings(w, f.symbols);
  indices(w, f.arguments);
  w.varint(f.constants.size());
  for (const Constant& c : f.constants) constant(w, c);
  w.varint(f.locations.size());
  for (const Location& l : f.locations) {
    optional_index(w, l.file);
    w.varint(l.line);
    w.varint(l.column);
    optional_index(w, l.scope);
    optional_index(w, l.inlined_at);
  }
  w.varint(f.loops.size());
  for (const Loop& l : f.loops) {
    w.varint(l.header);
    optional_index(w, l.parent);
  }
  w.varint(f.blocks.size());
  uint32_t last_location = kNone;
  for (const Block& b : f.blocks) {
    optional_index(w, b.loop);
    indices(w, b.successors);
    indices(w, b.control_parents);
    w.varint(b.statement_count);
    for (uint32_t i = 0; i < b.statement_count; ++i)
      statement(w, f.statements[b.first_statement + i], b.first_statement + i, last_location);
  }
  w.varint(f.segments.size());
  for (const Segment& s : f.segments) {
    w.varint(s.block);
    w.varint(s.first_statement);
    w.varint(s.statement_count);
    w.u8(static_cast<uint8_t>(static_cast<uint8_t>(s.start) << 4 | static_cast<uint8_t>(s.end)));
    w.varint(s.edges.size());
    for (const SegmentEdge& e : s.edges) w.varint(uint64_t{e.target} << 1 | (e.cut ? 1 : 0));
  }
  w.varint(f.path_count);
  encode_variables(w, f, f.record_version >= kAddressesInDataSince);
  return w.take();
}

Result<Function> decode_function(ByteView record) {
  ByteReader r(record);
  const uint64_t version = r.varint();
  if (!r.failed() && (version < 1 || version > kFunctionRecordVersion))
    return fail(ErrorKind::unsupported, "a function record has version " + std::to_string(version) +
                                            ", this build reads versions 1 to " +
                                            std::to_string(kFunctionRecordVersion));
  Function f;
  f.record_version = static_cast<uint32_t>(version);
  f.name = r.string();
  f.unit = r.string();
  strings(r, f.files);
  f.file = optional_index(r);
  f.line = r.varint32();
  strings(r, f.scopes);
  strings(r, f.types);
  strings(r, f.symbols);
  indices(r, f.arguments);
  size_t n = expect(f.constants, r.count(2));
  for (; n > 0 && !r.failed(); --n) f.constants.push_back(constant(r));
  f.locations.resize(r.count(5));
  for (Location& l : f.locations) {
    l.file = optional_index(r);
    l.line = r.varint32();
    l.column = r.varint32();
    l.scope = optional_index(r);
    l.inlined_at = optional_index(r);
  }
  f.loops.resize(r.count(2));
  for (Loop& l : f.loops) {
    l.header = r.varint32();
    l.parent = optional_index(r);
  }
  uint32_t last_location = kNone;
  // A statement takes about a dozen bytes.
  expect(f.statements, r.remaining() / 12);
  for (n = expect(f.blocks, r.count(4)); n > 0 && !r.failed(); --n) {
    Block b;
    b.loop = optional_index(r);
    indices(r, b.successors);
    indices(r, b.control_parents);
    b.first_statement = static_cast<uint32_t>(f.statements.size());
    b.statement_count = static_cast<uint32_t>(r.count(5));
    for (uint32_t i = 0; i < b.statement_count && !r.failed(); ++i) {
      f.statements.push_back(statement(r, b.first_statement + i, last_location));
      f.statements.back().block = static_cast<uint32_t>(f.blocks.size());
    }
    f.blocks.push_back(std::move(b));
  }
  for (n = expect(f.segments, r.count(5)); n > 0 && !r.failed(); --n) {
    Segment s;
    s.block = r.varint32();
    s.first_statement = r.varint32();
    s.statement_count = r.varint32();
    const uint8_t kinds = r.u8();
    s.start = static_cast<SegmentStart>(kinds >> 4);
    s.end = static_cast<SegmentEnd>(kinds & 15);
    if (s.start > SegmentStart::pad || s.end > SegmentEnd::indirect) r.fail();
    s.edges.resize(r.count());
    for (SegmentEdge& e : s.edges) {
      const uint32_t v = r.varint32();
      e.target = v >> 1;
      e.cut = v & 1;
    }
    f.segments.push_back(std::move(s));
  }
  f.path_count = r.varint();
  if (version >= kVariablesSince) decode_variables(r, f, version >= kAddressesInDataSince);
  if (r.failed())
    return fail(ErrorKind::corrupt,
                "a function record is cut short or malformed at byte " + std::to_string(r.at()));
  const char* problem = first_problem(f);
  if (!problem) problem = first_variable_problem(f);
  if (problem)
    return fail(ErrorKind::corrupt,
                "the record of function " + f.name + " is inconsistent: " + problem);
  const auto paths = count_paths(f.segments);
  if (!paths) return std::unexpected(paths.error());
  if (*paths != f.path_count)
    return fail(ErrorKind::corrupt, "the record of function " + f.name + " says it has " +
                                        std::to_string(f.path_count) + " paths but its graph has " +
                                        std::to_string(*paths));
  return f;
}

}  // namespace vestige
