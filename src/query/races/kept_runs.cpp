#include "query/races/kept_runs.h"

#include <algorithm>
#include <unordered_map>

#include "query/races/segment_runs.h"
#include "query/represent/executions.h"
#include "query/represent/kept_streams.h"

namespace vestige::races {

namespace {

constexpr uint64_t kLongestAccess = uint64_t{1} << 28;  // as in access_runs.cpp
constexpr size_t kSomeRuns = 1 << 14;

bool is_sound(const KeptAccess& access) {
  return access.bytes != 0 && access.bytes <= kLongestAccess &&
         access.address + (access.bytes - 1) >= access.address;
}

// Arithmetic on the run stays far from the limits of addresses.
bool is_sound(const AddressFeed::Run& run, uint64_t bytes) {
  constexpr __int128 kFar = __int128{1} << 62;
  const __int128 end = __int128{run.start} + __int128{static_cast<int64_t>(run.stride)} * run.count;
  return bytes != 0 && bytes <= kLongestAccess && run.start < kFar && end >= 0 && end < kFar;
}

uint32_t slot_of(const KeptStream& stream) {
  return static_cast<uint32_t>(2 * stream.statement_id + stream.write);
}

size_t statements_of(const Trace& trace) {
  size_t count = 0;
  for (const Function& function : trace.functions())
    count = std::max<size_t>(count, function.first_statement + function.statements.size());
  return count;
}

class KeptReading {
 public:
  KeptReading(const Trace& trace, uint32_t thread, const ThreadOrder& order,
              const std::function<bool(ThreadRuns&)>& use)
      : trace_(trace),
        thread_(thread),
        order_(order),
        use_(use),
        statements_(trace),
        segment_runs_(statements_of(trace)) {}

  Result<bool> read() {
    auto kept = kept_accesses(trace_, thread_);
    if (!kept) return std::unexpected(std::move(kept.error()));
    out_.unknown = kept->unknown;
    for (const KeptStream& stream : kept->streams) {
      // The operations tell of atomic accesses.
      if (stream.atomic) continue;
      if (!stream.by_execution) {
        if (auto read = read_timed(stream); !read) return std::unexpected(read.error());
        if (done_) return false;
        continue;
      }
      if (auto added = add(stream); !added) return std::unexpected(added.error());
    }
    if (auto walked = walk(); !walked) return std::unexpected(walked.error());
    if (!done_) done_ = !use_(out_);
    return !done_;
  }

 private:
  // A stream with an address for each execution.
  struct Following {
    const KeptStream* kept;
    uint32_t slot;
    std::optional<AddressFeed> runs;     // of accesses of one size
    std::optional<KeptAccessFeed> each;  // of others
    uint64_t pending = 0;                // executions in this piece
  };

  Result<void> add(const KeptStream& stream) {
    if (stream.statement_id >= by_statement_.size()) by_statement_.resize(stream.statement_id + 1);
    by_statement_[stream.statement_id].push_back(static_cast<uint32_t>(following_.size()));
    Following& added = following_.emplace_back();
    added.kept = &stream;
    added.slot = slot_of(stream);
    if (stream.bytes != 0) {
      auto runs = AddressFeed::open(stream, decoded_);
      if (!runs) return std::unexpected(std::move(runs.error()));
      added.runs.emplace(std::move(*runs));
    } else {
      auto each = KeptAccessFeed::open(stream, decoded_);
      if (!each) return std::unexpected(std::move(each.error()));
      added.each.emplace(std::move(*each));
    }
    return {};
  }

  // Accesses that have times of their own.
  Result<void> read_timed(const KeptStream& stream) {
    auto feed = KeptAccessFeed::open(stream, decoded_);
    if (!feed) return std::unexpected(std::move(feed.error()));
    uint32_t piece = 0;
    uint64_t since = 1, until = 0;  // the piece's times
    const auto finish = [&] {
      segment_runs_.finish(piece, out_.runs);
      give_some();
    };
    for (KeptAccess access; feed->next(access) && !done_;) {
      ++out_.accesses;
      if (!is_sound(access)) {
        ++out_.unknown;
        continue;
      }
      if (access.until < since || access.until > until) {
        finish();
        piece = order_.piece_of(access.until);
        if (piece >= order_.pieces.size()) break;
        since = piece == 0 ? 0 : order_.pieces[piece - 1].last_time + 1;
        until = order_.pieces[piece].last_time;
      }
      segment_runs_.add(slot_of(stream), access.address, access.bytes, access.time);
    }
    finish();
    if (feed->error()) return std::unexpected(*feed->error());
    return {};
  }

  // Counts the paths of each piece.
  Result<void> walk() {
    if (following_.empty() || done_) return {};
    auto cursor = trace_.walk(thread_);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    cursor->skip_damage();
    uint32_t piece = 0;
    for (bool more = cursor->next(); more && !done_; more = cursor->next()) {
      const uint64_t time = cursor->time();
      while (piece + 1 < order_.pieces.size() && order_.pieces[piece].last_time < time) {
        if (auto ended = end_piece(piece); !ended) return ended;
        ++piece;
      }
      const uint64_t left = order_.pieces[piece].last_time - time;
      const Path& path = cursor->path();
      const uint64_t same = cursor->same_ahead(left);
      count(path, 1 + same);
      if (same > 0) cursor->seek(time + same);
    }
    if (cursor->error()) return std::unexpected(*cursor->error());
    return end_piece(piece);
  }

  struct Counted {
    uint64_t times = 0;
    std::vector<uint32_t> streams;  // that the path adds to
  };
  void count(const Path& path, uint64_t times) {
    if (last_ != &path) {
      const auto [at, fresh] = counted_.try_emplace(&path);
      if (fresh)
        for (const uint32_t id : statements_.of(path))
          if (id < by_statement_.size())
            for (const uint32_t stream : by_statement_[id]) at->second.streams.push_back(stream);
      last_ = &path;
      last_counted_ = &at->second;
    }
    if (last_counted_->streams.empty()) return;
    if (last_counted_->times == 0) touched_.push_back(last_counted_);
    last_counted_->times += times;
  }

  Result<void> end_piece(uint32_t piece) {
    for (Counted* path : touched_) {
      for (const uint32_t stream : path->streams) {
        if (following_[stream].pending == 0) pending_.push_back(stream);
        following_[stream].pending += path->times;
      }
      path->times = 0;
    }
    touched_.clear();
    const size_t before = out_.runs.size();
    const uint64_t first = piece == 0 ? 1 : order_.pieces[piece - 1].last_time + 1;
    for (const uint32_t number : pending_)
      if (auto taken = take(following_[number], first); !taken) return taken;
    pending_.clear();
    segment_runs_.finish(piece, out_.runs);
    for (size_t i = before; i < out_.runs.size(); ++i) {
      out_.runs[i].first_time = first;
      out_.runs[i].last_time = order_.pieces[piece].last_time;
    }
    give_some();
    return {};
  }

  Result<void> take(Following& stream, uint64_t time) {
    uint64_t left = std::exchange(stream.pending, 0);
    if (stream.each) {
      for (KeptAccess access; left > 0 && stream.each->next(access); --left) {
        ++out_.accesses;
        if (is_sound(access))
          segment_runs_.add(stream.slot, access.address, access.bytes, time);
        else
          ++out_.unknown;
      }
      if (const Error* error = stream.each->error()) return std::unexpected(*error);
    } else {
      const uint64_t bytes = stream.kept->bytes;
      for (AddressFeed::Run run; left > 0 && stream.runs->take(left, run); left -= run.count) {
        out_.accesses += run.count;
        if (is_sound(run, bytes)) {
          segment_runs_.add_run(stream.slot, run.start, run.stride, run.count, bytes, time);
          continue;
        }
        for (uint64_t i = 0; i < run.count; ++i) {
          const KeptAccess access{run.start + i * run.stride, bytes, 0, 0};
          if (is_sound(access))
            segment_runs_.add(stream.slot, access.address, bytes, time);
          else
            ++out_.unknown;
        }
      }
      if (const Error* error = stream.runs->error()) return std::unexpected(*error);
    }
    if (left == 0) return {};
    return fail(ErrorKind::corrupt, trace_.file() + ": statement #" +
                                        std::to_string(stream.kept->statement_id) + " of thread " +
                                        std::to_string(thread_) +
                                        " was executed more often than it has addresses");
  }

  void give_some() {
    if (out_.runs.size() < kSomeRuns || done_) return;
    done_ = !use_(out_);
    out_ = {};
  }

  const Trace& trace_;
  const uint32_t thread_;
  const ThreadOrder& order_;
  const std::function<bool(ThreadRuns&)>& use_;
  AddressedStatements statements_;
  SegmentRuns segment_runs_;
  AddressFeed::Decoded decoded_;
  std::vector<Following> following_;
  std::vector<std::vector<uint32_t>> by_statement_;  // numbers of `following_`
  std::unordered_map<const Path*, Counted> counted_;
  const Path* last_ = nullptr;
  Counted* last_counted_ = nullptr;
  std::vector<Counted*> touched_;
  std::vector<uint32_t> pending_;  // numbers of `following_`
  ThreadRuns out_;
  bool done_ = false;
};

// ---- times --------------------------------------------------------------------------------------

// Of one thread.
class Touches {
 public:
  Touches(const Trace& trace, uint32_t thread, std::vector<KeptTouch*> wanted)
      : trace_(trace), thread_(thread), wanted_(std::move(wanted)) {}

  Result<void> find() {
    auto kept = kept_accesses(trace_, thread_);
    if (!kept) return std::unexpected(std::move(kept.error()));
    std::ranges::sort(wanted_, {}, [](const KeptTouch* one) { return one->run.first_time; });
    auto executions = Executions::open(trace_, thread_);
    if (!executions) return std::unexpected(std::move(executions.error()));
    for (KeptTouch* one : wanted_) {
      const auto stream = std::ranges::find_if(kept->streams, [&](const KeptStream& stream) {
        return stream.statement_id == one->run.access.statement &&
               stream.write == one->run.access.writes;
      });
      if (stream == kept->streams.end()) continue;
      auto feed = KeptAccessFeed::open(*stream, decoded_);
      if (!feed) return std::unexpected(std::move(feed.error()));
      if (!stream->by_execution) {
        find_timed(*one, *feed);
        continue;
      }
      // Executions before the run's first path; then those that do not touch it.
      executions->go_to(one->run.first_time - 1);
      uint64_t execution = executions->of(stream->statement_id);
      if (!feed->seek(execution)) continue;
      for (KeptAccess access; feed->next(access);) {
        ++execution;
        if (one->address - access.address >= access.bytes) continue;
        awaited_[stream->statement_id].push_back({execution, one});
        break;
      }
    }
    return find_awaited();
  }

 private:
  struct Awaited {
    uint64_t execution = 0;  // from 1
    KeptTouch* touch = nullptr;
  };
  static void find_timed(KeptTouch& one, KeptAccessFeed& feed) {
    for (KeptAccess access; feed.next(access);) {
      if (access.time < one.run.first_time || one.address - access.address >= access.bytes)
        continue;
      one.time = access.time;
      return;
    }
  }
  Result<void> find_awaited() {
    if (awaited_.empty()) return {};
    for (auto& [id, list] : awaited_) std::ranges::sort(list, std::greater(), &Awaited::execution);
    auto cursor = trace_.walk(thread_);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    cursor->skip_damage();
    AddressedStatements statements(trace_);
    std::unordered_map<const Path*, std::vector<std::vector<Awaited>*>> by_path;
    std::unordered_map<std::vector<Awaited>*, uint64_t> done;
    size_t left = awaited_.size();
    while (left > 0 && cursor->next()) {
      const auto [at, fresh] = by_path.try_emplace(&cursor->path());
      if (fresh)
        for (const uint32_t id : statements.of(cursor->path()))
          if (const auto found = awaited_.find(id); found != awaited_.end())
            at->second.push_back(&found->second);
      for (std::vector<Awaited>* list : at->second) {
        const uint64_t execution = ++done[list];
        while (!list->empty() && list->back().execution == execution) {
          list->back().touch->time = cursor->time();
          list->pop_back();
          left -= list->empty();
        }
      }
    }
    if (cursor->error()) return std::unexpected(*cursor->error());
    return {};
  }

  const Trace& trace_;
  const uint32_t thread_;
  std::vector<KeptTouch*> wanted_;
  AddressFeed::Decoded decoded_;
  std::unordered_map<uint64_t, std::vector<Awaited>> awaited_;  // by #ID
};

}  // namespace

Result<bool> read_kept_runs(const Trace& trace, uint32_t thread, const ThreadOrder& order,
                            const std::function<bool(ThreadRuns&)>& use) {
  return KeptReading(trace, thread, order, use).read();
}

Result<void> find_kept_times(const Trace& trace, std::vector<KeptTouch>& touches) {
  std::vector<std::vector<KeptTouch*>> by_thread(trace.threads().size());
  for (KeptTouch& touch : touches) {
    touch.time = touch.run.first_time;
    if (touch.run.access.atomic || touch.run.first_time == touch.run.last_time) continue;
    by_thread[touch.thread].push_back(&touch);
  }
  for (uint32_t t = 0; t < by_thread.size(); ++t) {
    if (by_thread[t].empty()) continue;
    if (auto found = Touches(trace, t, std::move(by_thread[t])).find(); !found) return found;
  }
  return {};
}

}  // namespace vestige::races
