// How places in the program are named to users.
#include <cxxabi.h>

#include <cstdlib>

#include "vestige/query.h"

namespace vestige {

namespace {

std::string_view file_name(const Function& function, uint32_t file, bool full_path) {
  if (file >= function.files.size()) return "?";
  const std::string_view name = function.files[file];
  const size_t slash = name.rfind('/');
  return full_path || slash == std::string_view::npos ? name : name.substr(slash + 1);
}

std::string position(const Function& function, const Location& location, bool full_paths,
                     bool column) {
  std::string text(file_name(function, location.file, full_paths));
  text += ":" + std::to_string(location.line);
  if (column && location.column != 0) text += ":" + std::to_string(location.column);
  return text;
}

bool has_line(const Function& function, uint32_t statement) {
  const uint32_t at = function.statements[statement].location;
  return at != kNone && function.locations[at].file != kNone && function.locations[at].line != 0;
}

}  // namespace

uint32_t place_of(const Function& function, uint32_t statement) {
  const auto own = function.statements[statement].location;
  if (has_line(function, statement)) return own;
  for (uint32_t s = 0; s < function.statements.size(); ++s)
    for (const Operand& operand : function.statements[s].operands)
      if (operand.kind == Operand::Kind::statement && operand.index == statement &&
          has_line(function, s))
        return function.statements[s].location;
  const uint32_t number = function.statements[statement].block;
  if (number >= function.blocks.size()) return own;
  const Block& block = function.blocks[number];
  const uint32_t end = block.first_statement + block.statement_count;
  for (uint32_t distance = 1; distance < block.statement_count; ++distance) {
    if (statement + distance < end && has_line(function, statement + distance))
      return function.statements[statement + distance].location;
    if (statement >= block.first_statement + distance && has_line(function, statement - distance))
      return function.statements[statement - distance].location;
  }
  return own;
}

std::string demangle(std::string_view name) {
  if (!name.starts_with("_Z") && !name.starts_with("__Z")) return std::string(name);
  const std::string mangled(name);
  int status = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text ? std::string(text) : mangled;
  std::free(text);
  return result;
}

std::string block_name(uint32_t block) { return "B" + std::to_string(block); }

std::string statement_name(const Trace& trace, StatementRef ref) {
  const Function& function = trace.functions()[ref.function];
  const uint32_t block = function.statements[ref.statement].block;
  return function.name + ":" + block_name(block) + "." +
         std::to_string(ref.statement - function.blocks[block].first_statement);
}

// A chain is as long as the inlining was deep; a damaged table may hold a cycle, so it is cut.
std::string location_text(const Function& function, uint32_t location, bool full_paths) {
  if (location >= function.locations.size()) return {};
  const Location* at = &function.locations[location];
  std::string text = position(function, *at, full_paths, true);
  std::string chain;
  for (int length = 0; at->inlined_at < function.locations.size() && length < 64; ++length) {
    at = &function.locations[at->inlined_at];
    chain += chain.empty() ? "inlined into " : ", into ";
    if (at->scope < function.scopes.size()) chain += demangle(function.scopes[at->scope]) + " ";
    chain += "at " + position(function, *at, full_paths, false);
  }
  return chain.empty() ? text : text + " (" + chain + ")";
}

uint32_t block_location(const Function& function, uint32_t block) {
  if (block >= function.blocks.size()) return kNone;
  const Block& b = function.blocks[block];
  for (uint32_t i = 0; i < b.statement_count; ++i) {
    const uint32_t location = function.statements[b.first_statement + i].location;
    // Line 0 is the compiler's "nowhere in particular".
    if (location < function.locations.size() && function.locations[location].line != 0)
      return location;
  }
  return kNone;
}

std::string function_place(const Function& function) {
  if (function.file >= function.files.size()) return {};
  return std::string(file_name(function, function.file, false)) + ":" +
         std::to_string(function.line);
}

}  // namespace vestige
