// How users name statements.
#include <algorithm>

#include "query/names/naming.h"
#include "vestige/query.h"

namespace vestige {

namespace {

std::string describe_statement(const Trace& trace, StatementRef ref) {
  const Function& function = trace.functions()[ref.function];
  const Statement& statement = function.statements[ref.statement];
  std::string text = "#" + std::to_string(statement_id(trace, ref)) + "  " +
                     statement_name(trace, ref) + "  " + std::string(op_name(statement.op));
  if (const std::string place = location_text(function, statement.location); !place.empty())
    text += "  " + place;
  return text;
}

using Found = Result<std::vector<StatementRef>>;

Found by_id(const Trace& trace, std::string_view text) {
  uint64_t id = 0;
  if (!parse_number(text.substr(1), id))
    return fail(ErrorKind::usage, quoted(text) + " is not a statement; #ID takes a number");
  const auto ref = statement_by_id(trace, id);
  if (!ref)
    return fail(ErrorKind::missing, trace.file() + ": there is no statement " + std::string(text));
  return std::vector{*ref};
}

// FN:BLOCK.INDEX; nothing when the text does not have that form.
std::optional<Found> by_block(const Trace& trace, std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view place = text.substr(colon + 1);
  if (place.starts_with('B')) place.remove_prefix(1);
  const size_t dot = place.find('.');
  uint32_t block = 0, index = 0;
  if (dot == std::string_view::npos || !parse_number(place.substr(0, dot), block) ||
      !parse_number(place.substr(dot + 1), index))
    return std::nullopt;
  const std::string_view name = text.substr(0, colon);
  const std::vector<uint32_t> functions = find_functions(trace, name);
  if (functions.empty()) return std::unexpected(find_function(trace, name).error());
  std::vector<StatementRef> found;
  for (const uint32_t f : functions) {
    const Function& function = trace.functions()[f];
    if (block < function.blocks.size() && index < function.blocks[block].statement_count)
      found.push_back({f, function.blocks[block].first_statement + index});
  }
  if (found.empty()) {
    const Function& function = trace.functions()[functions.front()];
    if (block >= function.blocks.size())
      return fail(ErrorKind::missing, function.name + " has blocks B0 to B" +
                                          std::to_string(function.blocks.size() - 1) + ", no B" +
                                          std::to_string(block));
    return fail(ErrorKind::missing, "block B" + std::to_string(block) + " of " + function.name +
                                        " has " +
                                        std::to_string(function.blocks[block].statement_count) +
                                        " statements, no ." + std::to_string(index));
  }
  return found;
}

// file:LINE[:COLUMN]; nothing when the text does not have that form.
std::optional<Found> by_line(const Trace& trace, std::string_view text) {
  uint32_t line = 0, column = 0;
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !parse_number(text.substr(colon + 1), line))
    return std::nullopt;
  std::string_view file = text.substr(0, colon);
  colon = file.rfind(':');
  if (uint32_t number = 0;
      colon != std::string_view::npos && parse_number(file.substr(colon + 1), number)) {
    column = line;
    line = number;
    file = file.substr(0, colon);
  }
  if (file.empty()) return std::nullopt;
  std::vector<StatementRef> found;
  bool file_known = false;
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    const Function& function = trace.functions()[f];
    std::vector<bool> named(function.files.size());
    for (size_t i = 0; i < named.size(); ++i) named[i] = names_file(function.files[i], file);
    if (std::ranges::find(named, true) == named.end()) continue;
    file_known = true;
    for (uint32_t s = 0; s < function.statements.size(); ++s) {
      const Statement& statement = function.statements[s];
      if (statement.pseudo || statement.location >= function.locations.size()) continue;
      const Location& location = function.locations[statement.location];
      if (location.file < named.size() && named[location.file] && location.line == line &&
          (column == 0 || location.column == column))
        found.push_back({f, s});
    }
  }
  if (!found.empty()) return found;
  if (!file_known)
    return fail(ErrorKind::missing,
                trace.file() + ": no recorded code comes from a file " + std::string(file));
  return fail(ErrorKind::missing, trace.file() + ": there is no statement at " + std::string(text));
}

}  // namespace

Result<std::vector<StatementRef>> find_statements(const Trace& trace, std::string_view text) {
  if (text.starts_with('#')) return by_id(trace, text);
  if (auto found = by_block(trace, text)) return *found;
  if (auto found = by_line(trace, text)) return *found;
  return fail(
      ErrorKind::usage,
      quoted(text) + " is not a statement; give #ID, FN:BLOCK.INDEX or file.c:LINE[:COLUMN]");
}

Result<StatementRef> find_statement(const Trace& trace, std::string_view text) {
  return find_statement(trace, text, [](const Function&, uint32_t) { return true; }, "");
}

Result<StatementRef> find_statement(const Trace& trace, std::string_view text,
                                    bool (*wanted)(const Function&, uint32_t statement),
                                    std::string_view what) {
  auto found = find_statements(trace, text);
  if (!found) return std::unexpected(std::move(found.error()));
  std::erase_if(
      *found, [&](StatementRef s) { return !wanted(trace.functions()[s.function], s.statement); });
  if (found->size() == 1) return found->front();
  if (found->empty())
    return fail(ErrorKind::usage, "nothing at " + quoted(text) + " has " + std::string(what));
  return fail(ErrorKind::usage,
              quoted(text) + " is ambiguous; it may be" +
                  candidates(*found, [&](StatementRef s) { return describe_statement(trace, s); }));
}

uint64_t statement_id(const Trace& trace, StatementRef ref) {
  return uint64_t{trace.functions()[ref.function].first_statement} + ref.statement;
}

std::optional<StatementRef> statement_by_id(const Trace& trace, uint64_t id) {
  const auto& functions = trace.functions();
  const auto above = std::ranges::upper_bound(functions, id, {}, &Function::first_statement);
  // Functions without statements share their neighbour's first id; the last one that is not above
  // holds it.
  if (above == functions.begin()) return std::nullopt;
  const Function& function = *(above - 1);
  if (id - function.first_statement >= function.statements.size()) return std::nullopt;
  return StatementRef{static_cast<uint32_t>(above - 1 - functions.begin()),
                      static_cast<uint32_t>(id - function.first_statement)};
}

}  // namespace vestige
