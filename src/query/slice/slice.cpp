#include "vestige/slice.h"

#include <algorithm>
#include <filesystem>

#include "query/dependences/dependences.h"
#include "query/slice/backward.h"
#include "query/slice/forward.h"
#include "query/slice/member_values.h"
#include "vestige/dependences.h"

namespace vestige {

namespace {

// In the order executed. Those of one path were found in that order, or backwards in the opposite
// one.
void sort_members(bool forward, const Interleaving& interleaving,
                  std::vector<SliceInstance>& members) {
  std::vector<uint64_t> orders;
  orders.reserve(members.size());
  for (const SliceInstance& member : members)
    orders.push_back(interleaving.order(member.thread, member.time));
  std::vector<uint32_t> order(members.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    if (orders[a] != orders[b]) return orders[a] < orders[b];
    return forward ? a < b : a > b;
  });
  std::vector<uint32_t> place(members.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<SliceInstance> sorted;
  sorted.reserve(members.size());
  for (const uint32_t i : order) {
    sorted.push_back(members[i]);
    if (sorted.back().of != kNone) sorted.back().of = place[sorted.back().of];
  }
  members = std::move(sorted);
}

}  // namespace

struct Slicer::State {
  const Trace& trace;
  Windows windows;
  DependenceReader dependences;
  const CallNames names;

  Result<Slice> slice(const CriterionPlace& place, const SliceOptions& options) const {
    const SliceGround ground{trace, names, dependences};
    SliceMembers members(trace, options);
    const auto made = options.forward ? slice_forwards(ground, options, place, members)
                                      : slice_backwards(ground, options, place, members);
    if (!made) return std::unexpected(made.error());
    Slice slice;
    slice.thread = place.thread;
    members.finish(slice);
    if (options.instances) {
      sort_members(options.forward, dependences.order(), slice.instances);
      if (auto added = add_values(trace, windows, options.forward, slice); !added)
        return std::unexpected(std::move(added.error()));
      for (const SliceInstance& member : slice.instances)
        if (member.reason == SliceReason::criterion) slice.criterion = member;
    }
    slice.criterion.statement = options.statement;
    slice.criterion.thread = place.thread;
    slice.criterion.time = place.time;
    slice.criterion.instance = place.instance;
    return slice;
  }
};

Slicer::Slicer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Slicer::Slicer(Slicer&&) noexcept = default;
Slicer::~Slicer() = default;

Result<Slicer> Slicer::open(const Trace& trace) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  auto dependences = open_dependences(trace);
  if (!dependences) return std::unexpected(std::move(dependences.error()));
  return Slicer(std::unique_ptr<State>(
      new State{trace, std::move(*windows), std::move(*dependences), CallNames(trace)}));
}

Result<Slice> Slicer::slice(const SliceOptions& options) {
  const auto place = find_criterion(state_->trace, state_->windows, options);
  if (!place) return std::unexpected(place.error());
  auto found = state_->slice(*place, options);
  if (found || found.error().kind != ErrorKind::corrupt || state_->dependences.file().empty())
    return found;
  // A file that is damaged goes, and what it said is made again.
  std::error_code ignored;
  std::filesystem::remove(state_->dependences.file(), ignored);
  (void)build_dependences(state_->trace);  // where it cannot be written it is made in memory
  auto dependences = open_dependences(state_->trace);
  if (!dependences) return std::unexpected(std::move(dependences.error()));
  state_->dependences = std::move(*dependences);
  return state_->slice(*place, options);
}

Result<Slice> slice(const Trace& trace, const SliceOptions& options) {
  auto slicer = Slicer::open(trace);
  if (!slicer) return std::unexpected(std::move(slicer.error()));
  return slicer->slice(options);
}

}  // namespace vestige
