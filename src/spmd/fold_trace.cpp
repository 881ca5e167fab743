#include "spmd/fold_trace.h"

#include <algorithm>
#include <set>

#include "query/rows/path_references.h"
#include "spmd/aligned_contexts.h"
#include "spmd/form_bytes.h"
#include "spmd/lossy.h"
#include "spmd/message_feed.h"
#include "spmd/player.h"
#include "trace/state.h"
#include "trace/told/told.h"

namespace vestige::spmd {

namespace {

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
  const auto take = [&](const SyncOperation& operation) {
    wanted = wanted && sink({place, operation.kind, operation.result, message_tag(operation.other),
                             message_bytes(operation.other)});
  };
  while (wanted) {
    const auto next = paths.next();
    if (!next) return std::unexpected(next.error());
    // A thread none of whose code was recorded has messages all the same.
    if (!*next) return messages->until(UINT64_MAX, take);
    place += paths.references().size();
    if (auto told = messages->until(paths.time(), take); !told) return told;
    place += paths.go_round(messages->next_time() - paths.time() - 1) * paths.references().size();
  }
  return {};
}

Result<std::unique_ptr<TraceFold>> TraceFold::open(const Trace& trace, const FoldOptions& options,
                                                   bool each) {
  auto fold = std::unique_ptr<TraceFold>(new TraceFold(trace, options));
  if (options.order) {
    auto opened = SyncMarkFolder::open(trace);
    if (!opened) return std::unexpected(opened.error());
    fold->marks_.emplace(std::move(*opened));
    fold->means_.marks = &*fold->marks_;
  }
  if (!options.plugin.empty()) {
    auto opened = PluginLibrary::open(options.plugin);
    if (!opened) return std::unexpected(opened.error());
    fold->library_.emplace(std::move(*opened));
    fold->means_.plugin = fold->library_->plugin();
  }
  fold->means_.each = each;
  return fold;
}

// What a forked process begins with is its parent's, which takes that one's paths.
Result<bool> TraceFold::go_on_until(uint32_t thread, uint64_t time) {
  auto found = begun_.find(thread);
  if (found == begun_.end()) {
    if (begun_.size() == kMostBegun || marks_ || time == 0 || forked_from(trace_, thread))
      return false;
    auto source = ReferenceSource::open(trace_);
    if (!source && source.error().kind == ErrorKind::unsupported) return false;
    if (!source) return std::unexpected(source.error());
    if (source->windows().of(thread).empty() || source->windows().indexed() ||
        !source->shapes().statements().prompt())
      return false;
    Begun begun{std::make_unique<ReferenceSource>(std::move(*source)), nullptr};
    auto pass = ThreadPass::open(program_, *begun.source, thread, means_);
    if (!pass) return std::unexpected(pass.error());
    begun.pass = std::move(*pass);
    found = begun_.emplace(thread, std::move(begun)).first;
  }
  if (auto gone = found->second.pass->go_on_until(time); !gone)
    return std::unexpected(gone.error());
  return true;
}

uint64_t TraceFold::paths() const {
  uint64_t paths = 0;
  for (const auto& [thread, begun] : begun_) paths += begun.pass->paths();
  return paths;
}

Result<void> TraceFold::fold_thread(ReferenceSource& source, uint32_t thread, Form& form) {
  if (const auto begun = begun_.extract(thread)) {
    ThreadPass& pass = *begun.mapped().pass;
    if (auto gone = pass.go_on_until(UINT64_MAX); !gone) return gone;
    if (pass.is_doubtful())
      return fail(ErrorKind::corrupt, trace_.file() + ": it does not fold while it is recorded");
    return pass.finish(form);
  }
  auto pass = ThreadPass::open(program_, source, thread, means_);
  if (!pass) return std::unexpected(pass.error());
  if (auto gone = (*pass)->run(); !gone) return gone;
  return (*pass)->finish(form);
}

Result<Form> TraceFold::finish() {
  auto source = ReferenceSource::open(trace_);
  if (!source) return std::unexpected(source.error());
  Form form;
  if (auto counted = count_others(trace_, source->threads(), form.counts); !counted)
    return std::unexpected(counted.error());
  if (auto missing = trace_.meta("missing")) form.missing.insert(std::move(*missing));
  for (const uint32_t thread : source->threads())
    if (auto done = fold_thread(*source, thread, form); !done) return std::unexpected(done.error());
  if (trace_.meta("ranks")) {
    std::set<uint32_t> ranks;
    for (const ThreadForm& thread : form.threads) ranks.insert(thread.rank);
    form.ranks = static_cast<uint32_t>(ranks.size());
  }
  if (means_.lossy)
    if (auto counted = count_moved(*source, form); !counted)
      return std::unexpected(counted.error());
  align_contexts(form);
  if (marks_) marks_->finish(form);
  if (auto made = make_lossy(form, options_.lossy); !made) return std::unexpected(made.error());
  put_in_order(form);
  return form;
}

Result<Form> fold_trace(const Trace& trace, const FoldOptions& options, bool each) {
  auto fold = TraceFold::open(trace, options, each);
  if (!fold) return std::unexpected(fold.error());
  return (*fold)->finish();
}

}  // namespace vestige::spmd
