#include "short_names.h"

#include <fmt/format.h>

#include "trace_query.h"

namespace vestige::cli {
namespace {

constexpr size_t kLong = 48;

// Whether the character belongs to an operator's name: operator<, operator->, operator().
bool in_operator_name(std::string_view name, size_t at) {
  constexpr std::string_view word = "operator";
  while (at > 0 && std::string_view("<>-(").find(name[at - 1]) != std::string_view::npos) --at;
  return at >= word.size() && name.substr(at - word.size(), word.size()) == word;
}

// The name without its argument list, which is the last parenthesis and what it closes:
// "f(int)::{lambda()#1}::operator()() const" keeps everything up to "operator()".
std::string_view without_arguments(std::string_view name) {
  const size_t close = name.rfind(')');
  if (close == name.npos) return name;
  int open = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++open;
    if (name[i] == '(' && --open == 0)
      return i > 0 && !in_operator_name(name, i) ? name.substr(0, i) : name;
  }
  return name;
}

// Replaces what stands between brackets at the outermost level by "…".
std::string collapse(std::string_view name, char opening, char closing) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool bracket = !in_operator_name(name, i);
    if (c == opening && bracket) {
      if (depth++ == 0) out += std::string{opening} + "…" + closing;
    } else if (c == closing && bracket && depth > 0) {
      --depth;
    } else if (depth == 0) {
      out += c;
    }
  }
  return out;
}

// Template functions are demangled with their return type in front.
std::string_view without_return_type(std::string_view name) {
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (name.substr(i).starts_with("operator")) break;
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ' ' && depth == 0) from = i + 1;
  }
  return name.substr(from);
}

}  // namespace

std::string short_function(std::string_view demangled) {
  std::string name(without_return_type(without_arguments(demangled)));
  if (name.size() > kLong) name = collapse(name, '<', '>');
  if (name.size() <= kLong) return name;
  // The end says more than the beginning. Cut between UTF-8 characters.
  size_t from = name.size() - kLong + 3;
  while (from < name.size() && (name[from] & 0xc0) == 0x80) ++from;
  return "…" + name.substr(from);
}

std::string short_place(const Function& f, uint32_t location) {
  if (location >= f.locations.size()) return "";
  const auto file = [&](const Location& l) {
    return l.file < f.files.size() ? file_name(f.files[l.file]) : std::string_view("?");
  };
  const Location& at = f.locations[location];
  std::string text(file(at));
  if (at.line) text += fmt::format(":{}", at.line);
  if (at.column) text += fmt::format(":{}", at.column);
  uint32_t outer = location;
  while (f.locations[outer].inlined_at < outer) outer = f.locations[outer].inlined_at;
  if (outer != location)
    text += fmt::format(" (at {}:{})", file(f.locations[outer]), f.locations[outer].line);
  return text;
}

}  // namespace vestige::cli
