#include "slice_criterion.h"

#include "report.h"

namespace vestige::cli {

namespace {

bool is_store(const Function& function, uint32_t statement) {
  return function.statements[statement].op == Op::store;
}

}  // namespace

void add_criterion(CommandLine& line, std::string& at, std::string& thread) {
  line.app()
      .add_option("--at", at, "The execution; the last one unless told")
      ->required()
      ->type_name("STATEMENT[@INSTANCE]");
  line.app()
      .add_option("--thread", thread, "Of this thread: RANK.THREAD or a number")
      ->type_name("N");
}

Result<SliceOptions> parse_criterion(const Trace& trace, const std::string& text,
                                     const std::string& thread) {
  SliceOptions options;
  const size_t at = text.rfind('@');
  if (at != std::string::npos) {
    options.instance = parse_number(std::string_view(text).substr(at + 1));
    if (options.instance.value_or(0) == 0)
      return fail(ErrorKind::usage, "an instance is a number from 1, as in #12@3: " + text);
  }
  const std::string name = text.substr(0, at);
  auto found = find_statement(trace, name);
  // A line that stores once means what it stores.
  if (!found && found.error().kind == ErrorKind::usage) {
    const auto store = find_statement(trace, name, is_store, "a store");
    if (store) found = *store;
  }
  if (!found) return std::unexpected(found.error());
  options.statement = *found;
  if (thread.empty()) return options;
  const auto chosen = find_thread(trace, thread);
  if (!chosen) return std::unexpected(chosen.error());
  options.thread = *chosen;
  return options;
}

int report_slice(const Error& error) {
  return error.kind == ErrorKind::missing ? report_name(error) : report_trace(error);
}

}  // namespace vestige::cli
