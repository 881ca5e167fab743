// check_tiers TRACE: what the tiers of a recorded program are measured from, against plain counts
// that other queries give. 1 when they differ.
#include <cstdio>
#include <map>
#include <set>

#include "query/rows/row_source.h"
#include "vestige/query.h"
#include "vestige/tiers.h"
#include "vestige/values.h"

namespace vestige {
namespace {

int failed(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 3;
}

int wrong = 0;
void same(const char* what, uint64_t measured, uint64_t plain) {
  std::printf("%-22s %12lu\n", what, measured);
  if (measured == plain) return;
  std::printf("  plainly %lu\n", plain);
  ++wrong;
}

uint32_t value_bytes(const Trace& trace, StatementRef ref) {
  const Function& function = trace.functions()[ref.function];
  if (function.statements[ref.statement].op == Op::store) return 0;
  return (value_type(function, ref.statement).bits + 7) / 8;
}

// Bytes of memory with who wrote them, byte by byte: of a thread, with what library functions did.
// A load that finds another value than was last seen shows that someone else wrote.
class PlainMemory {
 public:
  uint64_t count = 0;

  void access(const Function& function, const Observation& row) {
    const Op op = function.statements[row.statement].op;
    const uint64_t bytes = row.has_length ? row.length : access_bytes(function, row.statement);
    ++executions_;
    const bool known = row.has_value && bytes <= 8 && !row.has_length;
    if (op == Op::call ? row.has_source : op != Op::store && row.has_address) {
      const uint64_t from = op == Op::call ? row.source : row.address;
      for (uint64_t i = 0; op != Op::call && known && i < bytes; ++i) {
        Byte& byte = bytes_[from + i];
        const auto value = static_cast<uint8_t>(row.value >> (8 * i));
        if (byte.seen && byte.value != value) byte.writer = 0;
        if (op == Op::load) byte.seen = true, byte.value = value;
      }
      read(from, bytes);
    }
    if (op == Op::load || !row.has_address) return;
    for (uint64_t i = 0; i < bytes; ++i)
      bytes_[row.address + i] = {executions_, op == Op::store && known,
                                 static_cast<uint8_t>(row.value >> (8 * (i & 7)))};
  }
  void call(std::span<const Transfer> transfers) {
    for (const Transfer& t : transfers)
      if (t.has_from && t.has_length &&
          (t.kind == LibraryRange::Kind::read || (t.kind == LibraryRange::Kind::copy && t.has_to)))
        read(t.from, t.length);
    for (const Transfer& t : transfers) {
      ++executions_;
      for (uint64_t i = 0; t.has_to && t.has_length && i < t.length; ++i)
        bytes_[t.to + i] = {executions_, false, 0};
    }
  }

 private:
  struct Byte {
    uint64_t writer = 0;  // 0: nobody
    bool seen = false;
    uint8_t value = 0;
  };
  void read(uint64_t address, uint64_t bytes) {
    uint64_t last = 0;
    for (uint64_t i = 0; i < bytes; ++i) {
      const auto found = bytes_.find(address + i);
      const uint64_t writer = found == bytes_.end() ? 0 : found->second.writer;
      count += writer != last && writer != 0;
      last = writer;
    }
  }
  std::map<uint64_t, Byte> bytes_;
  uint64_t executions_ = 0;
};

Result<uint64_t> memory_dependences(const Trace& trace) {
  const auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(windows.error());
  const StatementSet set(trace, all_addresses(trace));
  uint64_t count = 0;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (windows->of(thread).empty()) continue;
    std::vector<Observation> rows;
    std::vector<Transfer> transfers;
    auto source = open_rows(trace, *windows, set, {.thread = thread, .transfers = &transfers});
    if (!source) return std::unexpected(std::move(source.error()));
    for (bool more = true; more;) {
      const auto read = (*source)->read(rows);
      if (!read) return std::unexpected(read.error());
      more = *read;
    }
    PlainMemory memory;
    size_t at = 0;
    const auto call_before = [&](uint64_t time) {
      while (at < transfers.size() && transfers[at].time <= time) {
        size_t end = at;
        while (end < transfers.size() && transfers[end].time == transfers[at].time) ++end;
        memory.call(std::span(transfers).subspan(at, end - at));
        at = end;
      }
    };
    for (const Observation& row : rows) {
      call_before(row.time);
      memory.access(trace.functions()[row.function], row);
    }
    call_before(UINT64_MAX);
    count += memory.count;
  }
  return count;
}

int check(const Trace& trace) {
  const auto report = measure_tiers(trace);
  if (!report) return failed(report.error());
  const auto counts = trace.counts();
  if (!counts) return failed(counts.error());
  uint64_t values = 0;
  const auto profile = trace.profile();
  if (!profile) return failed(profile.error());
  for (const StatementRef& ref : all_values(trace))
    values += value_bytes(trace, ref) * (*profile)[ref.function].statements[ref.statement];
  std::set<std::pair<uint32_t, uint32_t>> nodes;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    auto cursor = trace.walk(t);
    if (!cursor) return failed(cursor.error());
    while (cursor->next()) nodes.emplace(t, cursor->path().id);
  }
  const auto memory = memory_dependences(trace);
  if (!memory) return failed(memory.error());
  same("statements", report->statements, counts->statements);
  same("paths", report->paths, counts->paths);
  same("nodes", report->nodes, nodes.size());
  same("times, original", report->times.original, 4 * counts->statements);
  same("times, tier 1", report->times.tier1, 4 * counts->paths);
  same("values, original", report->values.original, values);
  same("edges, original", report->edges.original, 8 * report->dependences);
  same("edges, tier 1", report->edges.tier1,
       8 * (report->dependences - report->inferred - report->shared));
  same("memory dependences", report->memory_dependences, *memory);
  for (const TierSizes& sizes : {report->times, report->values, report->edges})
    if (sizes.tier1 > sizes.original) std::printf("tier 1 is no smaller\n"), ++wrong;

  // With little memory, streams are cut, and nothing else changes.
  TierOptions tight;
  tight.most_memory = 1 << 16;
  const auto cut = measure_tiers(trace, tight);
  if (!cut) return failed(cut.error());
  same("paths, cut", cut->paths, report->paths);
  same("values, cut", cut->values.original, report->values.original);
  if (cut->values.tier2 < report->values.tier2 / 2)
    std::printf("cut streams are too small\n"), ++wrong;
  if (counts->paths > 8192 && cut->segments < 2) std::printf("nothing was cut\n"), ++wrong;
  return wrong > 0;
}

}  // namespace
}  // namespace vestige

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto trace = vestige::Trace::open(argv[1]);
  return trace ? vestige::check(*trace) : vestige::failed(trace.error());
}
