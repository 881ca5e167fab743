#include <map>

#include "query/dependences/path_shape.h"
#include "query/rows/row_source.h"
#include "trace/told/told.h"
#include "vestige/dependences.h"
#include "vestige/values.h"

namespace vestige {

namespace {

bool overlap(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length) {
  return a <= b ? b - a < a_length : a - b < b_length;
}

// All that may write, calls of memory intrinsics and library functions included.
std::vector<StatementRef> writing_statements(const Trace& trace) {
  std::vector<StatementRef> found = all_addresses(trace);
  std::erase_if(found, [&](const StatementRef& s) {
    return trace.functions()[s.function].statements[s.statement].op == Op::load;
  });
  for (const StatementRef& s : all_library_calls(trace)) found.push_back(s);
  return found;
}

// The writes of one thread.
class ThreadWrites {
 public:
  ThreadWrites(const Trace& trace, const StatementSet& set, uint32_t thread, uint64_t address,
               uint64_t bytes, std::vector<MemoryWrite>& found)
      : trace_(trace),
        set_(set),
        thread_(thread),
        address_(address),
        bytes_(bytes),
        found_(found),
        executed_(set.bits().size()) {}

  Result<void> find(const Windows& windows, uint64_t most) {
    auto source = open_rows(trace_, windows, set_, {.thread = thread_, .transfers = &transfers_});
    if (!source) return std::unexpected(std::move(source.error()));
    std::vector<Observation> rows;
    while (found_.size() < most) {
      rows.clear();
      const auto read = (*source)->read(rows);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
      for (const Transfer& t : transfers_)
        if (t.has_to && t.has_length && overlap(t.to, t.length, address_, bytes_))
          called_.emplace(t.call_time, t);
      transfers_.clear();
      for (const Observation& row : rows) take(row);
    }
    return {};
  }

 private:
  void take(const Observation& row) {
    const Function& function = trace_.functions()[row.function];
    const uint64_t instance = ++executed_[uint64_t{function.first_statement} + row.statement];
    if (!has_address(function, row.statement)) {
      // A library call. Its row comes when it is back, so what it wrote was seen.
      const auto [first, last] = called_.equal_range(row.time);
      for (auto at = first; at != last; ++at) add(row, instance, at->second.to, at->second.length);
      called_.erase(first, last);
      return;
    }
    const uint64_t length = row.has_length ? row.length : referred_bytes(function, row.statement);
    if (row.has_address && length > 0 && overlap(row.address, length, address_, bytes_))
      add(row, instance, row.address, length);
  }
  void add(const Observation& row, uint64_t instance, uint64_t address, uint64_t length) {
    MemoryWrite& write = found_.emplace_back();
    write.thread = thread_;
    write.statement = {row.function, row.statement};
    write.time = row.time;
    write.instance = instance;
    write.address = address;
    write.bytes = length;
    if (row.has_value && has_address(trace_.functions()[row.function], row.statement))
      write.value = row.value;
  }

  const Trace& trace_;
  const StatementSet& set_;
  const uint32_t thread_;
  const uint64_t address_, bytes_;
  std::vector<MemoryWrite>& found_;
  std::vector<uint64_t> executed_;
  std::vector<Transfer> transfers_;
  std::multimap<uint64_t, Transfer> called_;  // by the time of the call
};

}  // namespace

Result<std::vector<MemoryWrite>> writes_to(const Trace& trace, uint64_t address, uint64_t bytes,
                                           uint64_t most) {
  const auto threads = threads_told(trace);
  if (!threads) return std::unexpected(threads.error());
  const auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(windows.error());
  const StatementSet set(trace, writing_statements(trace));
  std::vector<MemoryWrite> found;
  for (const uint32_t thread : *threads) {
    ThreadWrites writes(trace, set, thread, address, bytes, found);
    if (auto done = writes.find(*windows, most); !done)
      return std::unexpected(std::move(done.error()));
  }
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace vestige
