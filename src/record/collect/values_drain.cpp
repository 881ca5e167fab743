#include "record/collect/values_drain.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace vestige {

using namespace protocol;

ValuesDrain::ValuesDrain(const Session& session, uint32_t ring, uint32_t thread,
                         StoreWriter& writer, uint64_t chunk_values, OrderLog* order,
                         Spares<RecordEncoder>& spares, WorkerPool* workers)
    : reader_(session, ring),
      thread_(thread),
      writer_(writer),
      chunk_values_(chunk_values),
      first_time_(reader_.entry().parent_time),
      time_(first_time_),
      rows_(&spares, workers, [&session] { session.ring_doorbell(); }),
      order_(order),
      tasks_(workers, [&session] { session.ring_doorbell(); }) {}

void ValuesDrain::run(Result<void> (ValuesDrain::*task)()) {
  tasks_.run([this, task] {
    if (result_) result_ = (this->*task)();
  });
}

Result<bool> ValuesDrain::parse(const uint64_t* piece, WhenFull when_full) {
  for (; seen_ < kPieceRecords; ++seen_) {
    const size_t i = seen_;
    // The value was stored before its head.
    const uint64_t head =
        std::atomic_ref(const_cast<uint64_t&>(piece[2 * i])).load(std::memory_order_acquire);
    if (head >> 63 == 0) break;
    // Times rise; 32 bits of them are there.
    time_ += static_cast<uint32_t>(head - time_);
    const auto index = static_cast<uint32_t>(head >> 32 & 0x7fffffff);
    if (index >= kOrderLeft && index <= kOrderRing) {
      parse_order(index, piece[2 * i + 1]);
      continue;
    }
    if (when_full == WhenFull::stop && !rows_.has_room()) return false;
    gave_checked_ |= (index & kChecked) != 0 && index != kPathAbandoned && index != kRoundingSet;
    rows_.append({time_ - first_time_ + 1, index, piece[2 * i + 1]});
    if (rows_.count() == chunk_values_)
      if (auto ok = write_chunk(); !ok) {
        ++seen_;
        return std::unexpected(std::move(ok.error()));
      }
  }
  return true;
}

void ValuesDrain::parse_order(uint32_t index, uint64_t value) {
  if (!order_) return;
  switch (index) {
    case kOrderRing:
      edge_.from_ring = value;
      break;
    case kOrderTime:
      edge_.from_time = value;
      break;
    case kOrderStatements:
      edge_.from_statement = static_cast<uint32_t>(value >> 32);
      edge_.to_statement = static_cast<uint32_t>(value);
      break;
    case kOrderLost:
      order_->lost();
      break;
    case kOrderLeft:
      order_->left(reader_.entry().parent_serial, time_ + 1, value);
      break;
    default:
      edge_.from_ordinal = static_cast<uint16_t>(value);
      edge_.to_ordinal = static_cast<uint16_t>(value >> 16);
      edge_.to_ring = reader_.entry().parent_serial;
      edge_.to_time = time_ + ((value & kAccessComplete) != 0 ? 0 : 1);
      order_->edge(edge_);
  }
}

Result<bool> ValuesDrain::take_pieces() {
  if (busy()) return false;
  if (!result_) return std::unexpected(result_.error());
  const bool nothing = reader_.filled() == reader_.drained() && flush_.load() != Flush::wanted;
  if (finishing_ || nothing) return false;
  if (rows_.waits_for_worker()) return false;
  run(&ValuesDrain::take_some);
  return true;
}

Result<void> ValuesDrain::take_some() {
  if (auto ok = take_handed_over(WhenFull::stop); !ok) return ok;
  return flush_.load() == Flush::wanted ? flush() : Result<void>();
}

Result<void> ValuesDrain::take_handed_over(WhenFull when_full) {
  // What is handed over meanwhile, too: to be asked again takes a while. But others wait as well.
  const uint64_t most = reader_.drained() + 4 * kPieces;
  for (uint64_t end = reader_.filled(); reader_.drained() < std::min(end, most);
       end = reader_.filled()) {
    auto* piece = reinterpret_cast<uint64_t*>(reader_.piece());
    const auto all = parse(piece, when_full);
    if (!all) return std::unexpected(all.error());
    if (!*all) break;
    std::memset(piece, 0, kPieceBytes);
    seen_ = 0;
    reader_.give_back(end);
  }
  return {};
}

void ValuesDrain::begin_to_flush() {
  if (finishing_ || flush_.load() == Flush::wanted) return;
  flush_piece_ = reader_.said_to_be_filled();  // a worker may be draining
  flush_.store(Flush::wanted);
}

bool ValuesDrain::flushed() {
  if (flush_.load() != Flush::done) return false;
  flush_.store(Flush::none);
  return true;
}

// As soon as that piece is taken, or all that is in it.
Result<void> ValuesDrain::flush() {
  if (reader_.drained() <= flush_piece_) {
    if (reader_.filled() != reader_.drained()) return {};
    const auto* piece = reinterpret_cast<const uint64_t*>(reader_.piece());
    if (auto all = parse(piece, WhenFull::wait); !all) return std::unexpected(all.error());
  }
  if (rows_.count() != 0)
    if (auto ok = write_chunk(); !ok) return ok;
  flush_.store(Flush::done);
  return {};
}

void ValuesDrain::begin_to_finish() {
  if (finishing_) return;
  finishing_ = true;
  tasks_.wait();
  run(&ValuesDrain::take_rest);
}

Result<void> ValuesDrain::take_rest() {
  while (reader_.filled() != reader_.drained())
    if (auto ok = take_handed_over(WhenFull::wait); !ok) return ok;
  auto* piece = reinterpret_cast<uint64_t*>(reader_.piece());
  if (auto all = parse(piece, WhenFull::wait); !all) return std::unexpected(all.error());
  std::memset(piece, 0, kPieceBytes);
  return write_chunk();
}

Result<void> ValuesDrain::finish() {
  begin_to_finish();
  tasks_.wait();
  return result_;
}

Result<void> ValuesDrain::write_chunk() {
  ValuesChunk chunk;
  chunk.thread = thread_;
  chunk.count = rows_.count();
  chunk.rows = rows_.finish();
  return writer_.append(chunk);
}

}  // namespace vestige
