// Following variables: against the twin, on random events; and expressions, parts and values.
#include "query/variables/variable_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "query/variables/variable_value.h"
#include "variable_twin.h"

namespace vestige {
namespace {

SourceType make_type(SourceType::Kind kind, const char* name, uint64_t bytes) {
  SourceType type;
  type.kind = kind;
  type.name = name;
  type.bytes = bytes;
  return type;
}
SourceType array_type(const char* name, uint64_t bytes, uint32_t element) {
  SourceType type = make_type(SourceType::Kind::array, name, bytes);
  type.element = element;
  return type;
}
SourceType record_type(const char* name, uint64_t bytes, std::vector<SourceType::Member> members) {
  SourceType type = make_type(SourceType::Kind::record, name, bytes);
  type.members = std::move(members);
  return type;
}
SourceType enumeration_type(const char* name, std::vector<SourceType::Enumerator> enumerators) {
  SourceType type = make_type(SourceType::Kind::enumeration, name, 4);
  type.enumerators = std::move(enumerators);
  return type;
}

// The lowest bytes of a variable, of which the first few are known.
struct FirstBytes final : VariableBytes {
  FirstBytes(uint64_t all, uint64_t known) : bytes(all), count(known) {}
  bool get(uint64_t at, uint8_t& value) const override {
    if (at >= count) return false;
    value = static_cast<uint8_t>(bytes >> 8 * at);
    return true;
  }
  std::string why(uint64_t) const override { return {}; }
  uint64_t bytes, count;
};

// Variables are arrays of bytes, so that a row's text shows every byte of the part.
Function random_code(std::mt19937& random) {
  Function f;
  f.name = "f";
  f.types = {"ptr"};
  f.arguments = {0};
  f.source_types.push_back(make_type(SourceType::Kind::unsigned_integer, "byte", 1));
  for (const uint64_t bytes : {1, 4, 8, 24})
    f.source_types.push_back(array_type("bytes", bytes, 0));
  for (const char* name : {"a", "b", "c", "d", "e"})
    f.variables.push_back({name, 1 + static_cast<uint32_t>(random() % 4), kNone, 0, kNone});
  f.blocks.resize(1);
  for (const uint32_t size : {1u, 2u, 4u, 8u, 16u})
    for (const Op op : {Op::load, Op::store}) {
      Statement s;
      s.op = op;
      s.attributes = {size, 0, 0, 0};
      f.statements.push_back(s);
    }
  f.blocks[0].statement_count = static_cast<uint32_t>(f.statements.size());
  for (int n = 0; n < 40; ++n) {
    Binding b;
    b.variable = static_cast<uint32_t>(random() % f.variables.size());
    do b.kind = static_cast<Binding::Kind>(random() % 7);
    while (b.kind == Binding::Kind::behind);
    const uint64_t bytes = f.source_types[f.variables[b.variable].type].bytes;
    if (random() % 2 && bytes > 1) {
      const uint32_t first = static_cast<uint32_t>(random() % bytes);
      b.first_bit = first * 8;
      b.bits = 8 * (1 + static_cast<uint32_t>(random() % (bytes - first)));
    }
    b.operands.push_back({BindingOperand::Kind::argument, 0, 0});
    f.bindings.push_back(b);
  }
  return f;
}

// Rows as the twin writes them. The image is asked for through the value of the whole variable,
// which a row does not carry: the part's value must do, so the twin's line is cut down to it.
class Lines final : public VariableRows {
 public:
  explicit Lines(const Function& function) : function_(function) {}
  bool wanted() override { return true; }
  void add(VariableRow row) override {
    static constexpr const char* kHow[] = {"assigned", "seen", "lost", "unknown"};
    lines.push_back(function_.variables[row.copy.variable].name + " depth " +
                    std::to_string(row.depth) + " since " + std::to_string(row.entered) + " at " +
                    std::to_string(row.time) + " " + kHow[static_cast<int>(row.how)] + " " +
                    row.part + " " + value_text(row.value));
  }
  std::vector<std::string> lines;

 private:
  const Function& function_;
};

// "a depth 1 … assigned 8+8: 1 2 ?" → "… [1] 2" or "… {1, 2, ?}".
std::string as_row(const std::string& line) {
  const size_t colon = line.rfind(':');
  const size_t range = line.rfind(' ', colon);
  unsigned first = 0, bits = 0;
  sscanf(line.c_str() + range, " %u+%u:", &first, &bits);
  std::vector<std::string> bytes;
  for (size_t at = colon + 1; at < line.size();) {
    const size_t end = std::min(line.find(' ', at + 1), line.size());
    bytes.push_back(line.substr(at + 1, end - at - 1));
    at = end;
  }
  std::string value;
  if (bits == 8) {
    value = "[" + std::to_string(first / 8) + "] " + bytes[first / 8];
  } else {
    value = " {";
    for (size_t i = 0; i < bytes.size(); ++i) value += (i ? ", " : "") + bytes[i];
    value += "}";
  }
  return line.substr(0, range) + " " + value;
}

TEST(VariableWatch, NotesWhatTheTwinNotes) {
  std::mt19937 random(1);
  size_t rows = 0, kinds[4] = {};
  for (int round = 0; round < 200; ++round) {
    const std::vector<Function> functions = {random_code(random)};
    const Function& f = functions[0];
    Lines lines(f);
    std::vector<VariableWatch::Copy> copies;
    for (uint32_t v = 0; v < f.variables.size(); ++v)
      copies.push_back({v, {0, v}, whole(f, f.variables[v].type)});
    VariableWatch watch(functions, copies, {}, lines);
    VariableTwin twin(f);
    uint64_t depth = 0, time = 1;
    const auto both = [&](auto&& event) {
      event(static_cast<EvaluationObserver&>(watch));
      event(static_cast<EvaluationObserver&>(twin));
    };
    both([&](auto& to) { to.enter(0, 0, time); });
    for (int step = 0; step < 400; ++step) {
      time += random() % 2;
      const uint64_t address = 1000 + random() % 64;
      const bool known = random() % 8 != 0;
      const uint64_t value = random() % 3;  // repeats are what matters
      switch (random() % 16) {
        case 0:
          if (depth < 5) {
            ++depth;
            both([&](auto& to) { to.enter(0, depth, time); });
          }
          break;
        case 1:
          if (depth > 0) {
            both([&](auto& to) { to.leave(depth); });
            --depth;
          }
          break;
        case 2:
          if (random() % 4 == 0) both([&](auto& to) { to.cut(depth); });
          break;
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
        case 8: {
          Passage p{.time = time, .function = 0, .depth = depth, .operand = 0, .has_value = known};
          p.binding = static_cast<uint32_t>(random() % f.bindings.size());
          p.value = f.bindings[p.binding].kind == Binding::Kind::memory ? address : value;
          both([&](auto& to) { to.pass(p); });
          break;
        }
        default: {
          Observation o{.time = time, .function = 0};
          o.statement = static_cast<uint32_t>(random() % f.statements.size());
          o.has_value = known && f.statements[o.statement].attributes[0] <= 8;
          o.has_address = random() % 16 != 0;
          o.address = address;
          o.value = value;
          both([&](auto& to) { to.see(o); });
        }
      }
      std::vector<std::string> expected;
      for (const std::string& line : twin.take()) expected.push_back(as_row(line));
      std::ranges::sort(expected);
      std::ranges::sort(lines.lines);
      ASSERT_EQ(lines.lines, expected) << "round " << round << " step " << step;
      for (const std::string& line : lines.lines) {
        ++rows;
        const char* words[] = {" assigned ", " seen ", " lost ", " unknown "};
        for (int k = 0; k < 4; ++k) kinds[k] += line.find(words[k]) != line.npos;
      }
      lines.lines.clear();
    }
  }
  EXPECT_GT(rows, 10000u);
  for (const size_t count : kinds) EXPECT_GT(count, 100u);
}

// The part with the fewest bits that holds the change, among all parts there are.
void all_parts(const Function& f, const VariablePart& at, std::vector<VariablePart>& parts) {
  parts.push_back(at);
  const SourceType& type = f.source_types[at.type];
  if (type.kind == SourceType::Kind::array) {
    const uint64_t each = f.source_types[type.element].bytes * 8;
    for (uint64_t bit = 0; each && bit + each <= at.bits; bit += each)
      all_parts(f, {at.first_bit + bit, each, type.element}, parts);
  }
  for (const SourceType::Member& m : type.members)
    if (!m.bits)
      all_parts(f, {at.first_bit + m.first_bit, f.source_types[m.type].bytes * 8, m.type}, parts);
}

TEST(VariableParts, TheSmallestIsFound) {
  Function f;
  f.source_types = {
      make_type(SourceType::Kind::signed_integer, "int", 4),
      make_type(SourceType::Kind::signed_integer, "short", 2),
      array_type("short [3]", 6, 1),
      record_type("inner", 12, {{"i", 0, 0, 0}, {"s", 2, 32, 0}}),
      array_type("inner [4]", 48, 3),
      record_type("outer", 60, {{"head", 0, 0, 0}, {"list", 4, 32, 0}, {"tail", 2, 416, 0}})};
  std::vector<VariablePart> parts;
  all_parts(f, whole(f, 5), parts);
  for (uint64_t first = 0; first < 60; ++first)
    for (uint64_t bytes = 1; first + bytes <= 60; ++bytes) {
      const VariablePart* best = &parts[0];
      for (const VariablePart& p : parts)
        if (p.first_bit <= first * 8 && (first + bytes) * 8 <= p.first_bit + p.bits &&
            p.bits < best->bits)
          best = &p;
      std::string text;
      const VariablePart found = smallest_part(f, whole(f, 5), first * 8, bytes * 8, false, text);
      ASSERT_EQ(found.first_bit, best->first_bit) << first << "+" << bytes;
      ASSERT_EQ(found.bits, best->bits) << first << "+" << bytes;
      const auto again = find_part(f, 5, text);
      ASSERT_TRUE(again) << text;
      EXPECT_EQ(again->first_bit, found.first_bit) << text;
      EXPECT_EQ(again->bits, found.bits) << text;
    }
  EXPECT_FALSE(find_part(f, 5, ".none"));
  EXPECT_FALSE(find_part(f, 5, ".list[4]"));
  EXPECT_FALSE(find_part(f, 5, ".head[0]"));
  EXPECT_FALSE(find_part(f, 5, ".list[x]"));
  EXPECT_FALSE(find_part(f, 5, "list"));
}

TEST(VariableParts, OfAUnionTheMemberThatFits) {
  Function f;
  f.source_types = {
      make_type(SourceType::Kind::signed_integer, "int", 4),
      make_type(SourceType::Kind::floating, "float", 4),
      make_type(SourceType::Kind::unsigned_character, "unsigned char", 1),
      array_type("unsigned char [4]", 4, 2),
      record_type("both", 4, {{"whole", 0, 0, 0}, {"bytes", 3, 0, 0}, {"real", 1, 0, 0}})};
  const auto text_of = [&](uint64_t first, uint64_t bytes, bool floating) {
    std::string text;
    smallest_part(f, whole(f, 4), first * 8, bytes * 8, floating, text);
    return text;
  };
  EXPECT_EQ(text_of(0, 4, false), ".whole");
  EXPECT_EQ(text_of(0, 4, true), ".real");
  EXPECT_EQ(text_of(1, 1, false), ".bytes[1]");
  EXPECT_EQ(text_of(2, 2, true), ".real");
}

// Each record has the one before it twenty times, without a name.
TEST(VariableParts, UnionsWithoutEnd) {
  Function f;
  f.source_types = {make_type(SourceType::Kind::signed_integer, "int", 4),
                    record_type("first", 4, {{"there", 0, 0, 0}})};
  for (uint32_t i = 1; i < 12; ++i)
    f.source_types.push_back(
        record_type("more", 4, std::vector<SourceType::Member>(20, {"", i, 0, 0})));
  EXPECT_FALSE(find_part(f, 12, ".none"));
  EXPECT_TRUE(find_part(f, 9, ".there"));
}

// The same sums on numbers without end, cut to the width afterwards.
TEST(BindingValue, StepsComputeAtTheWidthOfTheirOperands) {
  using Kind = BindingStep::Kind;
  std::mt19937_64 random(2);
  for (int round = 0; round < 200000; ++round) {
    const unsigned bits = std::array{8u, 16u, 32u, 64u}[random() % 4];
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    const uint64_t a = (random() >> random() % 64) & mask, b = (random() >> random() % 64) & mask;
    const auto kind = static_cast<Kind>(2 + random() % 21);
    if (kind == Kind::sign_extend || kind == Kind::zero_extend) continue;
    Binding binding;
    binding.operands.resize(2);
    binding.steps = {{Kind::operand, 0}};
    const bool unary = kind == Kind::negate || kind == Kind::not_;
    if (!unary) binding.steps.push_back({Kind::operand, 1});
    binding.steps.push_back({kind, 0});
    const std::vector<std::optional<BindingWord>> operands = {BindingWord{a, bits},
                                                              BindingWord{b, bits}};
    const auto sign = [&](uint64_t v) {
      return static_cast<__int128>(v) -
             (v >> (bits - 1) & 1 ? static_cast<__int128>(1) << bits : 0);
    };
    const __int128 x = sign(a), y = sign(b);
    std::optional<__int128> expected;
    switch (kind) {
      case Kind::add:
        expected = x + y;
        break;
      case Kind::subtract:
        expected = x - y;
        break;
      case Kind::multiply:
        expected = static_cast<__int128>(a * b);
        break;
      case Kind::divide:
        if (y != 0) expected = x / y;
        break;
      case Kind::modulo:
        if (b != 0) expected = static_cast<__int128>(a % b);
        break;
      case Kind::and_:
        expected = x & y;
        break;
      case Kind::or_:
        expected = x | y;
        break;
      case Kind::xor_:
        expected = x ^ y;
        break;
      case Kind::shift_left:
        expected = b < 64 ? static_cast<__int128>(a) << b : 0;
        break;
      case Kind::shift_right:
        expected = b < 64 ? static_cast<__int128>(a) >> b : 0;
        break;
      case Kind::shift_right_signed:
        expected = x >> std::min<uint64_t>(b, 100);
        break;
      case Kind::negate:
        expected = -x;
        break;
      case Kind::not_:
        expected = ~x;
        break;
      case Kind::equal:
        expected = x == y;
        break;
      case Kind::differ:
        expected = x != y;
        break;
      case Kind::less:
        expected = x < y;
        break;
      case Kind::less_equal:
        expected = x <= y;
        break;
      case Kind::greater:
        expected = x > y;
        break;
      default:
        expected = x >= y;
    }
    const auto found = binding_value(binding, operands);
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (found)
      ASSERT_EQ(*found & mask, static_cast<uint64_t>(*expected) & mask)
          << int(kind) << ' ' << a << ' ' << b;
  }
}

TEST(BindingValue, ExtendsAndNeedsItsOperands) {
  Binding b;
  b.operands.resize(1);
  b.steps = {{BindingStep::Kind::operand, 0},
             {BindingStep::Kind::sign_extend, 8},
             {BindingStep::Kind::sign_extend, 64}};
  std::vector<std::optional<BindingWord>> operands = {BindingWord{0x1f0, 32}};
  EXPECT_EQ(binding_value(b, operands), 0xfffffffffffffff0u);
  b.steps[1].kind = BindingStep::Kind::zero_extend;
  EXPECT_EQ(binding_value(b, operands), 0xf0u);
  operands[0].reset();
  EXPECT_FALSE(binding_value(b, operands));
  b.steps.clear();
  EXPECT_FALSE(binding_value(b, operands));
}

TEST(VariableValue, IsWrittenAsInTheSource) {
  using Kind = SourceType::Kind;
  Function f;
  f.source_types = {
      make_type(Kind::signed_integer, "int", 4),
      make_type(Kind::signed_character, "char", 1),
      make_type(Kind::boolean, "_Bool", 1),
      make_type(Kind::floating, "double", 8),
      make_type(Kind::pointer, "int *", 8),
      enumeration_type("enum color", {{"RED", 0}, {"DARK", -1}}),
      array_type("char [4]", 4, 1),
      record_type("struct bits", 4, {{"low", 0, 0, 3}, {"high", 0, 3, 5}, {"rest", 1, 8, 0}}),
      make_type(Kind::opaque, "va_list", 24),
      array_type("int [0]", 0, 0)};
  const auto text = [&](uint32_t type, uint64_t bytes, uint64_t known = 8) {
    return value_text(read_value(f, whole(f, type), FirstBytes(bytes, known)));
  };
  EXPECT_EQ(text(0, 0xffffffff), "-1");
  EXPECT_EQ(text(0, 5, 3), "?");
  EXPECT_EQ(text(1, 'a'), "97 'a'");
  EXPECT_EQ(text(1, 0xfe), "-2 '\\xfe'");
  EXPECT_EQ(text(2, 1), "true");
  EXPECT_EQ(text(3, 0x3fd0000000000000), "0.25");
  EXPECT_EQ(text(4, 0x7ffc10), "0x7ffc10");
  EXPECT_EQ(text(5, 0xffffffff), "DARK");
  EXPECT_EQ(text(5, 7), "7");
  EXPECT_EQ(text(6, 0x00006261), "\"ab\"");
  EXPECT_EQ(text(6, 0x0a226261), "\"ab\\\"\\n\"");
  EXPECT_EQ(text(6, 0x6261, 1), "{97 'a', ?, ?, ?}");
  EXPECT_EQ(text(7, 0x62fd), "{low = -3, high = -1, rest = 98 'b'}");
  EXPECT_EQ(text(8, 0), "(va_list)");
  EXPECT_EQ(text(9, 0), "{}");
}

// Types that hold others many times over are cut, not followed for ever.
TEST(VariableValue, HostileTypesAreCut) {
  Function f;
  f.source_types.push_back(make_type(SourceType::Kind::signed_integer, "int", 4));
  for (uint32_t i = 0; i < 60; ++i)
    f.source_types.push_back(record_type("twice", 4, {{"a", i, 0, 0}, {"b", i, 0, 0}}));
  f.source_types.push_back(array_type("huge", UINT64_MAX, 0));
  const FirstBytes image(0, 0);
  EXPECT_LT(value_text(read_value(f, whole(f, 60), image)).size(), 80000u);
  EXPECT_LT(value_text(read_value(f, whole(f, 61), image)).size(), 80000u);
}

}  // namespace
}  // namespace vestige
