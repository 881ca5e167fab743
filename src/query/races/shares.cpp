#include "query/races/shares.h"

#include <algorithm>
#include <numeric>

namespace vestige::races {

namespace {

// How many accesses of a run begin below an address.
uint64_t starting_below(const StridedInterval& run, uint64_t address) {
  if (run.start >= address) return 0;
  return run.stride == 0 ? 1 : std::min(run.count, (address - run.start - 1) / run.stride + 1);
}

// Accesses from `begin` up to `end` of a run.
void put(const AccessRun& run, uint64_t begin, uint64_t end, std::vector<AccessRun>& into) {
  if (begin >= end) return;
  AccessRun& part = into.emplace_back(run);
  part.where.start += begin * part.where.stride;
  part.where.count = end - begin;
  if (part.where.count == 1) part.where.stride = 0;
}

}  // namespace

void cut_to(const Share& share, std::vector<AccessRun>& runs) {
  std::vector<AccessRun> cut;
  std::erase_if(runs, [&](const AccessRun& run) {
    if (run.where.start >= share.first && run.where.last() <= share.last) return false;
    const Hits inside = hits(run.where, share.first, share.last);
    const uint64_t over =
        std::clamp(starting_below(run.where, share.first), inside.begin, inside.end);
    put(run, inside.begin, over, cut);
    put(run, over, inside.end, cut);
    return true;
  });
  runs.insert(runs.end(), cut.begin(), cut.end());
}

void RunCounts::add(const AccessRun& run) {
  Page& page = pages_[run.where.start >> kPageBits];
  ++page.runs;
  if (page.cells == nullptr) {
    if (page.runs <= most_ / 16) return;
    page.cells = std::make_unique<Cells>();
    page.cells->fill(0);
  }
  ++(*page.cells)[(run.where.start >> kCellBits) % page.cells->size()];
}

std::vector<Share> RunCounts::shares() const {
  std::vector<uint64_t> numbers;
  for (const auto& [number, page] : pages_) numbers.push_back(number);
  std::ranges::sort(numbers);
  std::vector<Share> shares(1);
  double held = 0;  // by the last one
  const auto add = [&](uint64_t address, double runs) {
    if (held > 0 && held + runs > static_cast<double>(most_)) {
      shares.back().last = address - 1;
      shares.push_back({address, UINT64_MAX});
      held = 0;
    }
    held += runs;
  };
  for (const uint64_t number : numbers) {
    const Page& page = pages_.at(number);
    if (page.cells == nullptr) {
      add(number << kPageBits, static_cast<double>(page.runs));
      continue;
    }
    // Those that came before there were cells lay as the others do.
    const uint64_t counted = std::accumulate(page.cells->begin(), page.cells->end(), uint64_t{0});
    const double each = static_cast<double>(page.runs) / static_cast<double>(counted);
    for (size_t cell = 0; cell < page.cells->size(); ++cell)
      if ((*page.cells)[cell] != 0)
        add((number << kPageBits) + (cell << kCellBits),
            each * static_cast<double>((*page.cells)[cell]));
  }
  return shares;
}

}  // namespace vestige::races
