#include "trace/eval/random_program.h"

#include <bit>

#include "program/derive.h"
#include "program/record.h"

namespace vestige::sketch {

namespace {

const std::vector<std::string> kIntegers = {"i1", "i8", "i16", "i32", "i64", "i37"};
const std::vector<std::string> kArguments = {"i1",  "i8",    "i16",    "i32", "i64", "i37",
                                             "ptr", "float", "double", "i64", "i32"};

class Author {
 public:
  Author(FunctionSketch& sketch, std::mt19937_64& random) : sketch_(sketch), random_(random) {}

  std::vector<Operand> values;  // that may be used here

  uint64_t below(uint64_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  Operand constant(const std::string& type) {
    if (type == "float")
      return sketch_.number(type, std::bit_cast<uint32_t>(static_cast<float>(below(100)) / 4));
    if (type == "double")
      return sketch_.number(type, std::bit_cast<uint64_t>(static_cast<double>(below(100)) / 8));
    if (type == "ptr")
      return chance(80) ? sketch_.symbol("arena", static_cast<int64_t>(below(256)))
                        : sketch_.number(type, 0);
    return sketch_.number(type, random_() >> below(64));
  }
  Operand value(const std::string& type) {
    std::vector<Operand> fitting;
    for (const Operand& operand : values)
      if (sketch_.type_of(operand) == type) fitting.push_back(operand);
    return fitting.empty() || chance(15) ? constant(type) : one_of(fitting);
  }
  void some(unsigned count) {
    while (count-- > 0) statement();
  }
  void statement() {
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        return integer();
      case 3:
        return division();
      case 4:
        return compare();
      case 5:
        return convert();
      case 6:
        return floating();
      case 7:
        return address();
      case 8:
      case 9:
        return access();
      case 10:
        return intrinsic();
      default:
        return choose();
    }
  }

 private:
  void keep(Operand made) { values.push_back(made); }
  void integer() {
    static const std::vector<Op> ops = {Op::add,  Op::sub, Op::mul,  Op::and_, Op::or_,
                                        Op::xor_, Op::shl, Op::lshr, Op::ashr};
    const Op op = one_of(ops);
    const std::string type = one_of(kIntegers);
    if (op == Op::shl || op == Op::lshr || op == Op::ashr) {
      const uint64_t bits = simple_type(type)->bits;
      return keep(sketch_.add(op, type, {value(type), sketch_.number(type, below(bits))}));
    }
    keep(sketch_.add(op, type, {value(type), value(type)}));
  }
  void division() {
    static const std::vector<Op> ops = {Op::udiv, Op::sdiv, Op::urem, Op::srem};
    const std::string type = one_of(std::vector<std::string>{"i8", "i16", "i32", "i64", "i37"});
    keep(sketch_.add(one_of(ops), type, {value(type), sketch_.number(type, 1 + below(100))}));
  }
  void compare() {
    if (chance(25)) {
      const std::string type = chance(50) ? "float" : "double";
      return keep(sketch_.add(Op::fcmp, "i1", {value(type), value(type)},
                              {static_cast<uint32_t>(below(16))}));
    }
    const std::string type = chance(10) ? "ptr" : one_of(kIntegers);
    keep(sketch_.add(Op::icmp, "i1", {value(type), value(type)},
                     {static_cast<uint32_t>(32 + below(10))}));
  }
  void convert() {
    const std::string from = one_of(kIntegers), to = one_of(kIntegers);
    const unsigned f = simple_type(from)->bits, t = simple_type(to)->bits;
    switch (below(11)) {
      case 9:
      case 10:
        // To odd widths, and to unsigned numbers of 64 bits, they are told.
        return keep(sketch_.add(chance(50) ? Op::fp_to_si : Op::fp_to_ui, to,
                                {value(chance(50) ? "float" : "double")}));
      case 0:
        return keep(sketch_.add(Op::si_to_fp, chance(50) ? "float" : "double", {value(from)}));
      case 1:
        return keep(sketch_.add(Op::ui_to_fp, chance(50) ? "float" : "double", {value(from)}));
      case 2:
        return keep(sketch_.add(Op::fp_ext, "double", {value("float")}));
      case 3:
        return keep(sketch_.add(Op::fp_trunc, "float", {value("double")}));
      case 4:
        return keep(sketch_.add(Op::ptr_to_int, to, {value("ptr")}));
      case 5:
        return keep(sketch_.add(Op::freeze, from, {value(from)}));
      case 6:
        return chance(50) ? keep(sketch_.add(Op::bit_cast, "double", {value("i64")}))
                          : keep(sketch_.add(Op::bit_cast, "float", {value("i32")}));
      case 7:
        return chance(50) ? keep(sketch_.add(Op::bit_cast, "i64", {value("double")}))
                          : keep(sketch_.add(Op::bit_cast, "i32", {value("float")}));
      default:
        break;
    }
    if (f < t) keep(sketch_.add(chance(50) ? Op::zext : Op::sext, to, {value(from)}));
    if (f > t) keep(sketch_.add(Op::trunc, to, {value(from)}));
  }
  void floating() {
    static const std::vector<Op> ops = {Op::fadd, Op::fsub, Op::fmul, Op::fdiv};
    const std::string type = chance(50) ? "float" : "double";
    if (chance(15)) return keep(sketch_.add(Op::fneg, type, {value(type)}));
    // Not by what may be zero: NaNs made of two differ in what the compiler made of the twin.
    const Op op = one_of(ops);
    keep(sketch_.add(
        op, type,
        {value(type), op == Op::fdiv
                          ? sketch_.number(type, type == "float" ? std::bit_cast<uint32_t>(3.5f)
                                                                 : std::bit_cast<uint64_t>(2.25))
                          : value(type)}));
  }
  void address() {
    std::vector<std::pair<Operand, int64_t>> indices;
    static const std::vector<int64_t> scales = {1, 4, 8, 24, -8, 5000};
    for (uint64_t n = below(3); n > 0; --n)
      indices.emplace_back(value(one_of(kIntegers)), one_of(scales));
    static const std::vector<int64_t> offsets = {0, 8, -16, 40, int64_t{1} << 40};
    keep(sketch_.address(value("ptr"), one_of(offsets), std::move(indices)));
  }
  void access() {
    const std::string type = chance(15) ? "ptr" : one_of(kIntegers);
    if (type == "i1" || type == "i37") return address();
    const bool near = chance(80);
    const Operand place =
        near ? sketch_.symbol("arena", static_cast<int64_t>(below(64))) : value("ptr");
    if (chance(60)) return keep(sketch_.add(Op::load, type, {place}, {0, 0, 0, 0}));
    sketch_.add(Op::store, "void", {value(type), place}, {0, 0, 0, 0});
  }
  void work_on_memory() {
    const auto place = [&] { return sketch_.symbol("arena", static_cast<int64_t>(below(64))); };
    const Operand length = sketch_.number("i64", chance(50) ? below(16) : below(200));
    const Operand plain = sketch_.number("i1", 0);
    if (chance(30)) {
      sketch_.call("void", {place(), value("i8"), length, plain},
                   sketch_.symbol("llvm.memset.p0.i64"));
    } else {
      const char* name = chance(50) ? "llvm.memcpy.p0.p0.i64" : "llvm.memmove.p0.p0.i64";
      sketch_.call("void", {place(), place(), length, plain}, sketch_.symbol(name));
    }
  }
  void intrinsic() {
    if (chance(25)) return work_on_memory();
    const std::string type = one_of(std::vector<std::string>{"i8", "i16", "i32", "i64"});
    const auto call = [&](const std::string& name, const std::string& of,
                          std::vector<Operand> operands) {
      keep(sketch_.call(of, std::move(operands), sketch_.symbol("llvm." + name + "." + of)));
    };
    static const std::vector<std::string> two = {"umin", "umax", "smin", "smax"};
    switch (below(8)) {
      case 0:
      case 1:
        return call(one_of(two), type, {value(type), value(type)});
      case 2:
        return call("abs", type, {value(type), sketch_.number("i1", 0)});
      case 3:
        return call("ctpop", type, {value(type)});
      case 4:
        return call(chance(50) ? "ctlz" : "cttz", type, {value(type), sketch_.number("i1", 0)});
      case 5:
        return call(chance(50) ? "fshl" : "fshr", type, {value(type), value(type), value(type)});
      case 6:
        if (type != "i8") call("bswap", type, {value(type)});
        return;
      default:
        return keep(sketch_.call("double", {value("double")}, sketch_.symbol("llvm.fabs.f64")));
    }
  }
  void choose() {
    const std::string type = one_of(kArguments);
    keep(sketch_.add(Op::select, type, {value("i1"), value(type), value(type)}));
  }

  FunctionSketch& sketch_;
  std::mt19937_64& random_;
};

struct Callee {
  std::string name;
  std::vector<std::string> arguments;
  std::string result;
};

// entry → header ⇄ (left | right → latch); header → exit.
Function loop_function(const Callee& self, const std::vector<Callee>& callees,
                       std::mt19937_64& random) {
  FunctionSketch f(self.name, self.arguments);
  Author author(f, random);
  const auto call_something = [&](unsigned percent) {
    if (!author.chance(percent)) return;
    const Callee& callee = author.one_of(callees);
    std::vector<Operand> arguments;
    for (const std::string& type : callee.arguments) arguments.push_back(author.value(type));
    const Operand result = f.call(callee.result, std::move(arguments), f.symbol(callee.name));
    if (callee.result != "void") author.values.push_back(result);
  };
  const auto synchronize = [&] {
    if (!author.chance(30)) return;
    const Operand place = f.symbol("arena", 8 * static_cast<int64_t>(author.below(8)));
    author.values.push_back(
        author.chance(50)
            ? f.add(Op::load, "i32", {place}, {4, 2, 0, 4})
            : f.add(Op::atomic_rmw, "i64", {place, author.value("i64")}, {8, 3, 0, 4, 1}));
  };
  const auto both = [](std::vector<Operand> a, Operand b) {
    a.push_back(b);
    return a;
  };
  for (uint32_t i = 0; i < self.arguments.size(); ++i) author.values.push_back(f.argument(i));

  enum : uint32_t { entry, header, choice, left, right, latch, leave, pad };
  f.begin_block();
  for (int i = 0; i < 3; ++i)
    author.values.push_back(f.add(Op::alloca_, "ptr", {f.number("i32", 1)}, {8, 0, 3}));
  author.some(5);
  call_something(30);
  const Operand rounds = f.add(Op::and_, "i32", {author.value("i32"), f.number("i32", 7)});
  const std::vector<Operand> at_entry = author.values;
  std::vector<Operand> starts;
  const std::vector<std::string> carried = {"i64", "i64", "i32", "double", "ptr"};
  for (const std::string& type : carried) starts.push_back(author.value(type));
  f.branch(header);

  f.begin_block();
  const Operand count = f.add(Op::phi, "i32", {});
  std::vector<Operand> phis;
  for (const std::string& type : carried) phis.push_back(f.add(Op::phi, type, {}));
  author.values = at_entry;
  author.values.insert(author.values.end(), phis.begin(), phis.end());
  author.values = both(author.values, count);
  author.some(3);
  const Operand goes_on = f.add(Op::icmp, "i1", {count, rounds}, {36});
  f.branch(goes_on, choice, leave);
  const std::vector<Operand> in_loop = author.values;

  f.begin_block();  // choice
  author.some(4);
  synchronize();
  call_something(40);
  const std::vector<Operand> chosen = author.values;
  const Operand three = f.add(Op::and_, "i64", {author.value("i64"), f.number("i64", 3)});
  if (author.chance(50)) {
    f.branch(author.value("i1"), left, right);
  } else {
    f.add(Op::switch_, "void",
          {three, f.block(left), f.number("i64", 0), f.block(right), f.number("i64", 2),
           f.block(right), f.number("i64", 3), f.block(latch)});
  }

  f.begin_block();  // left
  author.some(3);
  call_something(40);
  const Operand from_left = author.value("i64");
  f.branch(latch);

  author.values = chosen;
  f.begin_block();  // right
  author.some(3);
  Operand from_right = author.value("i64");
  const bool invokes = author.chance(60);
  if (invokes) {
    const Callee& callee = author.one_of(callees);
    std::vector<Operand> arguments;
    for (const std::string& type : callee.arguments) arguments.push_back(author.value(type));
    const Operand result =
        f.invoke(callee.result, std::move(arguments), latch, pad, f.symbol(callee.name));
    if (callee.result == "i64") from_right = result;
  } else {
    f.branch(latch);
  }

  author.values = chosen;
  f.begin_block();  // latch
  const Operand from_choice = author.value("i64");
  std::vector<Operand> incoming = {from_left,      f.block(left), from_right,
                                   f.block(right), from_choice,   f.block(choice)};
  if (invokes) incoming.insert(incoming.end(), {from_choice, f.block(pad)});
  const Operand merged = f.add(Op::phi, "i64", incoming);
  author.values.push_back(merged);
  author.some(3);
  const Operand counted = f.add(Op::add, "i32", {count, f.number("i32", 1)});
  // The first two exchange their values, or one takes the other's.
  std::vector<Operand> again = {author.chance(50) ? phis[1] : merged, phis[0]};
  for (size_t i = 2; i < carried.size(); ++i) again.push_back(author.value(carried[i]));
  f.branch(header);
  f.set_operands(count, {f.number("i32", 0), f.block(entry), counted, f.block(latch)});
  for (size_t i = 0; i < carried.size(); ++i)
    f.set_operands(phis[i], {starts[i], f.block(entry), again[i], f.block(latch)});

  author.values = in_loop;
  f.begin_block();  // leave
  author.some(2);
  std::vector<Callee> alike;
  for (const Callee& callee : callees)
    if (callee.result == self.result) alike.push_back(callee);
  if (!alike.empty() && author.chance(40)) {
    const Callee& callee = author.one_of(alike);
    std::vector<Operand> arguments;
    for (const std::string& type : callee.arguments) arguments.push_back(author.value(type));
    f.tail_call(self.result, std::move(arguments), f.symbol(callee.name));
  } else if (self.result == "void") {
    f.ret();
  } else {
    f.ret(author.value(self.result));
  }
  if (invokes) {
    f.begin_block();  // pad
    const Operand caught = f.add(Op::landing_pad, "{ ptr, i32 }", {});
    f.add(Op::extract_value, "i32", {caught}, {1});
    f.branch(latch);
  }
  Function made = f.finish();
  if (invokes)
    made.record_version = kWideSince - 1;  // what was caught is not simple, the twin's values are
  return made;
}

}  // namespace

SketchProgram straight_line(uint32_t statements, std::mt19937_64& random) {
  FunctionSketch f("line", kArguments);
  Author author(f, random);
  for (uint32_t i = 0; i < kArguments.size(); ++i) author.values.push_back(f.argument(i));
  f.begin_block();
  author.some(statements);
  f.ret(author.value("i64"));
  std::vector<Function> functions;
  functions.push_back(f.finish());
  return assemble(std::move(functions));
}

SketchProgram random_program(uint32_t count, std::mt19937_64& random) {
  std::vector<Callee> callees = {{"outside", {"i32"}, "i64"}, {"elsewhere", {}, "void"}};
  std::vector<Function> functions;
  const std::vector<std::string> results = {"void", "i64", "i32", "double", "i8"};
  for (uint32_t k = 0; k < count; ++k) {
    Callee self{"f" + std::to_string(k), {}, results[random() % results.size()]};
    for (uint64_t n = random() % 5; n > 0; --n)
      self.arguments.push_back(kArguments[random() % kArguments.size()]);
    functions.insert(functions.begin(), loop_function(self, callees, random));
    callees.push_back(self);
  }
  return assemble(std::move(functions));
}

std::vector<uint64_t> random_arguments(const Function& function, std::mt19937_64& random) {
  std::vector<uint64_t> arguments;
  for (const uint32_t type : function.arguments) {
    const SimpleType simple = *simple_type(function.types[type]);
    uint64_t value = random() >> (64 - simple.bits);
    if (simple.kind == SimpleType::Kind::float32)
      value = std::bit_cast<uint32_t>(static_cast<float>(random() % 1000) / 8);
    if (simple.kind == SimpleType::Kind::float64)
      value = std::bit_cast<uint64_t>(static_cast<double>(random() % 1000) / 8);
    arguments.push_back(value);
  }
  return arguments;
}

}  // namespace vestige::sketch
