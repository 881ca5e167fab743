#include "program/variable_record.h"

namespace vestige {

namespace {

uint64_t zigzag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
int64_t unzigzag(uint64_t v) { return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1); }

void type(ByteWriter& w, const SourceType& t) {
  w.u8(static_cast<uint8_t>(t.kind));
  w.string(t.name);
  w.varint(t.bytes);
  if (t.kind == SourceType::Kind::array) w.varint(t.element);
  if (t.kind == SourceType::Kind::record) {
    w.varint(t.members.size());
    for (const SourceType::Member& m : t.members) {
      w.string(m.name);
      w.varint(m.type);
      w.varint(m.first_bit);
      w.varint(m.bits);
    }
  }
  if (t.kind == SourceType::Kind::enumeration) {
    w.varint(t.enumerators.size());
    for (const SourceType::Enumerator& e : t.enumerators) {
      w.string(e.name);
      w.svarint(e.value);
    }
  }
}
SourceType type(ByteReader& r) {
  SourceType t;
  t.kind = static_cast<SourceType::Kind>(r.u8());
  if (t.kind > SourceType::Kind::array) r.fail();
  t.name = r.string();
  t.bytes = r.varint();
  if (t.kind == SourceType::Kind::array) t.element = r.varint32();
  if (t.kind == SourceType::Kind::record) {
    t.members.resize(r.count(4));
    for (SourceType::Member& m : t.members) {
      m.name = r.string();
      m.type = r.varint32();
      m.first_bit = r.varint();
      m.bits = r.varint32();
    }
  }
  if (t.kind == SourceType::Kind::enumeration) {
    t.enumerators.resize(r.count(2));
    for (SourceType::Enumerator& e : t.enumerators) {
      e.name = r.string();
      e.value = r.svarint();
    }
  }
  return t;
}

// Statements as a distance, like operands of statements. A number that is too long for its place
// follows in eight bytes.
void operand(ByteWriter& w, const BindingOperand& o, uint32_t position) {
  const auto put = [&](uint64_t value) { w.varint(value << 2 | static_cast<uint64_t>(o.kind)); };
  switch (o.kind) {
    case BindingOperand::Kind::statement:
      return put(zigzag(int64_t{position} - o.index));
    case BindingOperand::Kind::argument:
      return put(o.index);
    case BindingOperand::Kind::number: {
      const uint64_t short_form = zigzag(static_cast<int64_t>(o.number)) + 1;
      const bool fits = short_form != 0 && short_form < uint64_t{1} << 60;
      put(fits ? short_form : 0);
      if (!fits) w.u64(o.number);
      return;
    }
    case BindingOperand::Kind::symbol:
      put(o.index);
      w.svarint(static_cast<int64_t>(o.number));
      return;
  }
}
BindingOperand operand(ByteReader& r, uint32_t position) {
  const uint64_t v = r.varint();
  BindingOperand o;
  o.kind = static_cast<BindingOperand::Kind>(v & 3);
  const uint64_t value = v >> 2;
  int64_t index = 0;
  switch (o.kind) {
    case BindingOperand::Kind::statement:
      index = int64_t{position} - unzigzag(value);
      break;
    case BindingOperand::Kind::argument:
      index = static_cast<int64_t>(value);
      break;
    case BindingOperand::Kind::number:
      o.number = value == 0 ? r.u64() : static_cast<uint64_t>(unzigzag(value - 1));
      break;
    case BindingOperand::Kind::symbol:
      index = static_cast<int64_t>(value);
      o.number = static_cast<uint64_t>(r.svarint());
      break;
  }
  if (index < 0 || index > UINT32_MAX)
    r.fail();
  else
    o.index = static_cast<uint32_t>(index);
  return o;
}

bool has_number(BindingStep::Kind kind) {
  return kind == BindingStep::Kind::operand || kind == BindingStep::Kind::number ||
         kind == BindingStep::Kind::sign_extend || kind == BindingStep::Kind::zero_extend;
}

enum BindingFlag : uint8_t { kKind = 7, kPart = 8, kSteps = 16, kCountShift = 5 };

void binding(ByteWriter& w, const Binding& b) {
  w.u8(static_cast<uint8_t>(static_cast<unsigned>(b.kind) | (b.bits ? kPart : 0) |
                            (!b.steps.empty() ? kSteps : 0) | b.operands.size() << kCountShift));
  w.varint(b.variable);
  if (b.bits) {
    w.varint(b.first_bit);
    w.varint(b.bits);
  }
  for (const BindingOperand& o : b.operands) operand(w, o, b.position);
  if (b.steps.empty()) return;
  w.varint(b.steps.size());
  for (const BindingStep& s : b.steps) {
    w.u8(static_cast<uint8_t>(s.kind));
    if (has_number(s.kind)) w.varint(s.number);
  }
}
Binding binding(ByteReader& r, uint32_t position) {
  Binding b;
  b.position = position;
  const uint8_t flags = r.u8();
  b.kind = static_cast<Binding::Kind>(flags & kKind);
  if (b.kind > Binding::Kind::ended) r.fail();
  b.variable = r.varint32();
  if (flags & kPart) {
    b.first_bit = r.varint32();
    b.bits = r.varint32();
    if (b.bits == 0) r.fail();
  }
  b.operands.resize(flags >> kCountShift);
  for (BindingOperand& o : b.operands) o = operand(r, position);
  if (flags & kSteps) {
    b.steps.resize(r.count());
    if (b.steps.empty()) r.fail();
    for (BindingStep& s : b.steps) {
      s.kind = static_cast<BindingStep::Kind>(r.u8());
      if (s.kind > BindingStep::Kind::greater_equal) r.fail();
      if (has_number(s.kind)) s.number = r.varint();
    }
  }
  return b;
}

// Whether the steps find what they need on their stack, and leave a result.
bool steps_work(const Binding& b) {
  size_t depth = 0;
  for (const BindingStep& s : b.steps) {
    switch (s.kind) {
      case BindingStep::Kind::operand:
        if (s.number >= b.operands.size()) return false;
        ++depth;
        break;
      case BindingStep::Kind::number:
        ++depth;
        break;
      case BindingStep::Kind::sign_extend:
      case BindingStep::Kind::zero_extend:
        if (s.number < 1 || s.number > 64) return false;
        [[fallthrough]];
      case BindingStep::Kind::negate:
      case BindingStep::Kind::not_:
        if (depth < 1) return false;
        break;
      default:
        if (depth < 2) return false;
        --depth;
    }
  }
  return b.steps.empty() ? !b.operands.empty() : depth >= 1;
}

}  // namespace

void encode_variables(ByteWriter& w, const Function& f, bool addresses_in_data) {
  w.varint(f.source_types.size());
  for (const SourceType& t : f.source_types) type(w, t);
  w.varint(f.variables.size());
  for (const Variable& v : f.variables) {
    w.string(v.name);
    w.varint(v.type);
    w.varint(v.location == kNone ? 0 : uint64_t{v.location} + 1);
    w.varint(uint64_t{v.parameter} << 1 | (v.symbol != kNone ? 1 : 0));
    if (v.symbol != kNone) w.varint(v.symbol);
  }
  w.varint(f.bindings.size());
  uint32_t last = 0;
  for (const Binding& b : f.bindings) {
    w.varint(b.position - last);
    last = b.position;
    binding(w, b);
  }
  w.varint(f.data.size());
  for (const ConstantData& d : f.data) {
    w.varint(d.symbol);
    w.varint(d.bytes.size());
    w.bytes(d.bytes);
    if (!addresses_in_data) continue;
    w.varint(d.addresses.size());
    uint64_t last_offset = 0;
    for (const ConstantData::Address& a : d.addresses) {
      w.varint(a.offset - last_offset);
      last_offset = a.offset;
      w.varint(a.symbol == kNone ? 0 : uint64_t{a.symbol} + 1);
      if (a.symbol != kNone) w.svarint(a.plus);
    }
  }
}

void decode_variables(ByteReader& r, Function& f, bool addresses_in_data) {
  size_t n = expect(f.source_types, r.count(3));
  for (; n > 0 && !r.failed(); --n) f.source_types.push_back(type(r));
  for (n = expect(f.variables, r.count(4)); n > 0 && !r.failed(); --n) {
    Variable v;
    v.name = r.string();
    v.type = r.varint32();
    const uint64_t location = r.varint();
    if (location > UINT32_MAX) r.fail();
    v.location = location == 0 ? kNone : static_cast<uint32_t>(location - 1);
    const uint64_t parameter = r.varint();
    if (parameter >> 1 > UINT32_MAX) r.fail();
    v.parameter = static_cast<uint32_t>(parameter >> 1);
    if (parameter & 1) v.symbol = r.varint32();
    f.variables.push_back(std::move(v));
  }
  uint64_t position = 0;
  for (n = expect(f.bindings, r.count(3)); n > 0 && !r.failed(); --n) {
    position += r.varint();
    if (position >= kNone) return r.fail();
    f.bindings.push_back(binding(r, static_cast<uint32_t>(position)));
  }
  for (n = expect(f.data, r.count(2)); n > 0 && !r.failed(); --n) {
    ConstantData d;
    d.symbol = r.varint32();
    const ByteView bytes = r.bytes(r.varint());
    d.bytes.assign(bytes.begin(), bytes.end());
    uint64_t offset = 0;
    for (size_t left = addresses_in_data ? r.count(2) : 0; left > 0 && !r.failed(); --left) {
      ConstantData::Address a;
      offset += r.varint();
      a.offset = offset;
      const uint64_t symbol = r.varint();
      if (symbol > kNone) r.fail();
      a.symbol = symbol == 0 ? kNone : static_cast<uint32_t>(symbol - 1);
      if (symbol != 0) a.plus = r.svarint();
      d.addresses.push_back(a);
    }
    f.data.push_back(std::move(d));
  }
}

const char* first_variable_problem(const Function& f) {
  for (uint32_t i = 0; i < f.source_types.size(); ++i) {
    const SourceType& t = f.source_types[i];
    if (t.kind == SourceType::Kind::array && t.element >= i) return "an array's element";
    for (const SourceType::Member& m : t.members) {
      if (m.type >= i) return "a member's type";  // parts come first: no cycles
      if (m.bits > 64 || m.first_bit / 8 > t.bytes) return "a member's place";
    }
  }
  for (const Variable& v : f.variables) {
    if (v.type >= f.source_types.size()) return "a variable's type";
    if (v.location != kNone && v.location >= f.locations.size()) return "a variable's location";
    if (v.symbol != kNone && v.symbol >= f.symbols.size()) return "a variable's symbol";
  }
  for (const Binding& b : f.bindings) {
    if (b.position >= f.statements.size()) return "a binding's position";
    if (b.variable >= f.variables.size()) return "a binding's variable";
    const uint64_t bytes = f.source_types[f.variables[b.variable].type].bytes;
    if (b.bits && (uint64_t{b.first_bit} + b.bits + 7) / 8 > bytes) return "a part of a variable";
    for (const BindingOperand& o : b.operands) {
      if (o.kind == BindingOperand::Kind::number) continue;
      const size_t limit = o.kind == BindingOperand::Kind::statement  ? f.statements.size()
                           : o.kind == BindingOperand::Kind::argument ? f.arguments.size()
                                                                      : f.symbols.size();
      if (o.index >= limit) return "a binding's operand";
    }
    if (b.kind <= Binding::Kind::content && !steps_work(b)) return "a binding's expression";
  }
  for (const ConstantData& d : f.data) {
    if (d.symbol >= f.symbols.size()) return "the symbol of a constant's bytes";
    for (const ConstantData::Address& a : d.addresses)
      if (a.offset > UINT64_MAX / 2 || (a.symbol != kNone && a.symbol >= f.symbols.size()))
        return "an address in a constant's bytes";
  }
  return nullptr;
}

}  // namespace vestige
