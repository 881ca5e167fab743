// check_tiers TRACE: what the tiers of a recorded program are measured from, against plain counts
// that other queries give. 1 when they differ.
#include <cstdio>
#include <map>
#include <set>

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

// Bytes of memory with who wrote them: thread by thread, a copy reads before it writes.
Result<uint64_t> memory_dependences(const Trace& trace) {
  uint64_t count = 0, executions = 0;
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> writers;  // #ID and execution, by address
  uint32_t thread = kNone;
  const auto unknown = read_references(trace, std::nullopt, [&](const Reference& reference) {
    if (reference.thread != thread) writers.clear();
    thread = reference.thread;
    ++executions;
    if (reference.kind != Reference::Kind::write) {
      std::pair<uint64_t, uint64_t> last;
      for (uint64_t i = 0; i < reference.bytes; ++i) {
        const auto writer = writers.find(reference.address + i);
        const auto who = writer == writers.end() ? std::pair<uint64_t, uint64_t>() : writer->second;
        count += who != last && who.second != 0;
        last = who;
      }
    }
    if (reference.kind != Reference::Kind::read)
      for (uint64_t i = 0; i < reference.bytes; ++i)
        writers[reference.address + i] = {reference.statement_id, executions};
    return true;
  });
  if (!unknown) return std::unexpected(unknown.error());
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
