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

Result<std::unique_ptr<TraceFold>> TraceFold::open(const Trace& trace, const FoldOptions& options) {
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
  return fold;
}

// What a forked process begins with is its parent's, which takes that one's paths.
Result<bool> TraceFold::go_on_until(uint32_t thread, uint64_t time) {
  if (irregular_.contains(thread)) return true;
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
  ThreadPass& pass = *found->second.pass;
  if (auto gone = pass.go_on_until(time); !gone) return std::unexpected(gone.error());
  if (pass.is_irregular()) irregular_.emplace(thread, pass.paths());
  return true;
}

uint64_t TraceFold::paths() const {
  uint64_t paths = 0;
  for (const auto& [thread, begun] : begun_) paths += begun.pass->paths();
  return paths;
}

// How a thread begins, whose folding may have begun.
Result<bool> TraceFold::is_irregular(uint32_t thread) {
  const uint64_t paths = trace_.threads()[thread].paths;
  if (const auto seen = irregular_.find(thread); seen != irregular_.end())
    if (seen->second >= paths / kLeastSeen) return true;
  const uint64_t sample = std::max(paths / kSample, kLeastSample);
  const auto look = [&](ThreadPass& pass, bool begun) -> Result<bool> {
    pass.go_on_to(paths / kLeastSeen);
    pass.stop_behind(sample);
    if (auto gone = begun ? pass.go_on_until(UINT64_MAX) : pass.run(); !gone)
      return std::unexpected(gone.error());
    pass.stop_behind(UINT64_MAX);
    return pass.is_irregular();
  };
  if (const auto begun = begun_.find(thread); begun != begun_.end())
    return look(*begun->second.pass, true);
  auto source = ReferenceSource::open(trace_);
  if (!source) return std::unexpected(source.error());
  auto pass = ThreadPass::open(program_, *source, thread, means_);
  if (!pass) return std::unexpected(pass.error());
  return look(**pass, false);
}

// An irregular thread. Whether folding it, and those before, takes too long.
bool TraceFold::is_too_much(uint32_t thread) {
  irregular_paths_ += trace_.threads()[thread].paths;
  return irregular_paths_ > all_paths_ / kFewPaths;
}

// False: too many of them are irregular, as far as their first paths show it.
Result<bool> TraceFold::begins_well(const std::vector<uint32_t>& threads) {
  irregular_paths_ = all_paths_ = 0;
  for (const uint32_t thread : threads) all_paths_ += trace_.threads()[thread].paths;
  if (threads.size() == 1 && irregular_.empty()) return true;  // it shows while it is folded
  uint64_t left = all_paths_;                                  // of threads that were not looked at
  for (const uint32_t thread : threads) {
    if (irregular_paths_ + left <= all_paths_ / kFewPaths) break;
    left -= trace_.threads()[thread].paths;
    const auto found = is_irregular(thread);
    if (!found) return found;
    if (*found && is_too_much(thread)) return false;
  }
  irregular_paths_ = 0;
  return true;
}

// False: with this one, too many are irregular.
Result<bool> TraceFold::go_to_end(ThreadPass& pass, uint32_t thread, bool begun) {
  const auto go_on = [&] { return begun ? pass.go_on_until(UINT64_MAX) : pass.run(); };
  pass.go_on_to(trace_.threads()[thread].paths / kLeastSeen);
  if (auto gone = go_on(); !gone) return std::unexpected(gone.error());
  if (!pass.is_irregular()) return true;
  if (gives_up_ && is_too_much(thread)) return false;
  pass.go_on_to(UINT64_MAX);
  if (auto gone = go_on(); !gone) return std::unexpected(gone.error());
  return true;
}

// False: folding is given up.
Result<bool> TraceFold::fold_thread(ReferenceSource& source, uint32_t thread, Form& form) {
  const auto begun = begun_.extract(thread);
  std::unique_ptr<ThreadPass> fresh;
  if (!begun) {
    auto opened = ThreadPass::open(program_, source, thread, means_);
    if (!opened) return std::unexpected(opened.error());
    fresh = std::move(*opened);
  }
  ThreadPass& pass = begun ? *begun.mapped().pass : *fresh;
  if (auto gone = go_to_end(pass, thread, !begun.empty()); !gone || !*gone) return gone;
  if (begun && pass.is_doubtful())
    return fail(ErrorKind::corrupt, trace_.file() + ": it does not fold while it is recorded");
  if (auto done = pass.finish(form); !done) return std::unexpected(done.error());
  return true;
}

Result<Form> TraceFold::finish() {
  gives_up_ = false;
  auto form = fold_threads();
  if (!form) return std::unexpected(form.error());
  return std::move(**form);
}

Result<std::optional<Form>> TraceFold::finish_if_it_pays() {
  gives_up_ = means_.stops;
  return fold_threads();
}

Result<std::optional<Form>> TraceFold::fold_threads() {
  auto source = ReferenceSource::open(trace_);
  if (!source) return std::unexpected(source.error());
  Form form;
  if (gives_up_) {
    const auto well = begins_well(source->threads());
    if (!well) return std::unexpected(well.error());
    if (!*well) return std::nullopt;
  }
  if (auto counted = count_others(trace_, source->threads(), form.counts); !counted)
    return std::unexpected(counted.error());
  if (auto missing = trace_.meta("missing")) form.missing.insert(std::move(*missing));
  for (const uint32_t thread : source->threads()) {
    const auto done = fold_thread(*source, thread, form);
    if (!done) return std::unexpected(done.error());
    if (!*done) return std::nullopt;
  }
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
  return std::optional(std::move(form));
}

Result<Form> fold_trace(const Trace& trace, const FoldOptions& options, bool each) {
  auto fold = TraceFold::open(trace, options);
  if (!fold) return std::unexpected(fold.error());
  if (each) (*fold)->take_each();
  return (*fold)->finish();
}

}  // namespace vestige::spmd
