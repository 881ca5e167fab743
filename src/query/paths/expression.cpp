#include "query/paths/expression.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "vestige/query.h"

namespace vestige {

namespace {

constexpr unsigned kMostNesting = 200;
constexpr uint16_t kMostClasses = UINT16_MAX;

// What is known of a part of the expression while it is put together.
struct Fragment {
  bool empty = false;  // matches nothing at all, too
  std::vector<uint32_t> first, last;
  bool loops = false;  // its first may follow its last already
};

class Parser {
 public:
  Parser(const Trace& trace, const PatternOptions& options)
      : trace_(trace), function_(trace.functions()[options.function]), options_(options) {
    out_.class_of_block.resize(function_.blocks.size());
  }

  Result<Expression> run() {
    Fragment all;
    if (options_.kind == PatternKind::regex) {
      text_ = options_.text;
      if (auto calls = find_calls(); !calls) return std::unexpected(std::move(calls.error()));
      auto parsed = alternatives(0);
      if (!parsed) return std::unexpected(std::move(parsed.error()));
      skip_spaces();
      if (at_ != text_.size()) return bad("the ) has no (");
      all = std::move(*parsed);
    } else {
      auto parsed = sequence();
      if (!parsed) return std::unexpected(std::move(parsed.error()));
      all = std::move(*parsed);
    }
    if (all.empty || all.first.empty()) return bad("it must not match nothing at all");
    for (const uint32_t position : all.first)
      if (out_.positions[position].call) return bad("it must begin with a block, not with a call");
    out_.first = std::move(all.first);
    out_.last = std::move(all.last);
    return std::move(out_);
  }

 private:
  std::unexpected<Error> bad(const std::string& why) const {
    return fail(ErrorKind::usage, "the pattern \"" + options_.text + "\" cannot be used: " + why);
  }

  // ---- words -----------------------------------------------------------------------------------

  Result<uint32_t> number(std::string_view word, const char* what) const {
    uint32_t n = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (failure != std::errc() || end != word.data() + word.size() || word.empty())
      return bad("\"" + std::string(word) + "\" is no " + what);
    return n;
  }
  uint16_t class_of(uint32_t block) {
    uint16_t& c = out_.class_of_block[block];
    if (c == 0) c = out_.classes++;
    return c;
  }
  Result<std::vector<uint16_t>> block(std::string_view word) {
    const std::string_view digits = word.starts_with('B') ? word.substr(1) : word;
    const auto n = number(digits, "block (B3, or 3)");
    if (!n) return std::unexpected(n.error());
    if (*n >= function_.blocks.size())
      return bad(demangle(function_.name) + " has blocks B0 to B" +
                 std::to_string(function_.blocks.size() - 1) + ", not B" + std::to_string(*n));
    if (out_.classes == kMostClasses) return bad("it is about too many blocks");
    return std::vector{class_of(*n)};
  }
  Result<std::vector<uint16_t>> line(std::string_view word) {
    const auto n = number(word, "line");
    if (!n) return std::unexpected(n.error());
    std::set<uint32_t> blocks;
    for (const Statement& statement : function_.statements)
      for (uint32_t l = statement.location; l != kNone; l = function_.locations[l].inlined_at)
        if (function_.locations[l].line == *n) blocks.insert(statement.block);
    if (blocks.empty())
      return fail(ErrorKind::missing, "no block of " + demangle(function_.name) + " holds line " +
                                          std::to_string(*n) + "; vestige blocks lists them");
    if (blocks.size() > kMostClasses - out_.classes) return bad("it is about too many blocks");
    std::vector<uint16_t> classes;
    for (const uint32_t b : blocks) classes.push_back(class_of(b));
    return classes;
  }

  // ---- sequences of blocks or lines -------------------------------------------------------------

  Result<Fragment> sequence() {
    Fragment all;
    bool begun = false;
    std::string_view rest = options_.text;
    while (true) {
      const size_t from = rest.find_first_not_of(" \t,\n");
      if (from == std::string_view::npos) break;
      rest.remove_prefix(from);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t,\n"));
      rest.remove_prefix(word.size());
      auto classes = options_.kind == PatternKind::lines ? line(word) : block(word);
      if (!classes) return std::unexpected(std::move(classes.error()));
      auto next = position(std::move(*classes), false);
      if (!next) return next;
      all = begun ? behind(std::move(all), *next) : std::move(*next);
      begun = true;
    }
    if (!begun) return bad("it is empty");
    return all;
  }

  // ---- expressions ------------------------------------------------------------------------------

  // Calls become visible only when the pattern names one, and all their classes must be known
  // before the first `@`.
  Result<void> find_calls() {
    for (size_t at = 0; (at = text_.find('@', at)) != std::string_view::npos;) {
      const std::string_view name = call_name(++at);
      out_.other_call = 1;
      if (name.empty()) continue;
      const auto found = find_functions(trace_, name);
      if (found.empty())
        return fail(ErrorKind::missing, "the pattern names @" + std::string(name) +
                                            ", but no recorded function has that name");
      for (const uint32_t f : found) out_.class_of_callee[f] = 0;
    }
    if (out_.other_call == 0) return {};
    if (out_.class_of_callee.size() >= kMostClasses - out_.classes)
      return bad("it names too many functions");
    for (auto& [function, c] : out_.class_of_callee) c = out_.classes++;
    out_.other_call = out_.classes++;
    return {};
  }
  std::string_view call_name(size_t from) const {
    const std::string_view rest = std::string_view(text_).substr(from);
    return rest.substr(0, rest.find_first_of(" \t\n()|*+?{}.@"));
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  Result<Fragment> alternatives(unsigned nesting) {
    if (nesting > kMostNesting) return bad("its parentheses are too deep");
    auto all = terms(nesting);
    if (!all) return all;
    while (at_ < text_.size() && text_[at_] == '|') {
      ++at_;
      auto next = terms(nesting);
      if (!next) return next;
      all->empty |= next->empty;
      append(all->first, next->first);
      append(all->last, next->last);
      all->loops = false;
    }
    return all;
  }

  Result<Fragment> terms(unsigned nesting) {
    std::optional<Fragment> all;
    while (true) {
      skip_spaces();
      if (at_ == text_.size() || text_[at_] == ')' || text_[at_] == '|') break;
      auto next = factor(nesting);
      if (!next) return next;
      all = all ? behind(std::move(*all), *next) : std::move(*next);
    }
    if (!all) return bad("a part of it is empty");
    return std::move(*all);
  }

  // Up to `stop`, or as far as it goes.
  Result<Fragment> factor(unsigned nesting, size_t stop = std::string_view::npos) {
    const size_t from = at_;
    auto piece = atom(nesting);
    if (!piece) return piece;
    while (true) {
      skip_spaces();
      if (at_ == std::min(stop, text_.size())) return piece;
      const char c = text_[at_];
      if (c == '*' || c == '+') {
        ++at_;
        if (!piece->loops) link(piece->last, piece->first);
        piece->loops = true;
        piece->empty |= c == '*';
      } else if (c == '?') {
        ++at_;
        piece->empty = true;
      } else if (c == '{') {
        auto repeated = repeat(nesting, from, std::move(*piece));
        if (!repeated) return repeated;
        piece = std::move(repeated);
      } else {
        return piece;
      }
    }
  }

  // x{n} and x{n,m}: the text of x, which began at `from`, is read again for every further copy.
  Result<Fragment> repeat(unsigned nesting, size_t from, Fragment one) {
    const size_t brace = at_, close = text_.find('}', at_);
    if (close == std::string_view::npos) return bad("the { has no }");
    const std::string_view inside = text_.substr(at_ + 1, close - at_ - 1);
    const size_t comma = inside.find(',');
    const auto least = number(inside.substr(0, comma), "number");
    if (!least) return std::unexpected(least.error());
    auto most = least;
    if (comma != std::string_view::npos) most = number(inside.substr(comma + 1), "number");
    if (!most) return std::unexpected(most.error());
    if (*most == 0 || *least > *most) return bad("{" + std::string(inside) + "} is no range");
    if (*most > Expression::kMostPositions) return bad("it is too long");
    Fragment all = std::move(one);
    if (*least == 0) all.empty = true;
    for (uint32_t copy = 1; copy < *most; ++copy) {
      at_ = from;
      auto next = factor(nesting, brace);
      if (!next) return next;
      if (copy >= *least) next->empty = true;
      all = behind(std::move(all), *next);
    }
    at_ = close + 1;
    return all;
  }

  Result<Fragment> atom(unsigned nesting) {
    skip_spaces();
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      auto inner = alternatives(nesting + 1);
      if (!inner) return inner;
      skip_spaces();
      if (at_ == text_.size() || text_[at_] != ')') return bad("the ( has no )");
      ++at_;
      return inner;
    }
    if (c == '.') {
      ++at_;
      return any_block();
    }
    if (c == '@') return call();
    const std::string_view rest = text_.substr(at_);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n()|*+?{}.@"));
    if (word.empty()) return bad("\"" + std::string(1, c) + "\" stands where a block should");
    at_ += word.size();
    auto classes = word.starts_with('L') ? line(word.substr(1)) : block(word);
    if (!classes) return std::unexpected(std::move(classes.error()));
    return position(std::move(*classes), false);
  }

  Result<Fragment> any_block() {
    auto piece = position({}, false);
    if (piece) any_.push_back(piece->first.front());
    return piece;
  }
  Result<Fragment> call() {
    const std::string_view name = call_name(++at_);
    at_ += name.size();
    std::vector<uint16_t> classes;
    if (name.empty()) {
      for (const auto& [function, c] : out_.class_of_callee) classes.push_back(c);
      classes.push_back(out_.other_call);
    } else {
      for (const uint32_t f : find_functions(trace_, name))
        classes.push_back(out_.class_of_callee.at(f));
    }
    return position(std::move(classes), true);
  }

  // ---- positions --------------------------------------------------------------------------------

  Result<Fragment> position(std::vector<uint16_t> classes, bool is_call) {
    if (out_.positions.size() == Expression::kMostPositions)
      return bad("it is longer than " + std::to_string(Expression::kMostPositions) + " blocks");
    const auto at = static_cast<uint32_t>(out_.positions.size());
    out_.positions.push_back({std::move(classes), is_call, {}});
    return Fragment{false, {at}, {at}};
  }
  static void append(std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  void link(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
    for (const uint32_t f : from) append(out_.positions[f].follow, to);
  }
  Fragment behind(Fragment a, const Fragment& b) {
    link(a.last, b.first);
    if (a.empty) append(a.first, b.first);
    if (b.empty)
      append(a.last, b.last);
    else
      a.last = b.last;
    a.empty &= b.empty;
    a.loops = false;
    return a;
  }

 public:
  // `.` accepts every block: those that are named have classes only when all was read.
  static void fill_any(Expression& expression, const std::vector<uint32_t>& any) {
    std::vector<uint16_t> blocks = {0};
    for (const uint16_t c : expression.class_of_block)
      if (c != 0) blocks.push_back(c);
    for (const uint32_t position : any) expression.positions[position].classes = blocks;
  }
  const std::vector<uint32_t>& any() const { return any_; }

 private:
  const Trace& trace_;
  const Function& function_;
  const PatternOptions& options_;
  Expression out_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<uint32_t> any_;  // positions of `.`
};

}  // namespace

Result<Expression> parse_pattern(const Trace& trace, const PatternOptions& options) {
  if (options.function >= trace.functions().size())
    return fail(ErrorKind::usage, "there is no function " + std::to_string(options.function));
  Parser parser(trace, options);
  auto expression = parser.run();
  if (expression) Parser::fill_any(*expression, parser.any());
  return expression;
}

}  // namespace vestige
