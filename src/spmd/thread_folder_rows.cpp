// Rows of paths, taken at once.
//
// They are rounds of a loop that do the same in all contexts inside it. A few are taken path by
// path, until each stream is one to which the next row does what the last one did
// (stream_rows.cpp).
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

// Another iteration of the same loop, and nothing else.
bool ThreadFolder::RowEnd::goes_on_to(const RowEnd& next) const {
  return node == next.node && index + 1 == next.index && epoch == next.epoch &&
         frames == next.frames && depth == next.depth && streams == next.streams &&
         plans == next.plans && activations == next.activations && strays == next.strays &&
         messages == next.messages && open == next.open && pending == next.pending;
}

void ThreadFolder::begin_rows() {
  row_marks_.clear();
  row_ends_[0] = {};
  row_number_ = rows_alike_ = 0;
  end_row();
}

uint64_t ThreadFolder::end_row() {
  row_ends_[1] = std::move(row_ends_[0]);
  row_ends_[0] = row_end();
  const uint32_t node = position_.node();
  const size_t coordinate = contexts_.depth(node) - 1;
  ++row_number_;
  const bool alike = !plugin_ && row_ends_[1].goes_on_to(row_ends_[0]) && position_.is_loop(node) &&
                     !position_[node].shared;
  rows_alike_ = alike ? rows_alike_ + 1 : 0;
  if (row_marks_.size() != streams_.size()) row_marks_.assign(streams_.size(), {});
  uint64_t rows = 1;
  size_t at = 0;
  for (const auto& [id, folder] : streams_) {
    RowMarks& marks = row_marks_[at++];
    const bool one = folder->end_row(marks.one, coordinate, 1),
               two = folder->end_row(marks.two[row_number_ % 2], coordinate, 2);
    marks.rows = one ? 1 : two ? 2 : 0;
    rows = rows == 0 || marks.rows == 0 ? 0 : std::max(rows, marks.rows);
  }
  return rows_alike_ >= 4 ? rows : 0;
}

void ThreadFolder::add_rows(uint64_t rows) {
  const RowEnd &before = row_ends_[1], &last = row_ends_[0];
  const size_t coordinate = contexts_.depth(last.node) - 1;
  size_t at = 0;
  for (const auto& [id, folder] : streams_) {
    const RowMarks& marks = row_marks_[at++];
    folder->add_rows(marks.rows == 1 ? marks.one : marks.two[row_number_ % 2], coordinate,
                     marks.rows, rows / marks.rows);
  }
  references_ += rows * (last.references - before.references);
  pieces_ += rows * (last.pieces - before.pieces);
  for (size_t p = 0; p < last.times.size(); ++p)
    last.times[p].first->times += rows * (last.times[p].second - before.times[p].second);
  position_.iterate(rows);
}

}  // namespace vestige::spmd
