#include "spmd/fold_trace.h"

#include <algorithm>

#include "query/reference_source.h"
#include "spmd/form_bytes.h"
#include "spmd/thread_folder.h"

namespace vestige::spmd {

namespace {

constexpr uint64_t kProgressPaths = 1 << 16;

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

Result<void> fold_thread(ReferenceSource& source, ProgramPieces& program, uint32_t thread,
                         const std::function<void(uint64_t)>& progress, Form& form) {
  const Trace& trace = program.trace();
  const uint64_t unknown = source.unknown();
  if (auto begun = source.seek(thread, 0); !begun) return std::unexpected(begun.error());
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(cursor.error());
  ReferenceFeed feed(source);
  ThreadFolder folder(program);
  uint64_t paths = 0;
  while (cursor->next()) {
    const auto references = feed.of(cursor->time());
    if (!references) return std::unexpected(references.error());
    if (auto taken = folder.take(cursor->path(), *references); !taken) return taken;
    if (progress && ++paths % kProgressPaths == 0) progress(kProgressPaths);
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  ThreadForm done;
  done.rank = trace.threads()[thread].process;
  for (uint32_t t = 0; t < thread; ++t) done.number += trace.threads()[t].process == done.rank;
  done.unknown = source.unknown() - unknown;
  folder.finish(std::move(done), form);
  return {};
}

}  // namespace

Result<Form> fold_trace(const Trace& trace, const std::function<void(uint64_t)>& progress) {
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(source.error());
  const auto counts = trace.counts();
  if (!counts) return std::unexpected(counts.error());
  Form form;
  form.counts = *counts;
  ProgramPieces program(trace);
  for (const uint32_t thread : source->threads())
    if (auto done = fold_thread(*source, program, thread, progress, form); !done)
      return std::unexpected(done.error());
  put_in_order(form);
  return form;
}

Form merge_forms(std::vector<Form> forms) {
  std::vector<std::pair<Bytes, size_t>> order;
  for (size_t i = 0; i < forms.size(); ++i) order.emplace_back(encode_form(forms[i]), i);
  std::ranges::sort(order);
  Form out;
  out.ranks = 0;
  for (const auto& [bytes, index] : order) {
    Form& form = forms[index];
    for (auto& [digest, function] : form.functions) {
      FunctionForm& kept = out.functions[digest];
      if (kept.name.empty()) kept.name = function.name;
      kept.statements.merge(function.statements);
      kept.pieces.merge(function.pieces);
      kept.fragments.merge(function.fragments);
    }
    const std::vector<uint32_t> map = out.contexts.merge(form.contexts);
    uint32_t highest = 0;
    for (ThreadForm& thread : form.threads) {
      highest = std::max(highest, thread.rank);
      thread.rank += out.ranks;
      std::map<StreamId, Stream> streams;
      for (auto& [id, stream] : thread.streams) {
        StreamId there = id;
        there.node = map[id.node];
        streams.emplace(there, std::move(stream));
      }
      thread.streams = std::move(streams);
      out.threads.push_back(std::move(thread));
    }
    out.ranks += std::max(form.ranks, highest + 1);
    out.counts.paths += form.counts.paths;
    out.counts.blocks += form.counts.blocks;
    out.counts.statements += form.counts.statements;
    out.counts.loads += form.counts.loads;
    out.counts.stores += form.counts.stores;
    out.counts.sync_ops += form.counts.sync_ops;
    form = Form();
  }
  put_in_order(out);
  return out;
}

}  // namespace vestige::spmd
