#include "trace_query.h"

#include <fmt/format.h>

#include <deque>

#include "output.h"
#include "report.h"

namespace vestige::cli {
namespace {

Result<void> has_control_flow(const Trace& trace) {
  if (trace.meta("represents") != "dor") return {};
  return fail(ErrorKind::unsupported,
              trace.file() +
                  ": this trace has accesses to shared memory only, without control "
                  "flow; ask the recording that it was made from");
}

}  // namespace

const Trace* open_trace(const std::string& file) {
  static auto* const opened = new std::deque<Trace>;
  Result<Trace> trace = Trace::open(file);
  if (trace) return &opened->emplace_back(std::move(*trace));
  report_trace(trace.error());
  return nullptr;
}

const Trace* open_control_flow(const std::string& file) {
  const Trace* trace = open_trace(file);
  if (!trace) return nullptr;
  const auto has = has_control_flow(*trace);
  if (has) return trace;
  report_trace(has.error());
  return nullptr;
}

Result<std::vector<uint32_t>> functions_named(const Trace& trace, const std::string& name) {
  if (name.starts_with('#')) {
    const auto id = parse_number(std::string_view(name).substr(1));
    if (id && *id < trace.functions().size()) return std::vector{static_cast<uint32_t>(*id)};
    return fail(ErrorKind::missing, fmt::format("{} has no function {}; it has #0 to #{}",
                                                trace.file(), name, trace.functions().size() - 1));
  }
  std::vector<uint32_t> found = find_functions(trace, name);
  if (!found.empty()) return found;
  const Result<uint32_t> one = find_function(trace, name);
  if (!one) return std::unexpected(one.error());
  return std::vector{*one};
}

void note_untold_values(const Trace& trace, bool quiet) {
  if (!quiet && trace.meta("what") == "memory")
    report_note(
        "this recording has the values that addresses follow from; record with --what full for "
        "all");
}

std::string more_text(uint64_t rows, const char* of_what) {
  return fmt::format("… {} more {} (use --all)\n", grouped(rows), of_what);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

SourceLine line_of(const Trace& trace, StatementRef ref) {
  const Function& function = trace.functions()[ref.function];
  const uint32_t location = function.statements[ref.statement].location;
  if (location >= function.locations.size()) return {};
  const Location& at = function.locations[location];
  return {at.file < function.files.size() ? std::string_view(function.files[at.file]) : "",
          at.line};
}

Result<std::vector<FunctionCounts>> Listing::profile(const Trace& trace) const {
  if (!counts) return std::vector<FunctionCounts>();
  if (auto has = has_control_flow(trace); !has) return std::unexpected(std::move(has.error()));
  return trace.profile();
}

CLI::Option* add_listing(CommandLine& line, Listing& listing, const std::string& argument,
                         const std::string& help) {
  line.add_trace(listing.file);
  CLI::Option* what = line.app().add_option(argument, listing.what, help)->type_name("");
  line.app().add_flag("--counts", listing.counts, "How often each ran");
  line.app().add_flag("--all", listing.all, "Every row");
  line.add_presentation(listing.presentation, true);
  return what;
}

RowStyle Listing::style(std::string_view count_column) const {
  RowStyle style = style_of(presentation);
  if (!counts) style.without.push_back(count_column);
  return style;
}

void Listing::say_more(Output& out, uint64_t rows, uint64_t shown, const char* of_what) const {
  if (presentation.format() == Format::human && rows > shown)
    out.more(more_text(rows - shown, of_what));
}

}  // namespace vestige::cli
