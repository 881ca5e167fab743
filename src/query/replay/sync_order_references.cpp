#include "query/reference_source.h"
#include "query/replay/interleave.h"
#include "vestige/replay.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

// Places are times: an operation happens where its path ends.
class RecordedFeed final : public ThreadFeed {
 public:
  static Result<std::unique_ptr<RecordedFeed>> open(const Trace& trace, uint32_t thread,
                                                    uint64_t& unknown) {
    auto source = ReferenceSource::open(trace);
    if (!source) return std::unexpected(source.error());
    if (auto begun = source->seek(thread, 0); !begun) return std::unexpected(begun.error());
    auto marks = SyncCursor::open(trace, thread);
    if (!marks) return std::unexpected(marks.error());
    return std::unique_ptr<RecordedFeed>(
        new RecordedFeed(std::move(*source), std::move(*marks), unknown));
  }
  Result<void> read(std::vector<Placed>& out) override {
    const uint64_t before = source_.unknown();
    if (auto read = source_.read(piece_); !read) return read;
    unknown_ += source_.unknown() - before;
    out.clear();
    for (const TimedReference& timed : piece_) out.push_back({timed.time, timed.reference});
    return {};
  }
  Result<std::optional<Mark>> next_mark() override {
    if (!marks_.next()) {
      if (marks_.error()) return std::unexpected(*marks_.error());
      return std::optional<Mark>();
    }
    return std::optional<Mark>({marks_.operation().time, marks_.operation().stamp});
  }

 private:
  RecordedFeed(ReferenceSource source, SyncCursor marks, uint64_t& unknown)
      : source_(std::move(source)), marks_(std::move(marks)), unknown_(unknown) {}
  ReferenceSource source_;
  SyncCursor marks_;
  uint64_t& unknown_;
  std::vector<TimedReference> piece_;
};

}  // namespace

Result<uint64_t> read_references_in_sync_order(const Trace& trace, uint64_t turn,
                                               const std::function<bool(const Reference&)>& take) {
  const auto with_values = ReferenceSource::open(trace);
  if (!with_values) return std::unexpected(with_values.error());
  const std::vector<uint32_t> numbers = with_values->threads();
  uint64_t unknown = 0;
  std::vector<InterleavedThread> threads;
  for (const uint32_t number : numbers) {
    auto feed = RecordedFeed::open(trace, number, unknown);
    if (!feed) return std::unexpected(feed.error());
    InterleavedThread thread;
    thread.feed = std::move(*feed);
    const ThreadInfo& info = trace.threads()[number];
    for (uint32_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] == info.parent && i != threads.size()) thread.parent = i;
    thread.parent_place = info.parent_time;
    threads.push_back(std::move(thread));
  }
  if (auto done = interleave(std::move(threads), turn, take); !done)
    return std::unexpected(done.error());
  return unknown;
}

}  // namespace vestige
