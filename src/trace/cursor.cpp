// PathCursor: windows are the blocks of a chunk's word codec. Inside a window the header's inline
// steps do everything; here is what happens at its edges.
//
// While a move may still fail, the old window must stay readable. A new chunk is therefore opened
// in a second word cursor, and a failed step within a chunk decodes the old block again.
#include <algorithm>

#include "base/same_words.h"
#include "trace/state.h"

namespace vestige {

const uint32_t PathCursor::nowhere_ = 0;

struct PathCursor::State {
  const Trace::State& trace;
  uint32_t thread;
  size_t chunk = 0;                 // of the window; meaningless when there is none
  std::optional<WordCursor> words;  // on that chunk
  uint64_t window = 0;              // position of the window's first word in the chunk
  bool skip_damage = false;
  std::optional<Error> error;
  bool lost_chunk = false;  // error is about the chunk, not about a single path id

  const std::vector<ChunkPlace>& chunks() const { return trace.chunks[thread]; }
  uint64_t first_time() const { return chunks().empty() ? 1 : chunks().front().first_time; }
  uint64_t end_time() const { return chunks().empty() ? 1 : chunks().back().end_time(); }

  Result<WordCursor> open(size_t index) const {
    auto view = trace.view(thread, index);
    if (!view) return std::unexpected(std::move(view.error()));
    auto opened = trace.words(chunks()[index], *view);
    if (!opened) return opened;
    if (opened->size() != view->path_count) {
      return std::unexpected(trace.in_chunk(
          chunks()[index],
          {ErrorKind::corrupt, "it holds " + std::to_string(opened->size()) + " paths instead of " +
                                   std::to_string(view->path_count)}));
    }
    return opened;
  }

  Error unknown_path(size_t index, uint64_t time, uint32_t id) const {
    return trace.in_chunk(chunks()[index], {ErrorKind::corrupt, "time " + std::to_string(time) +
                                                                    ": no function has path id " +
                                                                    std::to_string(id)});
  }

  // Makes the block that holds word `position` of chunk `index` the window. On failure the old
  // window is still in place, and `error` is set.
  bool enter(size_t index, uint64_t position) {
    if (words && index == chunk) {
      const uint64_t old = window;
      if (words->seek(position) && has_block(*words, position)) {
        window = words->block_begin();
        return true;
      }
      error = damage(index, *words);
      reopen(index, old);
      return false;
    }
    auto opened = open(index);
    if (!opened) {
      error = std::move(opened.error());
      return false;
    }
    if (!opened->seek(position) || !has_block(*opened, position)) {
      error = damage(index, *opened);
      return false;
    }
    words = std::move(*opened);
    chunk = index;
    window = words->block_begin();
    return true;
  }

 private:
  static bool has_block(const WordCursor& cursor, uint64_t position) {
    return position >= cursor.block_begin() &&
           position - cursor.block_begin() < cursor.block().size();
  }
  Error damage(size_t index, const WordCursor& cursor) const {
    static const Error kEmpty{ErrorKind::corrupt, "its paths cannot be decoded"};
    return trace.in_chunk(chunks()[index], cursor.error() ? *cursor.error() : kEmpty);
  }
  void reopen(size_t index, uint64_t old) {
    auto opened = open(index);
    words.reset();
    if (opened && opened->seek(old)) words = std::move(*opened);
  }
};

PathCursor::PathCursor(std::unique_ptr<State> state) : state_(std::move(state)) {
  pages_ = state_->trace.paths.pages();
  page_count_ = state_->trace.paths.page_count();
  to_start();
}
PathCursor::PathCursor(PathCursor&&) noexcept = default;
PathCursor& PathCursor::operator=(PathCursor&&) noexcept = default;
PathCursor::~PathCursor() = default;

Result<PathCursor> Trace::walk(uint32_t thread) const {
  if (auto known = state_->check_thread(thread); !known)
    return std::unexpected(std::move(known.error()));
  return PathCursor(std::make_unique<PathCursor::State>(*state_, thread));
}

const Error* PathCursor::error() const { return state_->error ? &*state_->error : nullptr; }
const Path* PathCursor::lookup_slow(uint32_t id) const { return state_->trace.paths.find(id); }
void PathCursor::skip_damage() { state_->skip_damage = true; }
void PathCursor::stand_before(uint64_t time) {
  stand_nowhere(std::clamp(time, state_->first_time(), state_->end_time()) - 1);
}
void PathCursor::to_start() { stand_nowhere(state_->first_time() - 1); }
void PathCursor::to_end() { stand_nowhere(state_->end_time()); }

uint64_t PathCursor::same_ahead(uint64_t most) const {
  const auto left = static_cast<uint64_t>(window_end_ - at_);
  if (!path_ || left < 2) return 0;
  return same_words(at_ + 1, std::min(left - 1, most), *at_);
}

uint64_t PathCursor::end_time() const { return state_->end_time(); }

uint64_t PathCursor::go_over(std::span<const uint32_t> row, uint64_t most) {
  if (!path_) return 0;
  const uint64_t first = time_;
  uint64_t rows = 0;
  for (size_t in_row = 0; rows < most;) {
    const size_t same = std::min(static_cast<size_t>(window_end_ - at_) - 1, row.size() - in_row);
    if (same == 0) {
      const uint64_t before = time_;
      if (!next_window() || time_ != before + 1 || *at_ != row[in_row]) break;
      ++in_row;
    } else if (std::equal(at_ + 1, at_ + 1 + same, row.data() + in_row)) {
      at_ += same;
      time_ += same;
      in_row += same;
    } else {
      break;
    }
    if (in_row < row.size()) continue;
    in_row = 0;
    ++rows;
  }
  // It stands in the middle of a row, or nowhere.
  seek(first + rows * row.size());
  return rows;
}

void PathCursor::stand_nowhere(uint64_t time) {
  at_ = window_begin_ = window_end_ = &nowhere_;
  path_ = nullptr;
  time_ = time;
  state_->error.reset();
}

void PathCursor::show_window(size_t at) {
  const std::span<const uint32_t> block = state_->words->block();
  window_begin_ = block.data();
  window_end_ = block.data() + block.size();
  at_ = window_begin_ + at;
}

// Stands on a path of this chunk, or sets the error and stays.
bool PathCursor::stand_on(size_t chunk, uint64_t time) {
  State& s = *state_;
  const bool stood = path_ != nullptr;
  const size_t old_at = static_cast<size_t>(at_ - window_begin_);
  const size_t old_chunk = s.chunk;
  const uint64_t old_window = s.window;
  const uint64_t position = time - s.chunks()[chunk].first_time;
  if (!s.enter(chunk, position)) {
    s.lost_chunk = true;
    Error lost = std::move(*s.error);
    if (!stood || !s.words)
      stand_nowhere(time_);
    else
      show_window(old_at);
    s.error = std::move(lost);
    return false;
  }
  show_window(position - s.window);
  if (const Path* path = lookup(*at_)) {
    path_ = path;
    time_ = time;
    return true;
  }
  Error unknown = s.unknown_path(chunk, time, *at_);
  if (stood && s.enter(old_chunk, old_window))
    show_window(old_at);
  else
    stand_nowhere(time_);
  s.lost_chunk = false;
  s.error = std::move(unknown);
  return false;
}

bool PathCursor::seek(uint64_t time) {
  State& s = *state_;
  s.error.reset();
  if (time < s.first_time()) return to_start(), false;
  if (time >= s.end_time()) return to_end(), false;
  // At hand: nothing is to be decoded.
  const uint64_t window = time_ - static_cast<uint64_t>(at_ - window_begin_);
  if (path_ && time >= window &&
      time - window < static_cast<uint64_t>(window_end_ - window_begin_)) {
    if (const Path* path = lookup(window_begin_[time - window])) {
      at_ = window_begin_ + (time - window);
      path_ = path;
      time_ = time;
      return true;
    }
  }
  const size_t chunk = s.trace.chunk_at(s.thread, time);
  if (time >= s.chunks()[chunk].first_time) return stand_on(chunk, time);
  s.error = Error{ErrorKind::missing, s.trace.file + ": time " + std::to_string(time) +
                                          " of thread " + std::to_string(s.thread) +
                                          " is not in the trace (lost to damage)"};
  return false;
}

// The word beside the cursor names no path.
bool PathCursor::bad_path(bool forward) {
  State& s = *state_;
  const uint64_t time = forward ? time_ + 1 : time_ - 1;
  s.error = s.unknown_path(s.chunk, time, forward ? at_[1] : at_[-1]);
  if (!s.skip_damage) return false;
  for (const uint32_t* word = at_; forward ? ++word < window_end_ : --word >= window_begin_;) {
    const Path* path = lookup(*word);
    if (!path) continue;
    time_ += static_cast<uint64_t>(word - at_);
    at_ = word;
    path_ = path;
    return true;
  }
  return forward ? next_window() : prev_window();
}

bool PathCursor::next_window() {
  State& s = *state_;
  s.error.reset();
  // Behind the window, wherever in it the cursor stands: bad_path comes here from its middle.
  uint64_t time = path_ ? time_ + static_cast<uint64_t>(window_end_ - at_) : time_ + 1;
  while (true) {
    const size_t chunk = s.trace.chunk_at(s.thread, time);
    if (chunk >= s.chunks().size()) return to_end(), false;
    time = std::max(time, s.chunks()[chunk].first_time);
    if (stand_on(chunk, time)) return true;
    if (!s.skip_damage) return false;
    time = s.lost_chunk ? s.chunks()[chunk].end_time() : time + 1;
  }
}

bool PathCursor::prev_window() {
  State& s = *state_;
  s.error.reset();
  uint64_t time = path_ ? time_ - static_cast<uint64_t>(at_ - window_begin_) : time_;
  while (time > s.first_time()) {
    --time;
    size_t chunk = s.trace.chunk_at(s.thread, time);
    while (chunk == s.chunks().size() || time < s.chunks()[chunk].first_time)  // in a hole
      time = std::min(time, s.chunks()[--chunk].end_time() - 1);
    if (s.chunks()[chunk].path_count == 0) continue;
    if (stand_on(chunk, time)) return true;
    if (!s.skip_damage) return false;
    if (s.lost_chunk) time = s.chunks()[chunk].first_time;
  }
  return to_start(), false;
}

}  // namespace vestige
