#include "spmd/fold_trace.h"

#include <charconv>
#include <optional>
#include <set>

#include "query/ranks.h"
#include "query/reference_source.h"
#include "spmd/form_bytes.h"
#include "spmd/lossy.h"
#include "spmd/player.h"
#include "spmd/sync_marks.h"
#include "spmd/thread_folder.h"

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

// References of a thread, path by path.
class ReferenceFeed {
 public:
  explicit ReferenceFeed(ReferenceSource& source) : source_(source) {}
  // Those of the path with this time; times rise.
  Result<std::span<const Reference>> of(uint64_t time) {
    taken_.clear();
    while (true) {
      if (at_ == piece_.size()) {
        if (ended_) break;
        if (auto read = source_.read(piece_); !read) return std::unexpected(read.error());
        at_ = 0;
        ended_ = piece_.empty();
        if (ended_) break;
      }
      if (piece_[at_].time > time) break;
      taken_.push_back(piece_[at_++].reference);
    }
    return std::span<const Reference>(taken_);
  }
  // Whether all were given.
  bool ended() const { return ended_ || at_ == piece_.size(); }

 private:
  ReferenceSource& source_;
  std::vector<TimedReference> piece_;
  std::vector<Reference> taken_;
  size_t at_ = 0;
  bool ended_ = false;
};

// What a thread did to other ranks, by the paths that ended in it.
class MessageFeed {
 public:
  static Result<MessageFeed> open(const Trace& trace, uint32_t thread) {
    auto cursor = SyncCursor::open(trace, thread);
    if (!cursor) return std::unexpected(cursor.error());
    return MessageFeed(std::move(*cursor));
  }
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
  bool lossy = false;  // the plug-in let something fold that is not exact
};

Result<void> fold_thread(ReferenceSource& source, ProgramPieces& program, uint32_t thread,
                         Means& means, Form& form) {
  const FoldOptions& options = means.options;
  SyncMarkFolder* const marks = means.marks;
  const Trace& trace = program.trace();
  const uint64_t unknown = source.unknown();
  if (auto begun = source.seek(thread, 0); !begun) return std::unexpected(begun.error());
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(cursor.error());
  ReferenceFeed feed(source);
  ThreadFolder folder(program, options.window, means.plugin, means.lossy);
  uint64_t paths = 0, made = 0;
  if (marks)
    if (auto begun = marks->begin(thread); !begun) return begun;
  auto messages = MessageFeed::open(trace, thread);
  if (!messages) return std::unexpected(messages.error());
  while (cursor->next()) {
    const auto references = feed.of(cursor->time());
    if (!references) return std::unexpected(references.error());
    if (auto taken = folder.take(cursor->path(), *references); !taken) return taken;
    made += references->size();
    if (auto told = messages->until(
            cursor->time(), [&](const SyncOperation& operation) { folder.communicate(operation); });
        !told)
      return told;
    if (marks)
      if (auto passed = marks->passed(cursor->time(), made); !passed) return passed;
    if (options.progress && ++paths % kProgressPaths == 0) options.progress(kProgressPaths);
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  ThreadForm done;
  const Ranks ranks(trace);
  done.rank = ranks.of(thread);
  for (uint32_t t = 0; t < thread; ++t) done.number += ranks.of(t) == done.rank;
  if (trace.processes().size() == 1) done.rank = recorded_rank(trace).value_or(done.rank);
  done.unknown = source.unknown() - unknown;
  folder.finish(std::move(done), form);
  return marks ? marks->end(made, form.threads.size() - 1) : Result<void>();
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
  if (auto begun = source->seek(thread, 0); !begun) return begun;
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(cursor.error());
  auto messages = MessageFeed::open(trace, thread);
  if (!messages) return std::unexpected(messages.error());
  ReferenceFeed feed(*source);
  uint64_t place = 0;
  bool wanted = true;
  while (wanted && cursor->next()) {
    const auto references = feed.of(cursor->time());
    if (!references) return std::unexpected(references.error());
    place += references->size();
    const auto take = [&](const SyncOperation& operation) {
      wanted = wanted && sink({place, operation.kind, operation.result,
                               message_tag(operation.other), message_bytes(operation.other)});
    };
    if (auto told = messages->until(cursor->time(), take); !told) return told;
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  return {};
}

Result<Form> fold_trace(const Trace& trace, const FoldOptions& options) {
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(source.error());
  const auto counts = trace.counts();
  if (!counts) return std::unexpected(counts.error());
  Form form;
  form.counts = *counts;
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
  Means means{options, marks ? &*marks : nullptr, library ? library->plugin() : nullptr};
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
