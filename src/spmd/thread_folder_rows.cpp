// Rows of paths, taken at once.
//
// They are rounds of a loop that do the same in all contexts inside it. A few are taken path by path,
// until each stream is one to which the next row does what the last one did (stream_rows.cpp).
#include <algorithm>

#include "spmd/thread_folder.h"

namespace vestige::spmd {

ThreadFolder::RowEnd ThreadFolder::row_end() {
  RowEnd end;
  end.node = position_.node();
  end.index = position_[end.node].index;
  end.epoch = position_[end.node].epoch;
  end.frames = frames_.size();
  end.depth = position_.depth();
  end.streams = streams_.size();
  end.plans = plans_.size();
  end.activations = activations_;
  end.strays = strays_;
  end.messages = messages_told_ + messages_.size();
  end.open = open_;
  end.pending = context(end.node).pending;
  end.references = references_;
  end.pieces = pieces_;
  for (const auto& [path, plan] : plans_) end.times.emplace_back(plan.get(), plan->times);
  return end;
}

// Further iterations of the same loop, and nothing else.
bool ThreadFolder::RowEnd::goes_on_to(const RowEnd& next, uint64_t iterations) const {
  return node == next.node && index + iterations == next.index && epoch == next.epoch &&
         frames == next.frames && depth == next.depth && streams == next.streams &&
         plans == next.plans && activations == next.activations && strays == next.strays &&
         messages == next.messages && open == next.open && pending == next.pending;
}

void ThreadFolder::begin_rows() {
  row_periods_.clear();
  for (uint64_t rows = 1; rows <= kMostPeriods; rows *= 2) {
    row_periods_.push_back({.rows = rows});
    end_row(row_periods_.back());
  }
  row_number_ = 0;
}

bool ThreadFolder::end_row(RowPeriod& period) {
  period.before = std::move(period.last);
  period.last = row_end();
  const uint32_t node = position_.node();
  const size_t coordinate = contexts_.depth(node) - 1;
  bool same = !plugin_ && period.before.goes_on_to(period.last, period.rows) &&
              position_.is_loop(node) && !position_[node].shared;
  if (period.marks.size() != streams_.size()) period.marks.assign(streams_.size(), {});
  size_t at = 0;
  for (const auto& [id, folder] : streams_)
    same &= folder->end_row(period.marks[at++], coordinate, period.rows);
  return same;
}

uint64_t ThreadFolder::end_row() {
  ++row_number_;
  row_period_ = nullptr;
  for (RowPeriod& period : row_periods_)
    if (row_number_ % period.rows == 0 && end_row(period) && !row_period_) row_period_ = &period;
  return row_period_ ? row_period_->rows : 0;
}

void ThreadFolder::add_rows(uint64_t times) {
  const RowEnd &before = row_period_->before, &last = row_period_->last;
  size_t at = 0;
  for (const auto& [id, folder] : streams_)
    folder->add_rows(row_period_->marks[at++], contexts_.depth(last.node) - 1, row_period_->rows,
                     times);
  references_ += times * (last.references - before.references);
  pieces_ += times * (last.pieces - before.pieces);
  for (size_t p = 0; p < last.times.size(); ++p)
    last.times[p].first->times += times * (last.times[p].second - before.times[p].second);
  position_.iterate(times * row_period_->rows);
}

}  // namespace vestige::spmd
