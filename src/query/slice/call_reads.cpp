#include "query/slice/call_reads.h"

#include <algorithm>

namespace vestige {

Result<void> CallReads::read(const std::vector<uint64_t>& call_times) {
  if (ground_.dependences.stored()) return read_stored(call_times);
  const std::span<const Window> all = windows_.of(thread_);
  size_t at = 0;
  for (size_t window = 0; window < all.size() && at < call_times.size(); ++window) {
    if (call_times[at] > all[window].last_time) continue;
    size_t end = at;
    while (end < call_times.size() && call_times[end] <= all[window].last_time) ++end;
    const std::span<const uint64_t> here(call_times.data() + at, end - at);
    source_.begin(thread_, window);
    const uint64_t last = call_times[end - 1] + kSoon;
    std::vector<Transfer> transfers;
    while (true) {
      const auto read = source_.read(transfers, last);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
      for (const Transfer& t : transfers)
        if (std::ranges::binary_search(here, t.call_time)) add(t);
    }
    at = end;
  }
  return {};
}

std::optional<uint64_t> CallReads::place(uint64_t call_time, uint64_t offset) const {
  const auto found = ranges_.find(call_time);
  if (found == ranges_.end()) return std::nullopt;
  for (const auto& [from, length] : found->second) {
    if (offset < length) return from + offset;
    offset -= length;
  }
  return std::nullopt;
}

// The same that the index counts: dependences/build.cpp.
void CallReads::add(const Transfer& t) {
  if (!t.has_from || !t.has_length || t.time - t.call_time > kSoon) return;
  if (t.kind == LibraryRange::Kind::read || (t.kind == LibraryRange::Kind::copy && t.has_to))
    ranges_[t.call_time].emplace_back(t.from, t.length);
}

// From the blocks of a trace that keeps them.
Result<void> CallReads::read_stored(const std::vector<uint64_t>& call_times) {
  DependenceBlockCursor cursor(ground_, thread_);
  const BlockPlaces& places = cursor.places();
  size_t at = 0;
  for (size_t number = cursor.block_at(call_times.front()); number < places.size(); ++number) {
    while (at < call_times.size() && call_times[at] + kSoon < places[number].first_time) ++at;
    if (at == call_times.size()) break;
    if (call_times[at] >= places[number].end_time()) continue;
    if (auto gone = cursor.go_to(number); !gone) return gone;
    const DependenceBlock& block = cursor.block();
    for (size_t path = 0; path < block.steps.size(); ++path)
      for (const CallEffect& effect : block.effects_of(path))
        if (const PathStep& step = block.steps[path];
            effect.reads_memory() && step.time - step.before_time <= kSoon &&
            std::ranges::binary_search(call_times, step.before_time))
          ranges_[step.before_time].emplace_back(effect.from, effect.length);
  }
  return {};
}

}  // namespace vestige
