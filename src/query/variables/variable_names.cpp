// How users name variables.
#include <algorithm>
#include <map>
#include <tuple>

#include "query/names/naming.h"
#include "query/variables/variable_parts.h"
#include "vestige/query.h"
#include "vestige/variables.h"

namespace vestige {

namespace {

// What tells two declarations apart.
auto identity(const SourceVariable& v) { return std::tie(v.file, v.line, v.name, v.scope, v.type); }

struct Where {
  std::string_view text;  // function or file; empty: anywhere
  uint32_t line = 0;      // 0: any
};

Where parse_where(std::string_view text) {
  Where where{text, 0};
  if (const size_t colon = text.rfind(':');
      colon != text.npos && parse_number(text.substr(colon + 1), where.line))
    where.text = text.substr(0, colon);
  return where;
}

bool names_function(std::string_view linkage_name, std::string_view text) {
  if (linkage_name.empty()) return false;
  if (linkage_name == text) return true;
  const std::string readable = demangle(linkage_name);
  return readable == text || without_arguments(readable) == text;
}

bool is_there(const Trace& trace, const SourceVariable& variable, const Where& where) {
  if (where.line != 0 && variable.line != where.line) return false;
  if (where.text.empty() || names_function(variable.scope, where.text)) return true;
  if (!variable.file.empty() && names_file(variable.file, where.text)) return true;
  if (!variable.global || !variable.scope.empty()) return false;
  return std::ranges::any_of(variable.copies, [&](const VariableRef& copy) {
    return names_function(trace.functions()[copy.function].name, where.text);
  });
}

std::string describe_variable(const SourceVariable& variable) {
  const size_t slash = variable.file.rfind('/');
  const std::string file =
      slash == std::string::npos ? variable.file : variable.file.substr(slash + 1);
  const std::string within = variable.scope.empty() ? file : demangle(variable.scope);
  return variable.name + "@" + within + ":" + std::to_string(variable.line) + "  " + variable.type +
         "  " + file + ":" + std::to_string(variable.line);
}

bool has_variables(const Trace& trace) {
  return std::ranges::any_of(trace.functions(),
                             [](const Function& function) { return !function.variables.empty(); });
}

}  // namespace

std::vector<SourceVariable> source_variables(const Trace& trace, std::string_view text) {
  std::vector<SourceVariable> all;
  std::map<std::tuple<std::string, uint32_t, std::string, std::string, std::string>, size_t> known;
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    const Function& function = trace.functions()[f];
    std::vector<bool> bound(function.variables.size());
    for (const Binding& binding : function.bindings)
      if (binding.kind < Binding::Kind::lost) bound[binding.variable] = true;
    for (uint32_t v = 0; v < function.variables.size(); ++v) {
      const Variable& variable = function.variables[v];
      SourceVariable one;
      one.name = variable.name;
      one.type = function.source_types[variable.type].name;
      if (variable.location != kNone) {
        const Location& location = function.locations[variable.location];
        if (location.file != kNone) one.file = function.files[location.file];
        if (location.scope != kNone) one.scope = function.scopes[location.scope];
        one.line = location.line;
      }
      one.parameter = variable.parameter;
      one.global = variable.symbol != kNone;
      const auto [at, fresh] =
          known.try_emplace({one.file, one.line, one.name, one.scope, one.type}, all.size());
      if (fresh) all.push_back(std::move(one));
      SourceVariable& listed = all[at->second];
      listed.followed = listed.followed || listed.global || bound[v];
      listed.copies.push_back({f, v});
    }
  }
  const Where where = parse_where(text);
  std::erase_if(all, [&](const SourceVariable& one) { return !is_there(trace, one, where); });
  std::ranges::sort(all, [](const auto& a, const auto& b) { return identity(a) < identity(b); });
  return all;
}

VariableName split_variable_name(std::string_view text) {
  const size_t at = text.find('@');
  const std::string_view whole = text.substr(0, at);
  const size_t part = std::min(whole.find_first_of(".["), whole.size());
  return {whole.substr(0, part), whole.substr(part),
          at == text.npos ? std::string_view() : text.substr(at + 1)};
}

Error unknown_variable(const Trace& trace, std::string_view text) {
  if (!has_variables(trace))
    return {
        ErrorKind::unsupported,
        trace.file() + ": this trace has no variables; build the program with -g and record again"};
  return {ErrorKind::missing, trace.file() + ": no recorded function has a variable " +
                                  quoted(text) + "; vestige variable " + trace.file() +
                                  " lists them"};
}

Result<VariableQuestion> find_variable(const Trace& trace, std::string_view text) {
  VariableQuestion question;
  question.text = text;
  const VariableName asked = split_variable_name(text);
  question.part = asked.part;
  if (asked.name.empty())
    return fail(ErrorKind::usage, quoted(text) + " is not a variable; give NAME or NAME@FUNCTION");
  for (SourceVariable& variable : source_variables(trace, asked.where))
    if (variable.name == asked.name) question.variables.push_back(std::move(variable));
  if (question.variables.empty()) return std::unexpected(unknown_variable(trace, text));
  const SourceVariable& first = question.variables.front();
  for (const SourceVariable& variable : question.variables)
    if (variable.scope != first.scope || variable.global != first.global ||
        (variable.scope.empty() && identity(variable) != identity(first)) ||
        variable.file != first.file)
      return fail(ErrorKind::usage, quoted(text) + " is ambiguous; it may be" +
                                        candidates(question.variables, describe_variable));
  for (const SourceVariable& variable : question.variables) {
    const VariableRef best = best_copies_first(trace.functions(), variable).front();
    const Function& function = trace.functions()[best.function];
    const auto found = find_part(function, function.variables[best.variable].type, question.part);
    if (!found) return std::unexpected(found.error());
  }
  return question;
}

}  // namespace vestige
