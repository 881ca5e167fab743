#include "vestige/slice.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "query/dependences/dependences.h"
#include "query/slice/backward.h"
#include "query/slice/forward.h"
#include "query/slice/kept_slices.h"
#include "query/slice/member_table.h"
#include "vestige/dependences.h"

namespace vestige {

namespace {

// A slice that was made in this time is made again when it is asked for again.
constexpr std::chrono::milliseconds kSoon(30);

// The members as a list, with `of` a place in it.
std::vector<SliceInstance> listed(MemberTable& members) {
  MemberOrder& order = members.order();
  std::vector<uint32_t> place(members.size());
  for (uint32_t i = 0; i < place.size(); ++i) place[order.at(i)] = i;
  std::vector<SliceInstance> list;
  list.reserve(place.size());
  for (uint32_t i = 0; i < place.size(); ++i) {
    list.push_back(members.at(order.at(i)));
    if (list.back().of != kNone) list.back().of = place[list.back().of];
  }
  return list;
}

void set_criterion(Slice& slice, const CriterionPlace& place, const SliceOptions& options) {
  slice.thread = place.thread;
  slice.criterion.statement = options.statement;
  slice.criterion.thread = place.thread;
  slice.criterion.time = place.time;
  slice.criterion.instance = place.instance;
}

void show(const SliceVisitor& visit, const Slice& slice, MemberTable& members) {
  for (uint64_t i = 0; i < members.size(); ++i) {
    SliceInstance member = members.at(members.order().at(i));
    const bool has = member.of != kNone;
    SliceInstance of;
    if (has) of = members.at(std::exchange(member.of, kNone));
    of.of = kNone;
    if (!visit(slice, member, has ? &of : nullptr)) return;
  }
}

}  // namespace

struct Slicer::State {
  const Trace& trace;
  Windows windows;
  DependenceReader dependences;
  const CallNames names;

  // Takes one that was made before and took long.
  Result<Slice> summary(const CriterionPlace& place, const SliceOptions& options) const {
    const SliceKey key = key_of(trace, options, place);
    auto made = find_kept(trace, key);
    if (!made) {
      const auto start = std::chrono::steady_clock::now();
      auto found = slice(place, options, nullptr);
      if (!found) return found;
      if (std::chrono::steady_clock::now() - start > kSoon) keep(trace, key, *found);
      made = std::move(*found);
    }
    set_criterion(*made, place, options);
    return std::move(*made);
  }

  // With a visitor the members are shown, and not kept.
  Result<Slice> slice(const CriterionPlace& place, const SliceOptions& options,
                      const SliceVisitor& visit) const {
    const SliceGround ground{trace, names, dependences};
    if (options.instances && trace.threads().size() > kMostMemberThreads)
      return fail(ErrorKind::unsupported, trace.file() + ": too many threads for lists of members");
    SliceMembers members(trace, options);
    const auto made = options.forward ? slice_forwards(ground, options, place, members)
                                      : slice_backwards(ground, options, place, members);
    if (!made) return std::unexpected(made.error());
    Slice slice;
    members.finish(slice);
    if (!options.instances) return slice;
    set_criterion(slice, place, options);
    MemberTable table(ground, options.forward, members);
    if (options.values)
      if (auto read = table.read_values(windows, slice.statements); !read)
        return std::unexpected(std::move(read.error()));
    if (const uint32_t criterion = table.criterion(); criterion != kNone) {
      slice.criterion = table.at(criterion);
      slice.criterion.instance = place.instance;
    }
    if (visit)
      show(visit, slice, table);
    else
      slice.instances = listed(table);
    if (table.failed())
      return fail(ErrorKind::io, "the temporary file of the slice's members cannot be read");
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

Result<Slice> Slicer::slice(const SliceOptions& options) { return each(options, nullptr); }

Result<Slice> Slicer::each(SliceOptions options, const SliceVisitor& visit) {
  options.instances |= static_cast<bool>(visit);
  // What is not gone on from has this depth; kNone would be no member at all.
  if (options.through) options.depth = std::min(options.depth, kNone - 1);
  const auto place = find_criterion(state_->trace, state_->windows, options);
  if (!place) return std::unexpected(place.error());
  const auto make = [&] {
    return options.instances ? state_->slice(*place, options, visit)
                             : state_->summary(*place, options);
  };
  auto found = make();
  if (found || found.error().kind != ErrorKind::corrupt || state_->dependences.file().empty())
    return found;
  // A file that is damaged goes, and what it said is made again.
  std::error_code ignored;
  std::filesystem::remove(state_->dependences.file(), ignored);
  (void)build_dependences(state_->trace);  // where it cannot be written it is made in memory
  auto dependences = open_dependences(state_->trace);
  if (!dependences) return std::unexpected(std::move(dependences.error()));
  state_->dependences = std::move(*dependences);
  return make();
}

Result<Slice> slice(const Trace& trace, const SliceOptions& options) {
  auto slicer = Slicer::open(trace);
  if (!slicer) return std::unexpected(std::move(slicer.error()));
  return slicer->slice(options);
}

Result<Slice> slice_each(const Trace& trace, const SliceOptions& options,
                         const SliceVisitor& visit) {
  auto slicer = Slicer::open(trace);
  if (!slicer) return std::unexpected(std::move(slicer.error()));
  return slicer->each(options, visit);
}

}  // namespace vestige
