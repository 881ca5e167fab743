// What the parsers of users' names share.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace vestige {

// The whole text as a number.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// "ns::f(int, char) const" without its arguments: "ns::f". Parentheses of "(anonymous namespace)"
// and of operator() belong to the name.
std::string_view without_arguments(std::string_view name);

// "src/a.c" and "a.c" name "/x/src/a.c"; "b/a.c" and "aa.c" do not.
inline bool names_file(std::string_view file, std::string_view name) {
  if (!file.ends_with(name)) return false;
  return file.size() == name.size() || file[file.size() - name.size() - 1] == '/';
}

inline std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// "\n  one\n  two\n  … 3 more": what an ambiguous name may stand for.
inline constexpr size_t kCandidatesShown = 10;
template <class List, class Describe>
std::string candidates(const List& list, const Describe& describe) {
  std::string text;
  for (size_t i = 0; i < std::min(list.size(), kCandidatesShown); ++i)
    text += "\n  " + describe(list[i]);
  if (list.size() > kCandidatesShown)
    text += "\n  … " + std::to_string(list.size() - kCandidatesShown) + " more";
  return text;
}

}  // namespace vestige
