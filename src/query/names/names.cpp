// How users name places in time, threads and functions.
#include <algorithm>

#include "query/names/naming.h"
#include "query/names/ranks.h"
#include "vestige/query.h"

namespace vestige {

std::string_view without_arguments(std::string_view name) {
  if (name.empty()) return name;
  const size_t close = name.rfind(')');
  if (close == std::string_view::npos) return name;
  int open = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++open;
    if (name[i] == '(' && --open == 0) return i == 0 ? name : name.substr(0, i);
  }
  return name;
}

namespace {

// Instances of templates are demangled with their result's type in front: "int max<int>".
std::string_view without_result(std::string_view name) {
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i < name.size() && !name.substr(i).starts_with("operator"); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ' ' && depth == 0) from = i + 1;
  }
  return name.substr(from);
}

// Edit distance, cut off: enough to suggest a name.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string near_names(const Trace& trace, std::string_view name) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const Function& function : trace.functions()) {
    const std::string full = demangle(function.name);
    const std::string_view candidate = without_arguments(full);
    if (candidate.size() > 200 || name.size() > 200) continue;
    const size_t far = distance(name, candidate);
    if (far <= std::max<size_t>(2, name.size() / 3)) near.emplace_back(far, candidate);
  }
  std::ranges::sort(near);
  const auto repeated = std::ranges::unique(near);
  near.erase(repeated.begin(), repeated.end());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(near.size(), 3); ++i)
    text += (i ? ", " : "; near: ") + near[i].second;
  return text;
}

// Whose code a function that is not there on its own became part of.
std::string inlined_into(const Trace& trace, std::string_view name) {
  std::vector<std::string> callers;
  for (const Function& function : trace.functions()) {
    const bool holds = std::ranges::any_of(function.scopes, [&](const std::string& scope) {
      const std::string full = demangle(scope);
      const std::string_view called = without_arguments(full);
      return scope == name || full == name || called == name || without_result(called) == name;
    });
    if (holds) callers.emplace_back(without_arguments(demangle(function.name)));
  }
  std::ranges::sort(callers);
  const auto repeated = std::ranges::unique(callers);
  callers.erase(repeated.begin(), repeated.end());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(callers.size(), 3); ++i)
    text += (i ? ", " : "; it was inlined into ") + callers[i];
  if (callers.size() > 3) text += " and " + std::to_string(callers.size() - 3) + " more";
  return text;
}

std::string describe_function(const Trace& trace, uint32_t f) {
  const Function& function = trace.functions()[f];
  std::string text = function.name;
  if (const std::string readable = demangle(function.name); readable != function.name)
    text += "  " + readable;
  if (const std::string place = function_place(function); !place.empty()) text += "  " + place;
  if (function.module < trace.modules().size())
    text += "  in " + trace.modules()[function.module].name;
  return text;
}

}  // namespace

Result<WalkFrom> parse_walk_from(std::string_view text) {
  if (text == "start") return WalkFrom{WalkFrom::Kind::start, 0};
  if (text == "end") return WalkFrom{WalkFrom::Kind::end, 0};
  WalkFrom from{WalkFrom::Kind::time, 0};
  std::string_view digits = text;
  if (text.starts_with("sync:")) {
    from.kind = WalkFrom::Kind::sync;
    digits.remove_prefix(5);
  }
  if (!parse_number(digits, from.number) || from.number == 0) {
    return fail(ErrorKind::usage,
                "\"" + std::string(text) +
                    "\" is not a place in time; give a time from 1, start, end, or sync:K");
  }
  return from;
}

Result<uint32_t> find_thread(const Trace& trace, std::string_view text) {
  const auto& threads = trace.threads();
  uint32_t rank = 0, number = 0;
  if (const size_t dot = text.find('.'); dot != std::string_view::npos) {
    if (parse_number(text.substr(0, dot), rank) && parse_number(text.substr(dot + 1), number)) {
      const Ranks ranks(trace);
      uint32_t seen = 0;
      for (uint32_t t = 0; t < threads.size(); ++t)
        if (ranks.of(t) == rank && seen++ == number) return t;
      if (seen == 0)
        return fail(ErrorKind::missing,
                    trace.file() + ": there is no rank " + std::to_string(rank));
      return fail(ErrorKind::missing, trace.file() + ": rank " + std::to_string(rank) +
                                          " has threads 0 to " + std::to_string(seen - 1) +
                                          ", no " + std::to_string(number));
    }
  } else if (parse_number(text, number)) {
    if (number < threads.size()) return number;
    if (threads.empty())
      return fail(ErrorKind::missing, trace.file() + ": the trace has no threads");
    return fail(ErrorKind::missing, trace.file() + ": there is no thread " +
                                        std::to_string(number) + "; threads are 0 to " +
                                        std::to_string(threads.size() - 1));
  }
  return fail(ErrorKind::usage, quoted(text) + " is not a thread; give RANK.THREAD or a number");
}

std::string thread_name(const Trace& trace, uint32_t thread) {
  const Ranks ranks(trace);
  const uint32_t rank = ranks.of(thread);
  uint32_t number = 0;
  for (uint32_t t = 0; t < thread; ++t) number += ranks.of(t) == rank;
  return std::to_string(rank) + "." + std::to_string(number);
}

std::vector<uint32_t> find_functions(const Trace& trace, std::string_view name) {
  std::vector<uint32_t> exact, readable, bare;
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    const std::string& mangled = trace.functions()[f].name;
    if (mangled == name) exact.push_back(f);
    const std::string full = demangle(mangled);
    if (full == name) readable.push_back(f);
    const std::string_view called = without_arguments(full);
    if (called == name || without_result(called) == name) bare.push_back(f);
  }
  if (!exact.empty()) return exact;
  return readable.empty() ? bare : readable;
}

Result<uint32_t> find_function(const Trace& trace, std::string_view name) {
  const std::vector<uint32_t> found = find_functions(trace, name);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    const std::string inlined = inlined_into(trace, name);
    return fail(ErrorKind::missing, trace.file() + ": no recorded function is named " +
                                        quoted(name) +
                                        (inlined.empty() ? near_names(trace, name) : inlined));
  }
  return fail(ErrorKind::usage,
              quoted(name) + " is ambiguous; it may be" +
                  candidates(found, [&](uint32_t f) { return describe_function(trace, f); }));
}

}  // namespace vestige
