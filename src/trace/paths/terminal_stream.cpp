#include "trace/paths/terminal_stream.h"

#include <algorithm>

namespace vestige {

namespace {

constexpr uint32_t kPlainPaths = 1 << 20;

}  // namespace

uint32_t TerminalStream::number(uint64_t key, const Terminal& terminal) {
  const auto [at, fresh] = numbers_.try_emplace(key, static_cast<uint32_t>(terminals_.size()));
  if (fresh) terminals_.push_back(terminal);
  return at->second;
}

// A change of the stack is the same terminal as an equal one among the last few.
void TerminalStream::add_change(const Terminal& change, std::vector<uint32_t>& out) {
  const auto same =
      std::ranges::find_if(changes_, [&](uint32_t n) { return terminals_[n] == change; });
  if (same != changes_.end()) return out.push_back(*same);
  const auto number = static_cast<uint32_t>(terminals_.size());
  terminals_.push_back(change);
  if (changes_.size() < kRecentChanges)
    changes_.push_back(number);
  else
    changes_[number % kRecentChanges] = number;
  out.push_back(number);
}

// All activations end; `after` others, of which nothing is known, are there instead.
void TerminalStream::forget_stack(uint64_t after, uint64_t missing, std::vector<uint32_t>& out) {
  Terminal t;
  t.lowest = -static_cast<int32_t>(depth());
  t.net = t.lowest + static_cast<int32_t>(after);
  t.times = missing;
  add_change(t, out);
}

void TerminalStream::change(const Event& event, std::vector<uint32_t>& out) {
  const StackChange& change = event.stack;
  const uint64_t keep = std::min(change.keep, depth());
  if (event.reason != format::ResyncReason::unwound) {
    forget_stack(keep + change.frames.size(), 0, out);
  } else if (keep < depth() || !change.frames.empty()) {
    Terminal t;
    t.lowest = -static_cast<int32_t>(depth() - keep);
    t.net = t.lowest + static_cast<int32_t>(change.frames.size());
    add_change(t, out);
  }
  if (keep >= below_) {
    stack_.resize(keep - below_);
  } else {
    below_ = keep;
    stack_.clear();
  }
  stack_.resize(stack_.size() + change.frames.size(), kNone);
}

void TerminalStream::step(const Path& path, std::vector<uint32_t>& out) {
  if (path.enters) {
    const uint32_t caller = stack_.empty() ? kNone : stack_.back();
    out.push_back(number(uint64_t{path.id} | uint64_t{caller} << 32, terminal_of(path, caller)));
    if (!path.leaves) stack_.push_back(path.function);
    return;
  }
  if (path.id < kPlainPaths) {
    if (path.id >= plain_.size()) plain_.resize(std::min(kPlainPaths, 2 * path.id + 64), kNone);
    if (plain_[path.id] == kNone) {
      plain_[path.id] = static_cast<uint32_t>(terminals_.size());
      terminals_.push_back(terminal_of(path, kNone));
    }
    out.push_back(plain_[path.id]);
  } else {
    out.push_back(number(uint64_t{path.id} | uint64_t{kNone} << 32, terminal_of(path, kNone)));
  }
  if (path.leaves) {
    if (!stack_.empty())
      stack_.pop_back();
    else if (below_ > 0)
      --below_;
  } else if (stack_.empty()) {
    if (below_ > 0) --below_;
    stack_.push_back(path.function);
  } else {
    stack_.back() = path.function;
  }
}

// Reads what the chunk needs besides its paths.
Result<void> TerminalStream::open_chunk() {
  const ChunkPlace& place = trace_.chunks[thread_][chunk_];
  auto view = trace_.view(thread_, chunk_);
  if (!view) return std::unexpected(std::move(view.error()));
  auto events = trace_.events(place, *view);
  if (!events) return std::unexpected(std::move(events.error()));
  auto words = WordCursor::open(view->codec, view->words);
  if (!words) return std::unexpected(trace_.in_chunk(place, words.error()));
  if (words->size() != place.path_count)
    return std::unexpected(
        trace_.in_chunk(place, {ErrorKind::corrupt, "it does not hold as many paths as it says"}));
  std::erase_if(*events, [](const Event& e) { return e.kind != format::EventKind::resync; });
  resyncs_ = std::move(*events);
  next_resync_ = 0;
  words_ = std::move(*words);
  return {};
}

Result<void> TerminalStream::start_chunk(size_t chunk) {
  const ChunkPlace& place = trace_.chunks[thread_][chunk];
  if (!started_ || trace_.hole_before(thread_, chunk)) {
    auto frames = stack_at_chunk(trace_, thread_, chunk);
    if (!frames) return std::unexpected(std::move(frames.error()));
    if (started_ && place.first_time > time_)
      forget_stack(frames->size(), place.first_time - time_, pending_);
    stack_.clear();
    below_ = frames->size();
  }
  started_ = true;
  time_ = place.first_time;
  return open_chunk();
}

Result<void> TerminalStream::read(std::vector<uint32_t>& out) {
  out.clear();
  const auto& chunks = trace_.chunks[thread_];
  while (true) {
    if (!words_) {
      if (chunk_ == chunks.size()) {
        out.swap(pending_);
        pending_.clear();
        return {};
      }
      if (auto opened = start_chunk(chunk_); !opened) return opened;
    }
    const ChunkPlace& place = chunks[chunk_];
    out.insert(out.end(), pending_.begin(), pending_.end());
    pending_.clear();
    const uint64_t position = time_ - place.first_time;
    if (position == place.path_count) {
      for (; next_resync_ < resyncs_.size(); ++next_resync_) change(resyncs_[next_resync_], out);
      words_.reset();
      ++chunk_;
      if (out.empty()) continue;
      return {};
    }
    if (!words_->seek(position) || words_->block().empty()) {
      static const Error kEmpty{ErrorKind::corrupt, "its paths cannot be decoded"};
      return std::unexpected(trace_.in_chunk(place, words_->error() ? *words_->error() : kEmpty));
    }
    const auto block = words_->block().subspan(position - words_->block_begin());
    out.reserve(out.size() + block.size());
    for (const uint32_t word : block) {
      for (; next_resync_ < resyncs_.size() && resyncs_[next_resync_].time < time_; ++next_resync_)
        change(resyncs_[next_resync_], out);
      const Path* path = trace_.paths.find(word);
      if (!path)
        return std::unexpected(trace_.in_chunk(
            place, {ErrorKind::corrupt, "time " + std::to_string(time_) +
                                            ": no function has path id " + std::to_string(word)}));
      step(*path, out);
      ++time_;
    }
    if (depth() >= kMaxDepth)
      return std::unexpected(
          trace_.in_chunk(place, {ErrorKind::unsupported, "its call stack is deeper than 2^24"}));
    return {};
  }
}

Result<void> TerminalStream::seek(uint64_t time, uint32_t innermost) {
  const auto& chunks = trace_.chunks[thread_];
  chunk_ = trace_.chunk_at(thread_, time);
  if (chunk_ == chunks.size())
    return fail(ErrorKind::usage, "there is no path at time " + std::to_string(time));
  pending_.clear();
  stack_.clear();
  started_ = true;
  time_ = time;
  if (time < chunks[chunk_].first_time) {
    // In a hole: whatever was there ends with it.
    words_.reset();
    below_ = kMaxDepth;
    return {};
  }
  if (auto opened = open_chunk(); !opened) return opened;
  DepthMap depths(trace_, thread_);
  auto size = depths.after(time - 1);
  if (time == chunks[chunk_].first_time) {
    auto frames = stack_at_chunk(trace_, thread_, chunk_);
    if (!frames) return std::unexpected(std::move(frames.error()));
    size = frames->size();
  }
  if (!size) return std::unexpected(std::move(size.error()));
  below_ = *size;
  if (below_ > 0) {
    --below_;
    stack_.push_back(innermost);
  }
  // Events at `time - 1` come before the path, so they have not happened yet.
  next_resync_ = static_cast<size_t>(
      std::ranges::lower_bound(resyncs_, time - 1, {}, &Event::time) - resyncs_.begin());
  return {};
}

}  // namespace vestige
