// vestige writers: who wrote an address, or what an execution read.
#include <optional>

#include "commands.h"
#include "indexing.h"
#include "report.h"
#include "rows/memory_rows.h"
#include "slice_criterion.h"
#include "trace_query.h"
#include "vestige/dependences.h"

namespace vestige::cli {

namespace {

// 1000 or 0x3e8.
std::optional<uint64_t> parse_address(std::string_view text) {
  return text.starts_with("0x") ? parse_number(text.substr(2), 16) : parse_number(text);
}

}  // namespace

int command_writers(Arguments arguments) {
  CommandLine line("writers",
                   "Every execution that wrote an address, or that wrote what an execution read.",
                   "vestige writers bzip2.vst --address 0x7ffc01234560");
  std::string file, at, thread, address;
  uint64_t bytes = 1;
  bool all = false;
  Presentation presentation;
  line.add_trace(file);
  auto* at_option = line.app()
                        .add_option("--at", at, "What this execution read")
                        ->type_name("STATEMENT[@INSTANCE]");
  line.app()
      .add_option("--address", address, "An address, in decimal or with 0x")
      ->type_name("A")
      ->excludes(at_option);
  line.app()
      .add_option("--bytes", bytes, "How many bytes from there on; 1 unless told")
      ->type_name("N");
  line.app()
      .add_option("--thread", thread, "With --at, of this thread: RANK.THREAD or a number")
      ->type_name("N");
  line.app().add_flag("--all", all, "All rows, not only the first ones");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  const std::optional<uint64_t> number = parse_address(address);
  if (address.empty() == at.empty() || (!address.empty() && !number) || bytes == 0) {
    report_error("say either --at STATEMENT[@INSTANCE] or --address NUMBER");
    return kWrongUse;
  }
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  MemoryRows rows(*trace, presentation, all);
  if (number) {
    index_for_query(*trace, presentation);
    const auto found = writes_to(*trace, *number, bytes);
    if (!found) return report_slice(found.error());
    for (const MemoryWrite& write : *found) {
      SliceInstance row;
      row.thread = write.thread;
      row.statement = write.statement;
      row.time = write.time;
      row.instance = write.instance;
      row.value = write.value;
      row.address = write.address;
      row.reason = SliceReason::memory;
      rows.add(row);
    }
  } else {
    auto options = parse_criterion(*trace, at, thread);
    if (!options) return report_name(options.error());
    options->memory_only = options->instances = true;
    options->depth = 1;
    dependences_for_query(*trace, presentation);
    const auto found = slice(*trace, *options);
    if (!found) return report_slice(found.error());
    rows.add(*found);
  }
  rows.print();
  return kDone;
}

}  // namespace vestige::cli
