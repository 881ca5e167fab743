#include "vestige/cache_model.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <variant>

#include "base/open_map.h"
#include "query/machine/cache.h"
#include "query/machine/line_span.h"
#include "query/machine/tree_cache.h"

namespace vestige {

void CacheCounts::add(const CacheCounts& other) {
  reads += other.reads;
  writes += other.writes;
  for (size_t l = 0; l < kMostCacheLevels; ++l) misses[l] += other.misses[l];
  cold += other.cold;
  replaced += other.replaced;
  true_sharing += other.true_sharing;
  false_sharing += other.false_sharing;
  upgrades += other.upgrades;
}

namespace {

class LevelCache {
 public:
  LevelCache(const CacheLevel& level, unsigned first_shift)
      : further_(static_cast<unsigned>(std::countr_zero(level.geometry.line)) - first_shift) {
    if (level.replacement == Replacement::plru)
      tree_.emplace(level.geometry);
    else
      lru_.emplace(level.geometry);
  }
  bool use(uint64_t line) {
    return lru_ ? lru_->use(line >> further_) : tree_->use(line >> further_);
  }
  bool remove(uint64_t line) {
    return lru_ ? lru_->remove(line >> further_) : tree_->remove(line >> further_);
  }

 private:
  unsigned further_;  // by how much its lines are longer than those of the first level
  std::optional<Cache> lru_;
  std::optional<TreeCache> tree_;
};

// What one thread has of a line, or had.
struct Copy {
  uint64_t foreign = 0;  // lost: which 64ths of the line others have written since
  uint32_t core = 0;
  uint32_t next = kNone;  // of the same line
  bool held = true;       // may be in a private cache
  bool lost = false;      // another thread's write took it away
};

struct LineState {
  uint64_t line = 0;
  uint32_t first_copy = kNone;
  uint64_t misses = 0, true_sharing = 0, false_sharing = 0;
};

// Threads that work in the same memory.
struct Memory {
  uint32_t process = 0;
  uint32_t cores = 0;
  std::vector<LevelCache> shared;
  NumberMap numbers;
  std::vector<LineState> lines;
};

struct Core {
  uint32_t memory = 0;
  std::vector<LevelCache> caches;
  CacheCounts counts;
};

enum class Why : uint8_t { hit, cold, replaced, true_sharing, false_sharing };

}  // namespace

struct CacheModel::State {
  std::vector<CacheLevel> levels;
  unsigned shift = 0;
  size_t private_levels = 0;
  std::vector<Core> cores;
  std::vector<Memory> memories;
  std::vector<Copy> copies;
  NumberMap statement_numbers;
  std::vector<CacheStatement> statements;
  uint64_t recent_statement = UINT64_MAX;
  uint32_t recent_number = 0;
  std::vector<uint64_t> addresses;  // of a run
  bool full = false;

  CacheCounts& statement(uint64_t id) {
    if (id != recent_statement || statements.empty()) {
      const auto next = static_cast<uint32_t>(statements.size());
      recent_number = statement_numbers.at(id, next);
      if (recent_number == next) statements.push_back({id, {}});
      recent_statement = id;
    }
    return statements[recent_number].counts;
  }

  LineState& line_state(Memory& memory, uint64_t line) {
    const auto next = static_cast<uint32_t>(memory.lines.size());
    const uint32_t number = memory.numbers.at(line, next);
    if (number == next) {
      memory.lines.push_back({line});
      full |= next >= kMostLines;
    }
    return memory.lines[number];
  }

  // This core's copy; when it never had one, a new one, and `fresh`.
  Copy& copy_of(LineState& line, uint32_t core, bool& fresh) {
    uint32_t* at = &line.first_copy;
    while (*at != kNone) {
      if (copies[*at].core == core) return copies[*at];
      at = &copies[*at].next;
    }
    fresh = true;
    *at = static_cast<uint32_t>(copies.size());
    copies.push_back({0, core});
    return copies.back();
  }

  // Which 64ths of a line these bytes are in.
  uint64_t parts(uint64_t line, uint64_t address, uint64_t bytes) const {
    const uint64_t begin = line << shift, size = uint64_t{1} << shift;
    const uint64_t end = address + std::max<uint64_t>(bytes, 1);
    const uint64_t from = address > begin ? address - begin : 0;
    const uint64_t to = end < address || end - begin > size ? size : end - begin;
    const uint64_t first = from * 64 / size, last = (to * 64 - 1) / size;
    return (last == 63 ? ~uint64_t{0} : (uint64_t{1} << (last + 1)) - 1) & ~uint64_t{0} << first;
  }

  Why why_missed(uint32_t number, Memory& memory, uint64_t line, uint64_t used) {
    LineState& state = line_state(memory, line);
    bool fresh = false;
    Copy& copy = copy_of(state, number, fresh);
    const Why why = fresh                 ? Why::cold
                    : !copy.lost          ? Why::replaced
                    : copy.foreign & used ? Why::true_sharing
                                          : Why::false_sharing;
    ++state.misses;
    state.true_sharing += why == Why::true_sharing;
    state.false_sharing += why == Why::false_sharing;
    copy.held = true;
    copy.lost = false;
    copy.foreign = 0;
    return why;
  }

  // A write takes the line away from all others. True: one of them had it.
  bool take_away(uint32_t number, Memory& memory, uint64_t line, uint64_t used) {
    bool any = false;
    for (uint32_t c = line_state(memory, line).first_copy; c != kNone; c = copies[c].next) {
      Copy& other = copies[c];
      if (other.core == number) continue;
      if (other.held) {
        bool had = false;
        for (LevelCache& cache : cores[other.core].caches) had |= cache.remove(line);
        other.held = false;
        other.lost = had;
        any |= had;
      }
      if (other.lost) other.foreign |= used;
    }
    return any;
  }

  // Whether it hit the first level.
  bool use(const Reference& reference, uint64_t address) {
    Core& core = cores[reference.thread];
    Memory& memory = memories[core.memory];
    const bool write = reference.kind != Reference::Kind::read;
    const LineSpan span(address, reference.bytes, shift);
    CacheCounts now;
    (write ? now.writes : now.reads) = 1;
    Why why = Why::hit;
    for (uint64_t line = span.first; !full; ++line) {
      const size_t missed = look_up(core, memory, line);
      for (size_t l = 0; l < missed; ++l) now.misses[l] = 1;
      if (missed != 0 || (write && memory.cores > 1)) {
        const uint64_t used = parts(line, address, reference.bytes);
        if (missed != 0) {
          const Why one = why_missed(reference.thread, memory, line, used);
          if (why == Why::hit) why = one;
        }
        if (write && memory.cores > 1 && take_away(reference.thread, memory, line, used) &&
            missed == 0)
          now.upgrades = 1;
      }
      if (line == span.last) break;
    }
    now.cold = why == Why::cold;
    now.replaced = why == Why::replaced;
    now.true_sharing = why == Why::true_sharing;
    now.false_sharing = why == Why::false_sharing;
    core.counts.add(now);
    statement(reference.statement_id).add(now);
    return why == Why::hit;
  }

  // How many levels, the first ones, do not have it.
  size_t look_up(Core& core, Memory& memory, uint64_t line) {
    size_t missed = 0;
    for (LevelCache& cache : core.caches) {
      if (!cache.use(line)) return missed;
      ++missed;
    }
    for (LevelCache& cache : memory.shared) {
      if (!cache.use(line)) return missed;
      ++missed;
    }
    return missed;
  }

  void count_hits(const ReferenceRun& run, uint64_t iterations) {
    for (const Reference& reference : run.body) {
      CacheCounts& statement_counts = statement(reference.statement_id);
      CacheCounts& thread_counts = cores[reference.thread].counts;
      const bool write = reference.kind != Reference::Kind::read;
      (write ? statement_counts.writes : statement_counts.reads) += iterations;
      (write ? thread_counts.writes : thread_counts.reads) += iterations;
    }
  }

  bool iterate(const ReferenceRun& run) {
    bool hit = true;
    for (size_t i = 0; i < run.body.size(); ++i) {
      hit &= use(run.body[i], addresses[i]);
      addresses[i] += run.steps[i];
    }
    return hit;
  }
};

CacheModel::CacheModel(const std::vector<CacheLevel>& levels) : state_(std::make_unique<State>()) {
  state_->levels = levels;
  state_->shift = static_cast<unsigned>(std::countr_zero(levels[0].geometry.line));
  for (const CacheLevel& level : levels) state_->private_levels += !level.shared;
}
CacheModel::CacheModel(CacheModel&&) noexcept = default;
CacheModel& CacheModel::operator=(CacheModel&&) noexcept = default;
CacheModel::~CacheModel() = default;

const std::vector<CacheLevel>& CacheModel::levels() const { return state_->levels; }

void CacheModel::add_thread(uint32_t process) {
  auto memory = std::ranges::find(state_->memories, process, &Memory::process);
  if (memory == state_->memories.end()) {
    Memory fresh;
    fresh.process = process;
    for (const CacheLevel& level : state_->levels)
      if (level.shared) fresh.shared.emplace_back(level, state_->shift);
    state_->memories.push_back(std::move(fresh));
    memory = state_->memories.end() - 1;
  }
  ++memory->cores;
  Core core;
  core.memory = static_cast<uint32_t>(memory - state_->memories.begin());
  for (const CacheLevel& level : state_->levels)
    if (!level.shared) core.caches.emplace_back(level, state_->shift);
  state_->cores.push_back(std::move(core));
}

void CacheModel::use(const Reference& reference) {
  if (!state_->full) state_->use(reference, reference.address);
}
bool CacheModel::is_full() const { return state_->full; }

// Once an iteration hits with all its references, another one that touches the same lines hits too
// and leaves the caches as they are: replacement only knows the last use of each line, which is in
// the same order again. With other threads in the same memory, writes have more to tell than which
// lines they touch.
void CacheModel::use(const ReferenceRun& run) {
  State& state = *state_;
  state.addresses.clear();
  bool alone = true;
  for (const Reference& reference : run.body) {
    state.addresses.push_back(reference.address);
    alone &= state.memories[state.cores[reference.thread].memory].cores == 1;
  }
  for (uint64_t left = run.iterations; left > 0 && !state.full;) {
    const uint64_t same =
        alone ? std::min(same_lines(run, state.addresses, state.shift), left - 1) : 0;
    state.iterate(run);
    --left;
    if (same < 2) continue;
    if (!state.iterate(run)) {
      --left;
      continue;
    }
    --left;
    state.count_hits(run, same - 1);
    left -= same - 1;
    for (size_t i = 0; i < run.body.size(); ++i) state.addresses[i] += run.steps[i] * (same - 1);
  }
}

CacheCounts CacheModel::total() const {
  CacheCounts sum;
  for (const Core& core : state_->cores) sum.add(core.counts);
  return sum;
}

const CacheCounts& CacheModel::thread(uint32_t thread) const {
  return state_->cores[thread].counts;
}

std::vector<CacheStatement> CacheModel::statements() const {
  std::vector<CacheStatement> out = state_->statements;
  std::ranges::sort(out, {}, &CacheStatement::id);
  return out;
}

std::vector<CacheLine> CacheModel::lines() const {
  std::vector<CacheLine> out;
  for (const Memory& memory : state_->memories)
    for (const LineState& line : memory.lines) {
      if (line.misses == 0) continue;
      CacheLine row{memory.process, line.line << state_->shift, 0,
                    line.misses,    line.true_sharing,          line.false_sharing};
      for (uint32_t c = line.first_copy; c != kNone; c = state_->copies[c].next) ++row.threads;
      out.push_back(row);
    }
  std::ranges::sort(out, {}, [](const CacheLine& row) {
    return std::tuple(UINT64_MAX - row.misses, row.process, row.address);
  });
  return out;
}

}  // namespace vestige
