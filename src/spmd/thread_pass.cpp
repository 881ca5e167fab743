#include "spmd/thread_pass.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "query/names/ranks.h"
#include "spmd/merge_forms.h"
#include "trace/eval/nest_code.h"

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

}  // namespace

Result<std::unique_ptr<ThreadPass>> ThreadPass::open(ProgramPieces& program,
                                                     ReferenceSource& source, uint32_t thread,
                                                     Means& means) {
  const Trace& trace = program.trace();
  auto paths = PathReferences::open(trace, source, thread, means.each);
  if (!paths) return std::unexpected(paths.error());
  auto messages = MessageFeed::open(trace, thread);
  if (!messages) return std::unexpected(messages.error());
  if (means.marks)
    if (auto begun = means.marks->begin(thread); !begun) return std::unexpected(begun.error());
  return std::unique_ptr<ThreadPass>(
      new ThreadPass(program, thread, means, std::move(*paths), std::move(*messages)));
}

// The same path so many times more, its references moved by steps each time.
Result<void> ThreadPass::take_rounds(uint64_t rounds) {
  if (folder_.take_rounds(paths_->path(), paths_->references(), paths_->steps(), rounds)) return {};
  std::vector<Reference> references(paths_->references().begin(), paths_->references().end());
  for (uint64_t round = 0; round < rounds; ++round) {
    for (size_t r = 0; r < references.size(); ++r) references[r].address += paths_->steps()[r];
    if (auto taken = folder_.take(paths_->path(), references); !taken) return taken;
  }
  return {};
}

// What comes behind the last path, as far as it can be taken at once.
Result<void> ThreadPass::go_over_rounds() {
  PathReferences& paths = *paths_;
  // Up to where something has its place between paths.
  const uint64_t until =
      std::min(messages_.next_time(), means_.marks ? means_.marks->next_time() : UINT64_MAX);
  if (const uint64_t rounds = paths.go_round(until - paths.time() - 1)) {
    made_ += rounds * paths.references().size();
    read_ += rounds;
    return take_rounds(rounds);
  }
  const uint64_t nests = paths.go_over_nest(until - paths.time() - 1);
  if (nests == 0) {
    watch_rows(until - paths.time() - 1);
    return {};
  }
  for (const PathReferences::Run& run : paths.runs()) {
    const uint64_t times = sum_of_line(run.times, run.times_step, nests);
    made_ += times * run.references.size();
    read_ += times;
  }
  return folder_.take_nest(paths.runs(), nests);
}

// Rows that come again and again: a few are taken path by path, until it is known what one more
// does. Where that came to nothing, it is not tried again for some paths, and for more each time.
void ThreadPass::watch_rows(uint64_t most) {
  constexpr uint64_t kMostRows = 16;
  PathReferences& paths = *paths_;
  const uint64_t time = paths.time();
  if (row_paths_ == 0) {
    if (row_wait_ != 0) {
      --row_wait_;
      return;
    }
    row_paths_ = paths.find_rows(most);
    if (row_paths_ == 0) return;
    folder_.begin_rows();
    rows_ = 0;
  } else if (time < row_end_) {
    return;
  } else {
    const uint64_t period = time == row_end_ ? folder_.end_row() : 0;
    ++rows_;
    bool goes_on = time == row_end_ && rows_ <= kMostRows;
    if (goes_on && rows_ == 1) {
      paths.begin_row_proof();
    } else if (goes_on && rows_ == 2) {
      goes_on = paths.end_row_proof();
    }
    if (goes_on && rows_ >= 2 && period != 0) {
      if (const uint64_t rows = paths.go_over_rows(most, period)) {
        folder_.add_rows(rows);
        made_ += rows * (made_ - row_made_);
        read_ += rows * row_paths_;
        row_failures_ = 0;
      }
      row_paths_ = 0;
    } else if (!goes_on) {
      paths.give_up_rows();
      row_paths_ = 0;
      row_wait_ = kRowWait << std::min(row_failures_++, kMostDoubled);
    }
  }
  row_end_ = time + row_paths_;
  row_made_ = made_;
}

// Those of the last path.
Result<void> ThreadPass::tell_messages() {
  if (messages_.next_time() > paths_->time()) return {};
  return messages_.until(paths_->time(),
                         [&](const SyncOperation& operation) { folder_.communicate(operation); });
}

bool ThreadPass::stops() {
  if (read_ >= last_ || irregular_) return true;
  if (!means_.stops || singly_ < next_look_) return false;
  if (kRegular * singly_ <= made_)
    next_look_ += next_look_ / 4;
  else
    irregular_ = read_ >= least_;
  return irregular_;
}

Result<void> ThreadPass::run() {
  PathReferences& paths = *paths_;
  SyncMarkFolder* const marks = means_.marks;
  while (!stops()) {
    const auto next = paths.next();
    if (!next) return std::unexpected(next.error());
    if (!*next) return {};
    ++read_;
    singly_ += paths.references().size();
    if (auto taken = folder_.take(paths.path(), paths.references(), paths.alike()); !taken)
      return taken;
    made_ += paths.references().size();
    if (auto told = tell_messages(); !told) return told;
    if (marks)
      if (auto passed = marks->passed(paths.time(), paths.references(), made_); !passed)
        return passed;
    if (auto gone = go_over_rounds(); !gone) return gone;
    if (means_.options.progress && read_ - shown_ >= kProgressPaths) {
      means_.options.progress(read_ - shown_);
      shown_ = read_;
    }
  }
  return {};
}

Result<void> ThreadPass::go_on_until(uint64_t time) {
  messages_.look_again();
  // What the last path's call did may have come behind it.
  if (read_ != 0)
    if (auto told = tell_messages(); !told) return told;
  if (auto further = paths_->go_on_until(time); !further) return further;
  return run();
}

Result<void> ThreadPass::finish(Form& form) {
  const Trace& trace = program_.trace();
  ThreadForm done;
  const Ranks ranks(trace);
  done.rank = ranks.of(thread_);
  for (uint32_t t = 0; t < thread_; ++t) done.number += ranks.of(t) == done.rank;
  if (trace.processes().size() == 1) done.rank = recorded_rank(trace).value_or(done.rank);
  done.unknown = paths_->unknown();
  folder_.count(form.counts);
  folder_.finish(std::move(done), form);
  return means_.marks ? means_.marks->end(made_, form.threads.size() - 1) : Result<void>();
}

}  // namespace vestige::spmd
