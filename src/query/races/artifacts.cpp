#include "query/races/artifacts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "query/dependences/dependences.h"
#include "query/races/event_control.h"
#include "vestige/dependences.h"

namespace vestige::races {

namespace {

constexpr uint64_t kMostPairs = uint64_t{1} << 24;  // of sites, looked at
constexpr size_t kMostLater = size_t{1} << 21;      // of those, that are not first
constexpr uint64_t kMostSteps = uint64_t{1} << 28;

// One side of a race: executions of a site that were chosen by the same causes.
struct Side {
  uint32_t site = 0;
  ChosenBy chosen;
};

// A race between two sites.
struct SitePair {
  size_t race = 0;  // RaceReport::races
  Side side[2];
};

// Which of the executions of a side: what comes before none of them, or before one.
enum class Which : uint8_t { earliest, latest };

class Marking {
 public:
  Marking(const RacesFound& found, std::vector<Race>& races) : found_(found), races_(races) {
    for (size_t i = 0; i < races.size(); ++i)
      numbers_[key(access(races[i].a), access(races[i].b))] = i;
  }

  Result<std::string> mark() {
    if (found_.accesses > RacingAccesses::kMostExecutions) return too_much();
    std::set<Access> accesses;
    for (const auto& [pair, count] : found_.pairs) accesses.insert({pair.a, pair.b});
    auto racing = RacingAccesses::read(found_.trace, found_.windows, found_.order, accesses);
    if (!racing) return std::unexpected(std::move(racing.error()));
    if (!*racing) return too_much();
    racing_ = &**racing;
    if (none_is_chosen()) return {};
    (void)ensure_dependences(found_.trace);
    count_races();
    first_.resize(races_.size());
    // First with the earliest causes only, which most often is enough.
    for (const bool all_causes : {false, true}) {
      auto chosen = choose(all_causes);
      if (!chosen) return "the dependences are not known: " + chosen.error().message;
      if (!*chosen) return too_much();
      chosen_ = std::move(**chosen);
      if (all_causes ? !sort_pairs() : !find_first()) return too_much();
      if (std::ranges::all_of(first_, [](bool is) { return is; })) return {};
    }
    if (!join_races()) return too_much();
    follow();
    return {};
  }

 private:
  static std::string too_much() {
    return "too many accesses race, or depend on others that do, to find out which races are "
           "artifacts";
  }
  static PairKey key(const Access& a, const Access& b) {
    return a <= b ? PairKey{a, b} : PairKey{b, a};
  }
  Access access(const RaceAccess& one) const {
    return {static_cast<uint32_t>(statement_id(found_.trace, one.statement)), one.writes,
            one.atomic};
  }

  // What chose each racing access. Nothing: that is too much.
  Result<std::optional<Chosen>> choose(bool all_causes) {
    const CallNames names(found_.trace);
    for (bool again = false;; again = true) {
      const auto dependences = open_dependences(found_.trace);
      if (!dependences) return std::unexpected(dependences.error());
      sets_ =
          std::make_unique<CauseSets>(all_causes ? std::nullopt : std::optional(strand_order()));
      auto chosen = event_control({found_.trace, names, *dependences}, *racing_, *sets_);
      if (chosen || again || chosen.error().kind != ErrorKind::corrupt ||
          dependences->file().empty())
        return chosen;
      // A file that is damaged goes, and what it said is made again.
      std::error_code ignored;
      std::filesystem::remove(dependences->file(), ignored);
    }
  }

  // What is chosen by a race comes behind a read that races. Whether of every race that is reported
  // some execution has no such read before it, on either side.
  bool none_is_chosen() const {
    std::vector<std::optional<StrandPosition>> reads(found_.order.strands());
    for (uint32_t s = 0; s < racing_->sites().size(); ++s) {
      const Site& site = racing_->sites()[s];
      // An atomic write may be an exchange.
      if (site.access.writes && !site.access.atomic) continue;
      if (racing_->partners(s).empty()) continue;
      auto& first = reads[site.strand];
      if (!first || site.earliest < *first) first = site.earliest;
    }
    std::vector<bool> settled(races_.size());
    uint64_t looked = 0;
    for (uint32_t s = 0; s < racing_->sites().size(); ++s) {
      if (racing_->partners(s).empty() || behind(s, reads)) continue;
      for (const SiteRange& range : racing_->partners(s)) {
        const auto known = number(s, range.first);
        if (!known || settled[*known]) continue;
        for (uint32_t other = range.first; other < range.end && !settled[*known]; ++other) {
          if (++looked > kMostPairs) return false;
          settled[*known] = !behind(other, reads);
        }
      }
    }
    return std::ranges::all_of(settled, [](bool is) { return is; });
  }
  // Whether one of these happened before the site's first execution.
  bool behind(uint32_t number, const std::vector<std::optional<StrandPosition>>& reads) const {
    const Site& site = racing_->sites()[number];
    const Clock& clock = found_.order.of(site.strand).clock(site.earliest.segment);
    for (uint32_t strand = 0; strand < reads.size(); ++strand) {
      if (!reads[strand] || found_.order.process(strand) != found_.order.process(site.strand))
        continue;
      if (strand == site.strand
              ? *reads[strand] < site.earliest
              : found_.order.of(strand).segments[reads[strand]->segment].own <= clock.of(strand))
        return true;
    }
    return false;
  }

  // The race that two sites have; none when it is not reported.
  std::optional<size_t> number(uint32_t a, uint32_t b) const {
    const auto known = numbers_.find(key(racing_->sites()[a].access, racing_->sites()[b].access));
    if (known == numbers_.end()) return std::nullopt;
    return known->second;
  }

  // Which races the sites that write have, and where their places end.
  void count_races() {
    const std::vector<Site>& sites = racing_->sites();
    races_of_.resize(sites.size());
    place_end_.resize(sites.size());
    for (uint32_t s = static_cast<uint32_t>(sites.size()); s-- > 0;) {
      const bool goes_on = s + 1 < sites.size() && sites[s].same_place(sites[s + 1]);
      place_end_[s] = goes_on ? place_end_[s + 1] : s + 1;
      if (!sites[s].access.writes) continue;
      std::set<size_t> all;
      for (const SiteRange& range : racing_->partners(s))
        if (const auto known = number(s, range.first)) all.insert(*known);
      races_of_[s].assign(all.begin(), all.end());
    }
  }

  // Calls visit(race, site, site) for those that race, each two once, while the race is not known
  // to be first. False: it said no.
  template <class Visit>
  bool each_two(const Visit& visit) {
    for (uint32_t s = 0; s < racing_->sites().size(); ++s)
      for (const SiteRange& range : racing_->partners(s)) {
        const auto known = range.end > s ? number(s, range.first) : std::nullopt;
        if (!known) continue;
        for (uint32_t other = std::max(range.first, s + 1); other < range.end && !first_[*known];
             ++other)
          if (!visit(*known, s, other)) return false;
      }
    return true;
  }

  CauseSets::Order strand_order() const {
    CauseSets::Order order;
    for (const Site& site : racing_->sites()) {
      order.strand.push_back(site.strand);
      order.rank.push_back(uint64_t{site.earliest.segment} << 32 | site.earliest.number);
    }
    return order;
  }

  // Where one side was chosen by nothing, and whatever chose the other comes behind it, the pair
  // follows from nothing. Finds such pairs. False: there are too many to look at.
  bool find_first() {
    // Races of which no two sites are known are taken for first.
    first_.assign(races_.size(), true);
    for (uint32_t s = 0; s < racing_->sites().size(); ++s)
      for (const SiteRange& range : racing_->partners(s))
        if (const auto known = number(s, range.first)) first_[*known] = false;
    uint64_t looked = 0;
    return each_two([&](size_t race, uint32_t a, uint32_t b) {
      for (const ChosenBy& mine : chosen_[a])
        for (const ChosenBy& theirs : chosen_[b]) {
          ++looked;
          if ((mine.causes == 0 && !begins_behind(theirs, a, mine)) ||
              (theirs.causes == 0 && !begins_behind(mine, b, theirs)))
            first_[race] = true;
        }
      return looked <= kMostPairs;
    });
  }
  // Whether something that chose it comes before the other in that one's strand.
  bool begins_behind(const ChosenBy& chosen, uint32_t site, const ChosenBy& other) const {
    for (const SiteRange& range : sets_->ranges(chosen.causes))
      for (uint32_t at = range.first; at < range.end; ++at) {
        const Site& cause = racing_->sites()[at];
        if (cause.strand == racing_->sites()[site].strand && cause.earliest < other.earliest)
          return true;
      }
    return false;
  }

  // Which of the others are first, and the pairs of sites of those that are not. False: there are
  // too many.
  bool sort_pairs() {
    if (!each_two([&](size_t race, uint32_t a, uint32_t b) { return look(race, a, b); }))
      return false;
    std::erase_if(later_, [&](const SitePair& pair) { return first_[pair.race]; });
    return true;
  }

  // At the pairs of two sites, until one follows from none. False: there are too many.
  bool look(size_t race, uint32_t a, uint32_t b) {
    for (const ChosenBy& mine : chosen_[a]) {
      for (const ChosenBy& theirs : chosen_[b]) {
        if (++looked_ > kMostPairs || later_.size() > kMostLater || steps_ > kMostSteps)
          return false;
        const SitePair pair{race, {{a, mine}, {b, theirs}}};
        bool follows = false;
        each_cause(pair, Which::earliest, [&](uint32_t) { return !(follows = true); });
        if (!follows) {
          first_[race] = true;
          return true;
        }
        later_.push_back(pair);
      }
    }
    return true;
  }

  // Which races have a pair that follows from another one. False: that is too much.
  bool join_races() {
    causes_.assign(races_.size(), std::vector<bool>(later_.empty() ? 0 : races_.size()));
    for (const SitePair& pair : later_) {
      each_cause(pair, Which::latest, [&](uint32_t cause) {
        for (const size_t race : races_of_[cause]) causes_[pair.race][race] = true;
        return true;
      });
      if (steps_ > kMostSteps) return false;
    }
    return true;
  }

  // Follows the first races, by rising number, to all that is their consequence.
  void follow() {
    for (size_t root = 0; root < races_.size(); ++root) {
      if (!first_[root]) continue;
      std::vector<size_t> open{root};
      while (!open.empty()) {
        const size_t cause = open.back();
        open.pop_back();
        for (size_t race = 0; race < races_.size(); ++race) {
          if (first_[race] || races_[race].artifact_of || !causes_[race][cause]) continue;
          races_[race].artifact_of = root;
          open.push_back(race);
        }
      }
    }
  }

  // Calls visit(site) for the writes that event-control both sides, until it says no.
  template <class Visit>
  void each_cause(const SitePair& pair, Which which, const Visit& visit) {
    ++steps_;
    const auto& [c, d] = pair.side;
    if (c.chosen.causes == 0 && d.chosen.causes == 0) return;
    if (each_of_both(c, d, visit) && each_of_one(c, d, which, visit))
      each_of_one(d, c, which, visit);
  }
  // Those that choose both.
  template <class Visit>
  bool each_of_both(const Side& c, const Side& d, const Visit& visit) {
    const auto of_c = sets_->ranges(c.chosen.causes), of_d = sets_->ranges(d.chosen.causes);
    for (size_t i = 0, j = 0; i < of_c.size() && j < of_d.size(); ++steps_) {
      const uint32_t end = std::min(of_c[i].end, of_d[j].end);
      for (uint32_t at = std::max(of_c[i].first, of_d[j].first); at < end; ++at, ++steps_)
        if (!races_of_[at].empty() && !visit(at)) return false;
      ++(of_c[i].end < of_d[j].end ? i : j);
    }
    return true;
  }
  // Those that come before c in its strand, and choose d.
  template <class Visit>
  bool each_of_one(const Side& c, const Side& d, Which which, const Visit& visit) {
    const uint32_t strand = racing_->sites()[c.site].strand;
    const StrandPosition end = which == Which::earliest ? c.chosen.earliest : c.chosen.latest;
    for (const SiteRange& range : sets_->ranges(d.chosen.causes))
      for (uint32_t at = range.first; at < range.end; ++steps_) {
        const Site& cause = racing_->sites()[at];
        // Those of one place come in the order of their strand.
        if (cause.strand != strand || cause.earliest >= end) {
          at = place_end_[at];
          continue;
        }
        if (!races_of_[at].empty() && !visit(at)) return false;
        ++at;
      }
    return true;
  }

  const RacesFound& found_;
  std::vector<Race>& races_;
  std::map<PairKey, size_t> numbers_;
  const RacingAccesses* racing_ = nullptr;
  std::unique_ptr<CauseSets> sets_;
  Chosen chosen_;
  std::vector<std::vector<size_t>> races_of_;  // by site that writes
  std::vector<uint32_t> place_end_;            // by site: behind the last of its place
  std::vector<bool> first_;                    // by race
  std::vector<SitePair> later_;                // of races that are not first
  std::vector<std::vector<bool>> causes_;  // by race that is not first: the races it follows from
  uint64_t steps_ = 0, looked_ = 0;
};

}  // namespace

Result<std::string> mark_artifacts(const RacesFound& found, std::vector<Race>& races) {
  if (races.size() < 2) return {};
  return Marking(found, races).mark();
}

}  // namespace vestige::races
