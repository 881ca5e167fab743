#include "query/dependences/path_shape.h"
#include "query/row_source.h"
#include "trace/told.h"
#include "vestige/dependences.h"
#include "vestige/values.h"

namespace vestige {

namespace {

bool overlap(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length) {
  return a <= b ? b - a < a_length : a - b < b_length;
}

// All that may write, calls of memory intrinsics included.
std::vector<StatementRef> writing_statements(const Trace& trace) {
  std::vector<StatementRef> found = all_addresses(trace);
  std::erase_if(found, [&](const StatementRef& s) {
    return trace.functions()[s.function].statements[s.statement].op == Op::load;
  });
  return found;
}

}  // namespace

Result<std::vector<MemoryWrite>> writes_to(const Trace& trace, uint64_t address, uint64_t bytes,
                                           uint64_t most) {
  const auto threads = threads_told(trace);
  if (!threads) return std::unexpected(threads.error());
  const auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(windows.error());
  const StatementSet set(trace, writing_statements(trace));
  std::vector<MemoryWrite> found;
  std::vector<uint64_t> executed(set.bits().size());
  for (const uint32_t thread : *threads) {
    executed.assign(executed.size(), 0);
    auto source = open_rows(trace, *windows, set, {.thread = thread});
    if (!source) return std::unexpected(std::move(source.error()));
    std::vector<Observation> rows;
    while (found.size() < most) {
      rows.clear();
      const auto read = (*source)->read(rows);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
      for (const Observation& row : rows) {
        const Function& function = trace.functions()[row.function];
        const uint64_t instance = ++executed[uint64_t{function.first_statement} + row.statement];
        const uint64_t length =
            row.has_length ? row.length : referred_bytes(function, row.statement);
        if (!row.has_address || length == 0 || !overlap(row.address, length, address, bytes))
          continue;
        MemoryWrite& write = found.emplace_back();
        write.thread = thread;
        write.statement = {row.function, row.statement};
        write.time = row.time;
        write.instance = instance;
        write.address = row.address;
        write.bytes = length;
        if (row.has_value) write.value = row.value;
      }
    }
  }
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace vestige
