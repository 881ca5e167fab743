#include "spmd/sync_marks.h"

#include <algorithm>

#include "query/threads/events.h"
#include "spmd/player.h"

namespace vestige::spmd {

Result<SyncMarkFolder> SyncMarkFolder::open(const Trace& trace) {
  SyncMarkFolder out(trace);
  out.orders_.resize(trace.threads().size());
  out.distances_.resize(trace.threads().size());
  out.counts_.resize(trace.threads().size());
  out.atomic_ = threads::atomic_statements(trace);
  std::vector<uint64_t> last(trace.threads().size());
  auto order = SyncOrderCursor::open(trace);
  if (!order) return std::unexpected(order.error());
  uint64_t number = 0;
  while (order->next()) {
    const uint32_t thread = order->operation().thread;
    out.orders_[thread].append(++number - last[thread], *out.position_, Contexts::kRoot);
    last[thread] = number;
    ++out.counts_[thread];
  }
  if (order->error()) return std::unexpected(*order->error());
  return out;
}

Result<void> SyncMarkFolder::begin(uint32_t thread) {
  thread_ = thread;
  last_ = 0;
  auto cursor = SyncCursor::open(*trace_, thread);
  if (!cursor) return std::unexpected(cursor.error());
  cursor_.emplace(std::move(*cursor));
  has_next_ = cursor_->next();
  started_.clear();
  for (uint32_t t = 0; t < trace_->threads().size(); ++t)
    if (trace_->threads()[t].parent == thread && t != thread)
      started_.push_back({trace_->threads()[t].parent_time, t});
  std::ranges::sort(started_, std::greater(), &Started::time);
  return {};
}

Result<void> SyncMarkFolder::passed(uint64_t time, std::span<const Reference> own,
                                    uint64_t references) {
  const bool atomic = !own.empty() && atomic_[own.back().statement_id];
  for (; !started_.empty() && started_.back().time <= time; started_.pop_back())
    parent_places_[started_.back().child] = references;
  for (; has_next_ && cursor_->operation().time <= time; has_next_ = cursor_->next()) {
    const SyncOperation& operation = cursor_->operation();
    const bool before = atomic && operation.time == time && is_atomic(operation.kind);
    const uint64_t place = std::max(references - before, last_);
    distances_[thread_].append(place - last_, *position_, Contexts::kRoot);
    last_ = place;
  }
  if (cursor_->error()) return std::unexpected(*cursor_->error());
  return {};
}

Result<void> SyncMarkFolder::end(uint64_t references, size_t place) {
  places_[thread_] = place;
  return passed(UINT64_MAX, {}, references);
}

void SyncMarkFolder::finish(Form& form) {
  for (const auto& [thread, place] : places_) {
    const ThreadInfo& info = trace_->threads()[thread];
    ThreadForm& made = form.threads[place];
    const auto add = [&](uint8_t part, StreamFolder& folder) {
      Stream stream = folder.finish();
      if (!stream.sections.empty() || !stream.literals.empty())
        made.streams.emplace(StreamId{Contexts::kRoot, StreamKind::sync, 0, part},
                             std::move(stream));
    };
    add(0, distances_[thread]);
    add(1, orders_[thread]);
    StreamFolder count;
    count.append(counts_[thread], *position_, Contexts::kRoot);
    add(4, count);
    const auto parent = places_.find(info.parent);
    const bool known = parent != places_.end() && form.threads[parent->second].rank == made.rank;
    StreamFolder who, when;
    who.append(known ? form.threads[parent->second].number + uint64_t{1} : 0, *position_,
               Contexts::kRoot);
    when.append(known ? parent_places_[thread] : 0, *position_, Contexts::kRoot);
    add(2, who);
    add(3, when);
  }
}

namespace {

const Stream* sync_stream(const ThreadForm& thread, uint8_t part) {
  const auto found = thread.streams.find({Contexts::kRoot, StreamKind::sync, 0, part});
  return found == thread.streams.end() ? nullptr : &found->second;
}

uint64_t only_number(const ThreadForm& thread, uint8_t part) {
  const Stream* stream = sync_stream(thread, part);
  return stream && !stream->sections.empty() ? stream->sections[0].event.constant : 0;
}

class PlayedFeed final : public ThreadFeed {
 public:
  PlayedFeed(const Form& form, uint32_t thread) : player_(form, thread), position_(contexts_) {
    if (const Stream* stream = sync_stream(form.threads[thread], 0)) distances_.emplace(*stream);
    if (const Stream* stream = sync_stream(form.threads[thread], 1)) orders_.emplace(*stream);
    left_ = only_number(form.threads[thread], 4);
  }
  Result<void> read(std::vector<Placed>& out) override {
    out.clear();
    if (auto read = player_.read(batch_); !read) return read;
    for (const Reference& reference : batch_) out.push_back({++place_, reference});
    return {};
  }
  Result<std::optional<Mark>> next_mark() override {
    if (left_ == 0) return std::optional<Mark>();
    --left_;
    if (distances_ && orders_) {
      mark_.place += distances_->next(position_, Contexts::kRoot);
      mark_.stamp += orders_->next(position_, Contexts::kRoot);
      if (!distances_->failed() && !orders_->failed()) return std::optional<Mark>(mark_);
    }
    return fail(ErrorKind::corrupt,
                "there are more synchronization operations than places of them");
  }

 private:
  Player player_;
  Contexts contexts_;
  Position position_;
  std::optional<StreamReader> distances_, orders_;
  std::vector<Reference> batch_;
  uint64_t place_ = 0;
  Mark mark_;
  uint64_t left_ = 0;
};

}  // namespace

bool has_sync_marks(const Form& form) {
  return std::ranges::all_of(
      form.threads, [](const ThreadForm& thread) { return sync_stream(thread, 2) != nullptr; });
}

std::vector<InterleavedThread> interleaved_threads(const Form& form) {
  std::vector<InterleavedThread> out;
  for (uint32_t t = 0; t < form.threads.size(); ++t) {
    const ThreadForm& thread = form.threads[t];
    InterleavedThread one;
    one.feed = std::make_unique<PlayedFeed>(form, t);
    const uint64_t parent = only_number(thread, 2);
    for (uint32_t p = 0; p < form.threads.size() && parent != 0; ++p)
      if (p != t && form.threads[p].rank == thread.rank &&
          form.threads[p].number + uint64_t{1} == parent)
        one.parent = p;
    one.parent_place = only_number(thread, 3);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace vestige::spmd
