#include "record/collect/function_filter.h"

#include <cxxabi.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace vestige {

namespace {

// Everything a pattern may mean by a function.
struct FilterNames {
  std::vector<std::string> function, file;

  explicit FilterNames(const Function& f) {
    function.push_back(f.name);
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> demangled(
        abi::__cxa_demangle(f.name.c_str(), nullptr, nullptr, &status), &std::free);
    if (status == 0 && demangled && f.name.starts_with("_Z")) {
      function.emplace_back(demangled.get());
      if (const size_t at = parameters(function.back()); at != std::string::npos)
        function.push_back(function.back().substr(0, at));
    }
    if (f.file < f.files.size()) {
      file.push_back(f.files[f.file]);
      if (const size_t slash = file.back().rfind('/'); slash != std::string::npos)
        file.push_back(file.back().substr(slash + 1));
    }
  }

  // Where the parameter list begins: the parenthesis that the last one closes.
  static size_t parameters(const std::string& name) {
    const size_t close = name.rfind(')');
    if (close == std::string::npos) return close;
    int depth = 0;
    for (size_t at = close + 1; at-- > 0;) {
      if (name[at] == ')') ++depth;
      if (name[at] == '(' && --depth == 0) return at;
    }
    return std::string::npos;
  }
};

bool matches(const std::string& pattern, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (name == pattern || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

bool fits(const std::string& pattern, const FilterNames& names) {
  return matches(pattern, names.function) || matches(pattern, names.file);
}

}  // namespace

FunctionFilter::FunctionFilter(const RecordOptions& options)
    : include_(options.include),
      exclude_(options.exclude),
      fitted_(options.include.size()),
      start_(options.start),
      stop_(options.stop) {}

FunctionFilter::Verdict FunctionFilter::judge(const Function& function) {
  if (!active()) return {};
  const FilterNames names(function);
  Verdict verdict;
  verdict.excluded = !include_.empty();
  for (size_t i = 0; i < include_.size(); ++i) {
    if (!fits(include_[i], names)) continue;
    fitted_[i] = true;
    verdict.excluded = false;
  }
  for (const std::string& pattern : exclude_) verdict.excluded |= fits(pattern, names);
  verdict.starts = !start_.empty() && matches(start_, names.function);
  verdict.stops = !stop_.empty() && matches(stop_, names.function);
  return verdict;
}

std::string FunctionFilter::unfitting() const {
  const auto found = std::ranges::find(fitted_, false);
  return found == fitted_.end() ? "" : include_[static_cast<size_t>(found - fitted_.begin())];
}

}  // namespace vestige
