#include "query/races/racing_accesses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "query/races/lifetimes.h"
#include "query/rows/reference_source.h"
#include "query/rows/row_source.h"

namespace vestige::races {

namespace {

constexpr uint64_t kLongestAccess = uint64_t{1} << 28;

// What executions of one segment have in common. Sites are made of these.
struct SitePart {
  Access access;
  uint32_t strand = 0, segment = 0;
  uint64_t first = 0, last = 0;
  auto place() const { return std::tuple(access, strand, first, last); }
  auto operator<=>(const SitePart&) const = default;
};

struct CellHash {
  size_t operator()(const SitePart& cell) const {
    uint64_t hash = cell.first;
    for (const uint64_t part :
         {cell.last, uint64_t{cell.strand} << 32 | cell.segment,
          uint64_t{cell.access.statement} << 2 | uint64_t{cell.access.writes} << 1 |
              uint64_t{cell.access.atomic}})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15 ^ hash >> 29;
    return hash;
  }
};

// Cells of one place: [first, end), by rising segment.
struct SiteGroup {
  uint32_t first = 0, end = 0;
};

bool can_race(const Access& a, const Access& b) {
  return (a.writes || b.writes) && !(a.atomic && b.atomic);
}

}  // namespace

class RacingAccesses::Maker {
 public:
  Maker(const Trace& trace, const Windows& windows, const HappensBefore& order,
        const std::set<Access>& accesses)
      : trace_(trace), windows_(windows), order_(order), accesses_(accesses), shapes_(trace) {
    for (uint32_t p = 0; p < trace.processes().size(); ++p) lifetimes_.emplace_back(order, p);
    made_.executions_.resize(trace.threads().size());
  }

  // False: there are too many.
  Result<bool> read() {
    std::vector<StatementRef> plain;
    bool atomic = false;
    for (const Access& access : accesses_) {
      if (!access.atomic) plain.push_back(*statement_by_id(trace_, access.statement));
      atomic |= access.atomic;
    }
    const StatementSet set(trace_, plain);
    for (uint32_t t = 0; t < trace_.threads().size(); ++t) {
      if (trace_.threads()[t].handler || windows_.of(t).empty()) continue;
      if (auto read = read_plain(t, set); !read) return std::unexpected(std::move(read.error()));
      if (atomic)
        if (auto read = read_atomics(t); !read) return std::unexpected(std::move(read.error()));
      std::vector<RacingExecution>& all = made_.executions_[t];
      for (uint32_t i = 0; i < all.size(); ++i) all[i].position.number = i;
      // An atomic operation ends its path.
      std::ranges::sort(
          all, {}, [](const RacingExecution& e) { return std::pair(e.time, e.position.number); });
      for (uint32_t i = 0; i < all.size(); ++i) all[i].position.number = i;
      if (too_many_) return false;
    }
    return true;
  }

  // False: too many race with each other.
  bool find_partners() {
    sort_cells();
    partners_.resize(cells_.size());
    std::vector<uint32_t> by_address(groups_.size());
    for (uint32_t g = 0; g < groups_.size(); ++g) by_address[g] = g;
    std::ranges::sort(by_address, {},
                      [&](uint32_t g) { return std::pair(cells_[groups_[g].first].first, g); });
    std::vector<uint32_t> waiting;  // groups whose bytes are not over
    for (const uint32_t g : by_address) {
      const uint64_t start = cells_[groups_[g].first].first;
      std::erase_if(waiting,
                    [&](uint32_t other) { return cells_[groups_[other].first].last < start; });
      for (const uint32_t other : waiting) {
        meet(groups_[g], groups_[other]);
        meet(groups_[other], groups_[g]);
        if (count_ > kMostPartners) return false;
      }
      waiting.push_back(g);
    }
    return true;
  }

  // Cells that follow each other and race with the same others are one site.
  RacingAccesses take() {
    std::vector<uint32_t> site(cells_.size() + 1);
    for (uint32_t c = 0; c < cells_.size(); ++c) {
      const bool same =
          c > 0 && cells_[c].place() == cells_[c - 1].place() && partners_[c] == partners_[c - 1];
      if (!same)
        made_.sites_.push_back({cells_[c].access,
                                cells_[c].strand,
                                cells_[c].first,
                                cells_[c].last,
                                {UINT32_MAX, UINT32_MAX}});
      site[c] = static_cast<uint32_t>(made_.sites_.size() - 1);
    }
    site[cells_.size()] = static_cast<uint32_t>(made_.sites_.size());
    made_.first_partner_.push_back(0);
    for (uint32_t c = 0; c < cells_.size(); ++c) {
      if (c + 1 < cells_.size() && site[c + 1] == site[c]) continue;
      for (const SiteRange& range : partners_[c])
        made_.partners_.push_back({site[range.first], site[range.end - 1] + 1});
      made_.first_partner_.push_back(made_.partners_.size());
    }
    for (std::vector<RacingExecution>& all : made_.executions_) {
      std::erase_if(all,
                    [&](const RacingExecution& e) { return partners_[place_[e.site]].empty(); });
      for (RacingExecution& execution : all) {
        execution.site = site[place_[execution.site]];
        StrandPosition& earliest = made_.sites_[execution.site].earliest;
        earliest = std::min(earliest, execution.position);
      }
    }
    return std::move(made_);
  }

 private:
  Result<void> read_plain(uint32_t thread, const StatementSet& set) {
    auto rows = open_rows(trace_, windows_, set, {.thread = thread});
    if (!rows) return std::unexpected(std::move(rows.error()));
    std::vector<Observation> some;
    for (bool more = true; more && !too_many_;) {
      some.clear();
      const auto read = (*rows)->read(some);
      if (!read) return std::unexpected(read.error());
      more = *read;
      for (const Observation& row : some)
        shapes_.each(row, thread, [&](const Reference& r) {
          add(thread, row.time, row.statement, order_.of(thread).piece_of(row.time),
              {static_cast<uint32_t>(r.statement_id), r.kind != Reference::Kind::read, false},
              r.address, r.bytes);
        });
    }
    return {};
  }

  Result<void> read_atomics(uint32_t thread) {
    auto cursor = trace_.walk(thread);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    for (const AtomicAccess& access : order_.of(thread).atomics) {
      if (!cursor->seek(access.time)) {
        if (cursor->error()) return std::unexpected(*cursor->error());
        continue;
      }
      const Path& path = cursor->path();
      const Function& function = trace_.functions()[path.function];
      const vestige::Segment& last = function.segments[path.segments.back()];
      if (path.end != SegmentEnd::sync || last.statement_count == 0) continue;
      const uint32_t statement = last.first_statement + last.statement_count - 1;
      add(thread, access.time, statement, access.segment,
          {function.first_statement + statement, access.stores, true}, access.address,
          access_bytes(function, statement));
    }
    return {};
  }

  void add(uint32_t thread, uint64_t time, uint32_t statement, uint32_t piece_number,
           const Access& access, uint64_t address, uint64_t bytes) {
    const uint64_t last = address + (bytes - 1);
    if (!accesses_.contains(access) || bytes == 0 || bytes > kLongestAccess || last < address ||
        order_.uses_own(thread, piece_number, address, last))
      return;
    const Piece& piece = order_.of(thread).pieces[piece_number];
    const auto number = static_cast<uint32_t>(numbers_.size());
    const uint32_t cell =
        numbers_.try_emplace({access, piece.strand, piece.segment, address, last}, number)
            .first->second;
    made_.executions_[thread].push_back({time, statement, cell, {piece.segment, 0}});
    too_many_ |= ++executions_ > kMostExecutions;
  }

  // By place and segment; executions have the numbers by which cells were met.
  void sort_cells() {
    std::vector<std::pair<SitePart, uint32_t>> all(numbers_.begin(), numbers_.end());
    numbers_.clear();
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return std::tuple(a.first.place(), a.first.segment) <
             std::tuple(b.first.place(), b.first.segment);
    });
    place_.resize(all.size());
    for (uint32_t c = 0; c < all.size(); ++c) {
      place_[all[c].second] = c;
      cells_.push_back(all[c].first);
      if (c == 0 || cells_[c].place() != cells_[c - 1].place()) groups_.push_back({c, c});
      groups_.back().end = c + 1;
    }
  }

  // What each cell of the one races with of the other.
  void meet(const SiteGroup& mine, const SiteGroup& others) {
    const SitePart &a = cells_[mine.first], &b = cells_[others.first];
    if (a.strand == b.strand || order_.process(a.strand) != order_.process(b.strand) ||
        !can_race(a.access, b.access))
      return;
    const ResetStamps resets = lifetimes_[order_.process(a.strand)].within(
        std::max(a.first, b.first), std::min(a.last, b.last));
    const auto life = [&](const SitePart& cell) {
      return lifetime_of(order_.of(cell.strand).segments[cell.segment], resets.stamps);
    };
    const std::vector<HappensBefore::Range>& concurrent = concurrent_of(a.strand, b.strand);
    const std::span<const SitePart> theirs(cells_.data() + others.first, others.end - others.first);
    for (uint32_t i = mine.first; i < mine.end; ++i) {
      const HappensBefore::Range range = concurrent[cells_[i].segment];
      const Lifetime now = life(cells_[i]);
      const auto low = std::ranges::partition_point(theirs, [&](const SitePart& cell) {
        return cell.segment < range.first || life(cell).last < now.first;
      });
      const auto high = std::ranges::partition_point(theirs, [&](const SitePart& cell) {
        return cell.segment < range.end && life(cell).first <= now.last;
      });
      ++count_;
      if (low >= high) continue;
      partners_[i].push_back({others.first + static_cast<uint32_t>(low - theirs.begin()),
                              others.first + static_cast<uint32_t>(high - theirs.begin())});
    }
  }

  const std::vector<HappensBefore::Range>& concurrent_of(uint32_t a, uint32_t b) {
    const auto [at, fresh] = concurrent_.try_emplace({a, b});
    if (fresh) at->second = order_.concurrent(a, b);
    return at->second;
  }

  const Trace& trace_;
  const Windows& windows_;
  const HappensBefore& order_;
  const std::set<Access>& accesses_;
  const ReferenceShapes shapes_;
  std::vector<Lifetimes> lifetimes_;  // by process
  RacingAccesses made_;
  size_t executions_ = 0, count_ = 0;
  bool too_many_ = false;
  std::unordered_map<SitePart, uint32_t, CellHash> numbers_;
  std::vector<uint32_t> place_;  // by number: where among the cells
  std::vector<SitePart> cells_;
  std::vector<SiteGroup> groups_;
  std::vector<std::vector<SiteRange>> partners_;  // by cell
  std::map<std::pair<uint32_t, uint32_t>, std::vector<HappensBefore::Range>> concurrent_;
};

Result<std::optional<RacingAccesses>> RacingAccesses::read(const Trace& trace,
                                                           const Windows& windows,
                                                           const HappensBefore& order,
                                                           const std::set<Access>& accesses) {
  Maker maker(trace, windows, order, accesses);
  const auto all = maker.read();
  if (!all) return std::unexpected(all.error());
  if (!*all || !maker.find_partners()) return std::optional<RacingAccesses>();
  return maker.take();
}

}  // namespace vestige::races
