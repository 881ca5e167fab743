#include "query/races/artifacts.h"

#include <algorithm>
#include <map>

#include "query/races/address_slice.h"

namespace vestige::races {

namespace {

struct End {
  const RaceAccess* access;
  const RaceSide* side;
};

class Marking {
 public:
  Marking(const Trace& trace, std::vector<Race>& races)
      : trace_(trace), races_(races), slices_(trace) {}

  void mark() {
    for (size_t k = 0; k < races_.size(); ++k) {
      for (size_t p = 0; p < races_.size() && !races_[k].artifact_of; ++p)
        if (p != k && !follows(p, k) && controls(races_[p], races_[k])) races_[k].artifact_of = p;
    }
  }

 private:
  // Whether p is an artifact of k, over any number of others.
  bool follows(size_t p, size_t k) const {
    for (size_t steps = 0; steps <= races_.size() && races_[p].artifact_of; ++steps) {
      p = *races_[p].artifact_of;
      if (p == k) return true;
    }
    return false;
  }

  bool controls(const Race& cause, const Race& race) {
    const End a{&cause.a, &cause.side_a}, b{&cause.b, &cause.side_b};
    const End c{&race.a, &race.side_a}, d{&race.b, &race.side_b};
    return (controls(a, b, c) && controls(a, b, d)) || (controls(b, a, c) && controls(b, a, d));
  }

  // Whether `writer`, whose race is with `reader`, event-controls the access.
  bool controls(const End& writer, const End& reader, const End& access) {
    if (precedes(writer, access)) return true;
    return writer.access->writes && uses(*access.access, *reader.access);
  }

  bool uses(const RaceAccess& access, const RaceAccess& reader) {
    const uint64_t id = statement_id(trace_, access.statement);
    auto known = loads_.find(id);
    if (known == loads_.end()) known = loads_.emplace(id, slices_.loads(access.statement)).first;
    return known->second.contains(statement_id(trace_, reader.statement));
  }

  bool precedes(const End& first, const End& then) const {
    if (first.side->thread != then.side->thread || first.side->strand != then.side->strand)
      return false;
    if (first.side->time != then.side->time) return first.side->time < then.side->time;
    // One path: in the order of its segments.
    auto cursor = trace_.walk(first.side->thread);
    if (!cursor || !cursor->seek(first.side->time)) return false;
    const Function& function = trace_.functions()[cursor->function()];
    for (const uint32_t number : cursor->path().segments) {
      const vestige::Segment& segment = function.segments[number];
      const auto within = [&](const End& end) {
        return end.access->statement.statement - segment.first_statement < segment.statement_count;
      };
      if (within(first))
        return !within(then) ||
               first.access->statement.statement < then.access->statement.statement;
      if (within(then)) return false;
    }
    return false;
  }

  const Trace& trace_;
  std::vector<Race>& races_;
  const AddressSlices slices_;
  std::map<uint64_t, std::set<uint64_t>> loads_;  // by #ID of the access
};

}  // namespace

void mark_artifacts(const Trace& trace, std::vector<Race>& races) {
  if (races.size() > 1) Marking(trace, races).mark();
}

}  // namespace vestige::races
