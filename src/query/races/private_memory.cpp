// Shared told from private memory, in pages: a run stays when one of its pages is touched by two
// strands and written by one of them. Stacks and the arenas of threads go here.
#include <algorithm>
#include <unordered_map>

#include "query/races/access_runs.h"

namespace vestige::races {

namespace {

constexpr uint32_t kPageBits = 14;

struct Page {
  uint32_t strand = kNone;
  bool shared = false, written = false;
};

// Calls visit(page) for the pages of a run until it says no.
template <class Visit>
bool each_page(const StridedInterval& run, const Visit& visit) {
  const uint64_t pages = (run.last() >> kPageBits) - (run.start >> kPageBits) + 1;
  if (pages <= run.count + 1) {
    for (uint64_t i = 0; i < pages; ++i)
      if (!visit((run.start >> kPageBits) + i)) return false;
    return true;
  }
  for (uint64_t i = 0; i < run.count; ++i) {
    const uint64_t address = run.start + i * run.stride;
    for (uint64_t page = address >> kPageBits; page <= (address + (run.bytes - 1)) >> kPageBits;
         ++page)
      if (!visit(page)) return false;
  }
  return true;
}

}  // namespace

void drop_private(const Trace& trace, const HappensBefore& order,
                  std::vector<ThreadRuns>& strands) {
  std::vector<std::unordered_map<uint64_t, Page>> pages(trace.processes().size());
  for (uint32_t t = 0; t < strands.size(); ++t) {
    auto& mine = pages[order.process(t)];
    for (const AccessRun& run : strands[t].runs) {
      each_page(run.where, [&](uint64_t number) {
        Page& page = mine[number];
        if (page.strand == kNone) page.strand = t;
        page.shared |= page.strand != t;
        page.written |= run.access.writes;
        return true;
      });
    }
  }
  for (uint32_t t = 0; t < strands.size(); ++t) {
    const auto& mine = pages[order.process(t)];
    std::erase_if(strands[t].runs, [&](const AccessRun& run) {
      return each_page(run.where, [&](uint64_t number) {
        const Page& page = mine.at(number);
        return !page.shared || !page.written;
      });
    });
    strands[t].runs.shrink_to_fit();
  }
}

}  // namespace vestige::races
