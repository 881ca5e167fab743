#include "archive/sections_in_order.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "base/quiet_thread.h"

namespace vestige {
namespace {

struct DecodedRows {
  uint32_t rows;
  Bytes raw;
  uint64_t at;
};

// A section that is being decoded or waits to be handed over.
struct PendingSection {
  std::deque<DecodedRows> pieces;
  bool done = false;
  Result<uint64_t> total = 0;  // when done
};

// What the threads share. Section s stands at s − first in `sections`.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<PendingSection> sections;
  size_t first = 0;    // the one being handed over
  size_t next = 0;     // the next that a thread takes
  size_t waiting = 0;  // bytes
  bool stopped = false;
  std::vector<Bytes> spare;  // memory of rows that were handed over: fresh pages cost time
};

// One section, block by block; `give` is false when nobody wants more. It may leave memory for the
// next block.
template <class Give>
Result<uint64_t> decode_section(const ByteSource& source, const BlockReader& opened,
                                const ArchiveDirectory& directory, size_t s, unsigned threads,
                                const Give& give) {
  auto reader = opened.at_section(source, directory.sections[s], threads);
  if (!reader) return std::unexpected(reader.error());
  const uint64_t end = directory.end_of(s);
  const uint64_t records = directory.sections[s].first + directory.records_of(s);
  while (reader->archive().bytes_read() < end) {
    const auto rows = reader->next();
    if (!rows) return std::unexpected(rows.error());
    const ArchiveReader& archive = reader->archive();
    if (*rows == 0 || archive.bytes_read() > end || archive.records() > records ||
        archive.section_first() != directory.sections[s].first)
      return archive.damaged("the directory does not fit the blocks");
    Bytes raw = std::exchange(reader->raw(), {});
    if (!give({*rows, std::move(raw), archive.bytes_read()}, reader->raw())) return 0;
  }
  if (reader->archive().records() != records)
    return reader->archive().damaged("the directory does not fit the blocks");
  return reader->archive().section_total();
}

}  // namespace

Result<uint64_t> SectionsInOrder::run(const Rows& rows) {
  Shared shared;
  const size_t sections = directory_.sections.size();
  const auto side_by_side = static_cast<unsigned>(std::min<size_t>(threads_, sections));
  const unsigned threads_each = std::max(1u, threads_ / std::max(1u, side_by_side));
  const size_t budget = kAhead * side_by_side;
  const auto work = [&] {
    std::unique_lock lock(shared.mutex);
    while (!shared.stopped && shared.next < sections) {
      const size_t s = shared.next++;
      PendingSection& section = shared.sections.emplace_back();
      lock.unlock();
      const auto give = [&](DecodedRows piece, Bytes& next) {
        std::unique_lock held(shared.mutex);
        shared.changed.wait(
            held, [&] { return shared.stopped || s == shared.first || shared.waiting < budget; });
        shared.waiting += piece.raw.size();
        section.pieces.push_back(std::move(piece));
        shared.changed.notify_all();
        if (!shared.spare.empty()) {
          next = std::move(shared.spare.back());
          shared.spare.pop_back();
        }
        return !shared.stopped;
      };
      auto total = decode_section(source_, opened_, directory_, s, threads_each, give);
      lock.lock();
      section.total = std::move(total);
      section.done = true;
      shared.changed.notify_all();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < side_by_side; ++t) threads.push_back(quiet_thread(work));

  uint64_t chain = opened_.archive().header_check();
  Result<void> going;
  std::unique_lock lock(shared.mutex);
  for (; going && shared.first < sections;) {
    shared.changed.wait(lock, [&] {
      return !shared.sections.empty() &&
             (!shared.sections.front().pieces.empty() || shared.sections.front().done);
    });
    PendingSection& section = shared.sections.front();
    if (!section.pieces.empty()) {
      DecodedRows piece = std::move(section.pieces.front());
      section.pieces.pop_front();
      shared.waiting -= piece.raw.size();
      shared.changed.notify_all();
      lock.unlock();
      going = rows(piece.rows, piece.raw, piece.at);
      lock.lock();
      if (shared.spare.size() < side_by_side) shared.spare.push_back(std::move(piece.raw));
    } else if (!section.total) {
      going = std::unexpected(section.total.error());
    } else {
      chain = fold_numbers(chain, *section.total);
      shared.sections.pop_front();
      ++shared.first;
      shared.changed.notify_all();
    }
  }
  shared.stopped = true;
  shared.changed.notify_all();
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  if (!going) return std::unexpected(going.error());
  return chain;
}

}  // namespace vestige
