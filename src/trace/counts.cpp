// Trace::counts and Trace::profile: every path is read once, in pieces spread over all cores, into
// a histogram of path ids; what each id stands for is then counted once, times how often it ran.
#include <algorithm>
#include <mutex>

#include "trace/histogram.h"
#include "trace/parallel.h"
#include "trace/state.h"

namespace vestige {

namespace {

constexpr uint64_t kPieceWords = 16 * uint64_t{kWordBlock};

struct CountTask {
  uint32_t thread;
  size_t chunk;
  uint64_t begin, end;  // words of the chunk
};

std::vector<CountTask> pieces_of(const Trace::State& state, uint32_t thread) {
  std::vector<CountTask> pieces;
  for (uint32_t t = 0; t < state.chunks.size(); ++t) {
    if (thread != kNone && t != thread) continue;
    for (size_t c = 0; c < state.chunks[t].size(); ++c) {
      const uint64_t size = state.chunks[t][c].path_count;
      // The directory is checked against the chunk when the piece is read; until then its count is
      // only a claim, and must not make us list pieces without end.
      for (uint64_t at = 0; at < size; at += kPieceWords) {
        const bool last = size - at <= kPieceWords || at / kPieceWords >= 4096;
        pieces.push_back({t, c, at, last ? size : at + kPieceWords});
        if (last) break;
      }
    }
  }
  return pieces;
}

class Counter {
 public:
  explicit Counter(const Trace::State& state) : state_(state) {}

  // Calls use(path, times) for every path that ran; one call at a time, a path possibly several
  // times.
  template <class Use>
  Result<void> run(uint32_t thread, const Use& use) {
    const std::vector<CountTask> pieces = pieces_of(state_, thread);
    std::vector<PathHistogram> histograms;
    for (size_t i = 0; i < worker_count(pieces.size()); ++i)
      histograms.emplace_back(state_.paths.page_count());
    std::mutex mutex;
    Result<void> problem;
    run_parallel(pieces.size(), [&](size_t worker, size_t piece) {
      auto settle = [&]() -> Result<void> {
        const std::lock_guard lock(mutex);
        return settle_all(histograms[worker], use);
      };
      auto read = count(pieces[piece], histograms[worker], settle);
      if (read) return true;
      const std::lock_guard lock(mutex);
      if (problem) problem = std::move(read);
      return false;
    });
    for (PathHistogram& histogram : histograms) {
      if (!problem) break;
      problem = settle_all(histogram, use);
    }
    return problem;
  }

 private:
  template <class Use>
  Result<void> settle_all(PathHistogram& histogram, const Use& use) {
    Result<void> problem;
    histogram.settle([&](uint32_t id, uint64_t times) {
      if (const Path* path = state_.paths.find(id)) {
        use(*path, times);
      } else if (problem) {
        problem = fail(ErrorKind::corrupt, state_.file + ": no function has path id " +
                                               std::to_string(id) + ", which ran " +
                                               std::to_string(times) + " times");
      }
    });
    return problem;
  }

  template <class Settle>
  Result<void> count(const CountTask& piece, PathHistogram& histogram, const Settle& settle) const {
    const ChunkPlace& place = state_.chunks[piece.thread][piece.chunk];
    auto view = state_.view(piece.thread, piece.chunk);
    if (!view) return std::unexpected(std::move(view.error()));
    auto words = WordCursor::open(view->codec, view->words);
    if (!words) return std::unexpected(state_.in_chunk(place, words.error()));
    if (words->size() != place.path_count) {
      return std::unexpected(state_.in_chunk(
          place, {ErrorKind::corrupt, "it does not hold as many paths as it says"}));
    }
    for (uint64_t at = piece.begin; at < piece.end;) {
      if (!words->seek(at) || words->block().empty()) {
        static const Error kEmpty{ErrorKind::corrupt, "its paths cannot be decoded"};
        return std::unexpected(state_.in_chunk(place, words->error() ? *words->error() : kEmpty));
      }
      auto block = words->block().subspan(at - words->block_begin());
      block = block.first(std::min<uint64_t>(block.size(), piece.end - at));
      const size_t counted = histogram.add(block);
      if (counted != block.size()) {
        return std::unexpected(state_.in_chunk(
            place, {ErrorKind::corrupt, "time " + std::to_string(place.first_time + at + counted) +
                                            ": no function has path id " +
                                            std::to_string(block[counted])}));
      }
      at += block.size();
      if (histogram.full()) {
        if (auto settled = settle(); !settled) return settled;
      }
    }
    return {};
  }

  const Trace::State& state_;
};

}  // namespace

Result<TraceCounts> Trace::counts(uint32_t thread) const {
  if (thread != kNone) {
    if (auto known = state_->check_thread(thread); !known)
      return std::unexpected(std::move(known.error()));
  }
  TraceCounts counts;
  auto counted = Counter(*state_).run(thread, [&](const Path& path, uint64_t times) {
    counts.paths += times;
    counts.blocks += path.blocks.size() * times;
    counts.statements += path.statements * times;
    counts.loads += path.loads * times;
    counts.stores += path.stores * times;
    counts.sync_ops += path.syncs * times;
  });
  if (!counted) return std::unexpected(std::move(counted.error()));
  const auto unseen = state_->unseen_syncs(thread);
  if (!unseen) return std::unexpected(unseen.error());
  counts.sync_ops += *unseen;
  return counts;
}

Result<std::vector<FunctionCounts>> Trace::profile(uint32_t thread) const {
  if (thread != kNone) {
    if (auto known = state_->check_thread(thread); !known)
      return std::unexpected(std::move(known.error()));
  }
  std::vector<FunctionCounts> profile(functions().size());
  for (size_t f = 0; f < profile.size(); ++f) {
    profile[f].blocks.resize(functions()[f].blocks.size());
    profile[f].statements.resize(functions()[f].statements.size());
  }
  auto counted = Counter(*state_).run(thread, [&](const Path& path, uint64_t times) {
    FunctionCounts& counts = profile[path.function];
    const Function& function = functions()[path.function];
    if (path.enters) counts.activations += times;
    for (const uint32_t block : path.blocks) counts.blocks[block] += times;
    for (const uint32_t s : path.segments) {
      const Segment& segment = function.segments[s];
      for (uint32_t i = 0; i < segment.statement_count; ++i)
        counts.statements[segment.first_statement + i] += times;
    }
  });
  if (!counted) return std::unexpected(std::move(counted.error()));
  return profile;
}

}  // namespace vestige
