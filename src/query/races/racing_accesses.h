// Every execution of the statements that race, and which of them race with which.
//
// A *site* is all executions of one access (access_runs.h), in one strand, of the same bytes, that
// race with the same others. Sites are numbered by access, strand and address; those of one place
// follow each other as the strand ran them. So what a site races with is a few ranges of sites, and
// what had a say in something is, too.
//
// The executions are evaluated once, those statements alone. Memory: 24 bytes an execution, some
// hundred a site; kMost of both at most.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "query/races/access_runs.h"
#include "query/races/cause_sets.h"

namespace vestige::races {

// Where in its strand something is executed: the segment, then which of its thread's executions.
struct StrandPosition {
  uint32_t segment = 0, number = 0;
  auto operator<=>(const StrandPosition&) const = default;
};

struct Site {
  Access access;
  uint32_t strand = 0;
  uint64_t first = 0, last = 0;  // addresses, both included
  StrandPosition earliest;       // of a site that races with none: meaningless
  // The same access of the same strand to the same bytes.
  bool same_place(const Site& other) const {
    return access == other.access && strand == other.strand && first == other.first &&
           last == other.last;
  }
};

// One execution that races. One that reads and writes (memcpy) comes twice, as a reader first.
struct RacingExecution {
  uint64_t time = 0;
  uint32_t statement = 0;  // of its path's function
  uint32_t site = 0;
  StrandPosition position;
};

class RacingAccesses {
 public:
  static constexpr size_t kMostExecutions = size_t{1} << 22, kMostPartners = size_t{1} << 23;

  // Of these accesses. Nothing: there are too many of them.
  static Result<std::optional<RacingAccesses>> read(const Trace& trace, const Windows& windows,
                                                    const HappensBefore& order,
                                                    const std::set<Access>& accesses);

  const std::vector<Site>& sites() const { return sites_; }
  // Those whose executions race with this site's, in no order.
  std::span<const SiteRange> partners(uint32_t site) const {
    return std::span(partners_).subspan(first_partner_[site],
                                        first_partner_[site + 1] - first_partner_[site]);
  }
  // Of a thread, as it executed them.
  const std::vector<RacingExecution>& of(uint32_t thread) const { return executions_[thread]; }

 private:
  class Maker;

  std::vector<Site> sites_;
  std::vector<SiteRange> partners_;
  std::vector<size_t> first_partner_;                     // by site, and one behind the last
  std::vector<std::vector<RacingExecution>> executions_;  // by thread
};

}  // namespace vestige::races
