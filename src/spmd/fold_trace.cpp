#include "spmd/fold_trace.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "query/path_references.h"
#include "query/ranks.h"
#include "spmd/form_bytes.h"
#include "spmd/lossy.h"
#include "spmd/player.h"
#include "spmd/sync_marks.h"
#include "spmd/thread_folder.h"
#include "trace/eval/nest_code.h"
#include "trace/state.h"

namespace vestige::spmd {

namespace {

constexpr uint64_t kProgressPaths = 1 << 16;

// Which rank of a parallel run this was, when the recorder knew.
std::optional<uint32_t> recorded_rank(const Trace& trace) {
  const std::string text = trace.meta("rank").value_or("");
  uint32_t rank = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, rank);
  if (text.empty() || failure != std::errc() || stop != end || rank >= kMostRanks)
    return std::nullopt;
  return rank;
}

// What a thread did to other ranks, by the paths that ended in it.
class MessageFeed {
 public:
  static Result<MessageFeed> open(const Trace& trace, uint32_t thread) {
    auto cursor = SyncCursor::open(trace, thread);
    if (!cursor) return std::unexpected(cursor.error());
    return MessageFeed(std::move(*cursor));
  }
  // The first path that has one, of those not told yet; UINT64_MAX: there is none.
  uint64_t next_time() const { return has_next_ ? cursor_.operation().time : UINT64_MAX; }
  // Calls take(operation) for those of paths up to this time.
  template <class Take>
  Result<void> until(uint64_t time, const Take& take) {
    for (; has_next_ && cursor_.operation().time <= time; has_next_ = cursor_.next())
      if (is_message(cursor_.operation().kind)) take(cursor_.operation());
    if (cursor_.error()) return std::unexpected(*cursor_.error());
    return {};
  }

 private:
  explicit MessageFeed(SyncCursor cursor) : cursor_(std::move(cursor)), has_next_(cursor_.next()) {}
  SyncCursor cursor_;
  bool has_next_;
};

// What folding is done with.
struct Means {
  const FoldOptions& options;
  SyncMarkFolder* marks = nullptr;
  const vestige_plugin* plugin = nullptr;
  bool each = false;   // no rounds at once
  bool lossy = false;  // the plug-in let something fold that is not exact
};

// The same path so many times more, its references moved by steps each time.
Result<void> take_rounds(ThreadFolder& folder, const PathReferences& paths, uint64_t rounds) {
  if (folder.take_rounds(paths.path(), paths.references(), paths.steps(), rounds)) return {};
  std::vector<Reference> references(paths.references().begin(), paths.references().end());
  for (uint64_t round = 0; round < rounds; ++round) {
    for (size_t r = 0; r < references.size(); ++r) references[r].address += paths.steps()[r];
    if (auto taken = folder.take(paths.path(), references); !taken) return taken;
  }
  return {};
}

Result<void> fold_thread(ReferenceSource& source, ProgramPieces& program, uint32_t thread,
                         Means& means, Form& form) {
  const FoldOptions& options = means.options;
  SyncMarkFolder* const marks = means.marks;
  const Trace& trace = program.trace();
  auto opened = PathReferences::open(trace, source, thread, means.each);
  if (!opened) return std::unexpected(opened.error());
  PathReferences& paths = **opened;
  ThreadFolder folder(program, options.window, means.plugin, means.lossy);
  uint64_t made = 0, shown = 0, read = 0;
  if (marks)
    if (auto begun = marks->begin(thread); !begun) return begun;
  auto messages = MessageFeed::open(trace, thread);
  if (!messages) return std::unexpected(messages.error());
  while (true) {
    const auto next = paths.next();
    if (!next) return std::unexpected(next.error());
    if (!*next) break;
    ++read;
    if (auto taken = folder.take(paths.path(), paths.references(), paths.alike()); !taken)
      return taken;
    made += paths.references().size();
    if (messages->next_time() <= paths.time()) {
      const auto tell = [&](const SyncOperation& operation) { folder.communicate(operation); };
      if (auto told = messages->until(paths.time(), tell); !told) return told;
    }
    if (marks)
      if (auto passed = marks->passed(paths.time(), paths.references(), made); !passed)
        return passed;
    // Up to where something has its place between paths.
    const uint64_t until = std::min(messages->next_time(), marks ? marks->next_time() : UINT64_MAX);
    if (const uint64_t rounds = paths.go_round(until - paths.time() - 1)) {
      if (auto taken = take_rounds(folder, paths, rounds); !taken) return taken;
      made += rounds * paths.references().size();
      read += rounds;
    } else if (const uint64_t nests = paths.go_over_nest(until - paths.time() - 1)) {
      if (auto taken = folder.take_nest(paths.runs(), nests); !taken) return taken;
      for (const PathReferences::Run& run : paths.runs()) {
        const uint64_t times = sum_of_line(run.times, run.times_step, nests);
        made += times * run.references.size();
        read += times;
      }
    }
    if (options.progress && read - shown >= kProgressPaths) {
      options.progress(read - shown);
      shown = read;
    }
  }
  ThreadForm done;
  const Ranks ranks(trace);
  done.rank = ranks.of(thread);
  for (uint32_t t = 0; t < thread; ++t) done.number += ranks.of(t) == done.rank;
  if (trace.processes().size() == 1) done.rank = recorded_rank(trace).value_or(done.rank);
  done.unknown = paths.unknown();
  folder.count(form.counts);
  folder.finish(std::move(done), form);
  return marks ? marks->end(made, form.threads.size() - 1) : Result<void>();
}

// What folding threads does not count: other threads, and synchronization outside of recorded code.
Result<void> count_others(const Trace& trace, const std::vector<uint32_t>& folded,
                          TraceCounts& counts) {
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (std::ranges::find(folded, thread) != folded.end()) {
      const auto unseen = trace.state().unseen_syncs(thread);
      if (!unseen) return std::unexpected(unseen.error());
      counts.sync_ops += *unseen;
      continue;
    }
    const auto more = trace.counts(thread);
    if (!more) return std::unexpected(more.error());
    counts.paths += more->paths;
    counts.blocks += more->blocks;
    counts.statements += more->statements;
    counts.loads += more->loads;
    counts.stores += more->stores;
    counts.sync_ops += more->sync_ops;
  }
  return {};
}

// How many references a plug-in moved: the form is played beside the trace.
Result<void> count_moved(ReferenceSource& source, Form& form) {
  const std::vector<uint32_t> threads = source.threads();
  for (size_t t = 0; t < form.threads.size() && t < threads.size(); ++t) {
    if (auto begun = source.seek(threads[t], 0); !begun) return begun;
    Player player(form, static_cast<uint32_t>(t));
    std::vector<TimedReference> recorded;
    std::vector<Reference> played;
    uint64_t moved = 0;
    for (size_t r = 0, p = 0;; ++r, ++p) {
      if (r == recorded.size()) {
        if (auto read = source.read(recorded); !read) return read;
        r = 0;
      }
      if (p == played.size()) {
        if (auto read = player.read(played); !read) return read;
        p = 0;
      }
      if (recorded.empty() || played.empty()) break;
      moved += recorded[r].reference.address != played[p].address;
    }
    add_plugin_facts(form.threads[t], moved);
  }
  return {};
}

}  // namespace

Result<void> read_messages(const Trace& trace, uint32_t thread, const CommunicationSink& sink) {
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(source.error());
  auto opened = PathReferences::open(trace, *source, thread);
  if (!opened) return std::unexpected(opened.error());
  PathReferences& paths = **opened;
  auto messages = MessageFeed::open(trace, thread);
  if (!messages) return std::unexpected(messages.error());
  uint64_t place = 0;
  bool wanted = true;
  while (wanted) {
    const auto next = paths.next();
    if (!next) return std::unexpected(next.error());
    if (!*next) break;
    place += paths.references().size();
    const auto take = [&](const SyncOperation& operation) {
      wanted = wanted && sink({place, operation.kind, operation.result,
                               message_tag(operation.other), message_bytes(operation.other)});
    };
    if (auto told = messages->until(paths.time(), take); !told) return told;
    place += paths.go_round(messages->next_time() - paths.time() - 1) * paths.references().size();
  }
  return {};
}

Result<Form> fold_trace(const Trace& trace, const FoldOptions& options, bool each) {
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(source.error());
  Form form;
  if (auto counted = count_others(trace, source->threads(), form.counts); !counted)
    return std::unexpected(counted.error());
  if (auto missing = trace.meta("missing")) form.missing.insert(std::move(*missing));
  ProgramPieces program(trace);
  std::optional<SyncMarkFolder> marks;
  if (options.order) {
    auto opened = SyncMarkFolder::open(trace);
    if (!opened) return std::unexpected(opened.error());
    marks.emplace(std::move(*opened));
  }
  std::optional<PluginLibrary> library;
  if (!options.plugin.empty()) {
    auto opened = PluginLibrary::open(options.plugin);
    if (!opened) return std::unexpected(opened.error());
    library.emplace(std::move(*opened));
  }
  Means means{options, marks ? &*marks : nullptr, library ? library->plugin() : nullptr, each};
  for (const uint32_t thread : source->threads())
    if (auto done = fold_thread(*source, program, thread, means, form); !done)
      return std::unexpected(done.error());
  if (trace.meta("ranks")) {
    std::set<uint32_t> ranks;
    for (const ThreadForm& thread : form.threads) ranks.insert(thread.rank);
    form.ranks = static_cast<uint32_t>(ranks.size());
  }
  if (means.lossy)
    if (auto counted = count_moved(*source, form); !counted)
      return std::unexpected(counted.error());
  if (marks) marks->finish(form);
  if (auto made = make_lossy(form, options.lossy); !made) return std::unexpected(made.error());
  put_in_order(form);
  return form;
}

}  // namespace vestige::spmd
