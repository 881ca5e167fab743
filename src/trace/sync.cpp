// SyncCursor and SyncOrderCursor: chunks are found when they are needed, and one block of one chunk
// is decoded at a time, per thread.
#include "vestige/sync.h"

#include <algorithm>
#include <iterator>

#include "store/sync_rows.h"
#include "trace/state.h"

namespace vestige {

std::string_view sync_kind_name(SyncKind kind) {
  switch (kind) {
    case SyncKind::mutex_lock:
      return "mutex_lock";
    case SyncKind::mutex_unlock:
      return "mutex_unlock";
    case SyncKind::read_lock:
      return "read_lock";
    case SyncKind::write_lock:
      return "write_lock";
    case SyncKind::rwlock_unlock:
      return "rwlock_unlock";
    case SyncKind::spin_lock:
      return "spin_lock";
    case SyncKind::spin_unlock:
      return "spin_unlock";
    case SyncKind::cond_wait:
      return "cond_wait";
    case SyncKind::cond_wake:
      return "cond_wake";
    case SyncKind::cond_signal:
      return "cond_signal";
    case SyncKind::cond_broadcast:
      return "cond_broadcast";
    case SyncKind::barrier_init:
      return "barrier_init";
    case SyncKind::barrier_arrive:
      return "barrier_arrive";
    case SyncKind::barrier_leave:
      return "barrier_leave";
    case SyncKind::sem_init:
      return "sem_init";
    case SyncKind::sem_wait:
      return "sem_wait";
    case SyncKind::sem_post:
      return "sem_post";
    case SyncKind::once_done:
      return "once_done";
    case SyncKind::once:
      return "once";
    case SyncKind::thread_create:
      return "thread_create";
    case SyncKind::thread_join:
      return "thread_join";
    case SyncKind::refused:
      return "refused";
    case SyncKind::omp_give:
      return "omp_give";
    case SyncKind::omp_take:
      return "omp_take";
    case SyncKind::mpi_send:
      return "mpi_send";
    case SyncKind::mpi_receive:
      return "mpi_receive";
    case SyncKind::mpi_arrive:
      return "mpi_arrive";
    case SyncKind::mpi_leave:
      return "mpi_leave";
    case SyncKind::mpi_lock:
      return "mpi_lock";
    case SyncKind::mpi_unlock:
      return "mpi_unlock";
    case SyncKind::mpi_access:
      return "mpi_access";
    case SyncKind::atomic_load:
      return "atomic_load";
    case SyncKind::atomic_store:
      return "atomic_store";
    case SyncKind::atomic_rmw:
      return "atomic_rmw";
    case SyncKind::atomic_cmpxchg:
      return "atomic_cmpxchg";
    case SyncKind::fence:
      return "fence";
    case SyncKind::descriptor_give:
      return "descriptor_give";
    case SyncKind::descriptor_take:
      return "descriptor_take";
    case SyncKind::allocated:
      return "allocated";
    case SyncKind::freed:
      return "freed";
    case SyncKind::thread_exit:
      return "thread_exit";
    case SyncKind::object_begins:
      return "object_begins";
    case SyncKind::object_ends:
      return "object_ends";
  }
  return "unknown";
}

std::string_view mpi_function_name(MpiFunction function) {
  static constexpr std::string_view kNames[] = {
      "barrier", "bcast",      "reduce",         "allreduce",      "gather",
      "scatter", "allgather",  "alltoall",       "reduce_scatter", "scan",
      "exscan",  "fence",      "post",           "complete",       "put",
      "get",     "accumulate", "get_accumulate", "fetch_and_op",   "compare_and_swap",
      "shared",  "exclusive"};
  const size_t number = static_cast<size_t>(function);
  return number == 0 || number > std::size(kNames) ? "unknown" : kNames[number - 1];
}

namespace {

Result<SyncChunk::View> view_of(const Trace::State& state, size_t row) {
  const auto payload = state.store.payload(row);
  if (!payload) return std::unexpected(payload.error());  // names the file itself
  const auto chunk = SyncChunk::view(*payload);
  if (chunk) return *chunk;
  return fail(chunk.error().kind, state.file + ": sync chunk at byte " +
                                      std::to_string(state.store.rows()[row].offset) + ": " +
                                      chunk.error().message);
}

Result<std::map<uint32_t, std::vector<size_t>>> chunks_by_thread(const Trace::State& state,
                                                                 const std::vector<size_t>& rows) {
  std::map<uint32_t, std::vector<size_t>> chunks;
  for (const size_t row : rows) {
    const auto chunk = view_of(state, row);
    if (!chunk) return std::unexpected(chunk.error());
    chunks[chunk->thread].push_back(row);
  }
  return chunks;
}

}  // namespace

Result<uint64_t> Trace::State::unseen_syncs(uint32_t thread) const {
  uint64_t sum = 0;
  for (const size_t row : sync_rows) {
    const auto chunk = view_of(*this, row);
    if (!chunk) return std::unexpected(chunk.error());
    if (thread == kNone || chunk->thread == thread) sum += chunk->count - chunk->atomics;
  }
  return sum;
}

struct SyncCursor::State {
  State(const Trace::State& trace, uint32_t thread, std::vector<size_t> chunks)
      : trace(trace), thread(thread), chunks(std::move(chunks)), known(trace.sync_rows.size()) {}

  // Makes `rows` the next rows of the thread.
  bool load() {
    while (!error) {
      if (decoder) {
        auto more = decoder->next();
        if (!more) return failed(more.error());
        rows = *more;
        if (!rows.empty()) return true;
        decoder.reset();
      }
      if (next_chunk == chunks.size() && !find_more()) return false;
      const size_t row = chunks[next_chunk++];
      at_byte = trace.store.rows()[row].offset;
      const auto chunk = view_of(trace, row);
      if (!chunk) {
        error = chunk.error();
        return false;
      }
      if (chunk->first < operation.number)
        return failed({ErrorKind::corrupt, "its operations were seen already"});
      operation.number = chunk->first;
      decoder.emplace(chunk->rows, chunk->count);
    }
    return false;
  }
  // In a trace that grows.
  bool find_more() {
    for (; known < trace.sync_rows.size(); ++known) {
      const auto chunk = view_of(trace, trace.sync_rows[known]);
      if (!chunk) {
        error = chunk.error();
        return false;
      }
      if (chunk->thread == thread) chunks.push_back(trace.sync_rows[known]);
    }
    return next_chunk != chunks.size();
  }
  // The rows from this number on are next.
  bool seek(uint64_t number) {
    if (error) return false;
    next_chunk = 0;
    for (; next_chunk < chunks.size(); ++next_chunk) {
      const auto chunk = view_of(trace, chunks[next_chunk]);
      if (!chunk) {
        error = chunk.error();
        return false;
      }
      if (chunk->first + chunk->count >= number) break;
    }
    decoder.reset();
    rows = {};
    operation.number = 0;
    while (!rows.empty() || load()) {
      if (operation.number + rows.size() >= number) {
        if (operation.number + 1 < number) {
          rows = rows.subspan(number - 1 - operation.number);
          operation.number = number - 1;
        }
        return true;
      }
      operation.number += rows.size();
      rows = {};
    }
    return false;
  }
  bool failed(const Error& why) {
    error = Error{why.kind, trace.file + ": sync chunk at byte " + std::to_string(at_byte) + ": " +
                                why.message};
    return false;
  }

  const Trace::State& trace;
  const uint32_t thread;
  std::vector<size_t> chunks;  // rows of the directory: the thread's, in order
  size_t known;                // of Trace::State::sync_rows
  size_t next_chunk = 0;
  uint64_t at_byte = 0;
  std::optional<SyncRowsDecoder> decoder;
  std::span<const SyncRow> rows;  // still to come of the block
  SyncOperation operation;
  std::optional<Error> error;
};

Result<SyncCursor> SyncCursor::open(const Trace& trace, uint32_t thread) {
  if (auto known = trace.state().check_thread(thread); !known)
    return std::unexpected(std::move(known.error()));
  auto chunks = chunks_by_thread(trace.state(), trace.state().sync_rows);
  if (!chunks) return std::unexpected(std::move(chunks.error()));
  return SyncCursor(std::make_unique<State>(trace.state(), thread, std::move((*chunks)[thread])));
}

SyncCursor::SyncCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
SyncCursor::SyncCursor(SyncCursor&&) noexcept = default;
SyncCursor& SyncCursor::operator=(SyncCursor&&) noexcept = default;
SyncCursor::~SyncCursor() = default;

bool SyncCursor::next() {
  State& state = *state_;
  if (state.rows.empty() && !state.load()) return false;
  const SyncRow& row = state.rows.front();
  state.rows = state.rows.subspan(1);
  state.operation = {state.thread, state.operation.number + 1,
                     row.time,     row.kind,
                     row.result,   row.object,
                     row.other,    row.stamp};
  if (is_message(row.kind)) state.operation.result &= kMessageDetails - 1;
  return true;
}

bool SyncCursor::seek(uint64_t number) { return state_->seek(number); }

Result<uint64_t> SyncCursor::size() const {
  if (state_->chunks.empty()) return 0;
  const auto last = view_of(state_->trace, state_->chunks.back());
  if (!last) return std::unexpected(last.error());
  return last->first + last->count;
}

namespace {

// Rows of one thread with a lower stamp. Its chunks are in the order of stamps, and so are the rows
// of each: of all chunks but one, the first row is enough.
Result<uint64_t> count_below(const Trace::State& state, const std::vector<size_t>& chunks,
                             uint64_t stamp) {
  std::optional<Error> error;
  const auto begins_below = [&](size_t row) {
    const auto chunk = view_of(state, row);
    if (!chunk) error = chunk.error();
    if (error || chunk->count == 0) return true;
    SyncRowsDecoder decoder(chunk->rows, chunk->count);
    const auto first = decoder.next();
    if (!first) error = first.error();
    return error || first->empty() || first->front().stamp < stamp;
  };
  const auto behind = std::ranges::partition_point(chunks, begins_below);
  if (error) return std::unexpected(*error);
  uint64_t count = 0;
  for (auto at = chunks.begin(); at != behind; ++at) {
    const auto chunk = view_of(state, *at);
    if (!chunk) return std::unexpected(chunk.error());
    if (at + 1 != behind) {
      count += chunk->count;
      continue;
    }
    SyncRowsDecoder decoder(chunk->rows, chunk->count);
    while (true) {
      const auto rows = decoder.next();
      if (!rows) return std::unexpected(rows.error());
      const auto below = std::ranges::lower_bound(*rows, stamp, {}, &SyncRow::stamp);
      count += static_cast<uint64_t>(below - rows->begin());
      if (rows->empty() || below != rows->end()) break;
    }
  }
  return count;
}

}  // namespace

Result<uint64_t> place_in_order(const Trace& trace, const SyncOperation& operation) {
  const auto chunks = chunks_by_thread(trace.state(), trace.state().sync_rows);
  if (!chunks) return std::unexpected(chunks.error());
  uint64_t place = 1;
  for (const auto& [thread, rows] : *chunks) {
    if (thread >= trace.threads().size()) continue;
    const auto below = count_below(trace.state(), rows, operation.stamp);
    if (!below) return std::unexpected(below.error());
    place += *below;
  }
  return place;
}

const SyncOperation& SyncCursor::operation() const { return state_->operation; }
const Error* SyncCursor::error() const { return state_->error ? &*state_->error : nullptr; }

Result<SyncOrderCursor> SyncOrderCursor::open(const Trace& trace) { return open(trace, false); }
Result<SyncOrderCursor> SyncOrderCursor::open_with_memory(const Trace& trace) {
  return open(trace, true);
}

Result<SyncOrderCursor> SyncOrderCursor::open(const Trace& trace, bool memory) {
  SyncOrderCursor order;
  for (const ThreadInfo& thread : trace.threads()) order.process_of_.push_back(thread.process);
  order.round_of_.resize(trace.threads().size());
  const Trace::State& state = trace.state();
  for (const auto* all : {&state.sync_rows, &state.memory_rows}) {
    if (all == &state.memory_rows && !memory) continue;
    auto chunks = chunks_by_thread(state, *all);
    if (!chunks) return std::unexpected(std::move(chunks.error()));
    for (auto& [thread, rows] : *chunks) {
      if (thread >= trace.threads().size()) continue;
      SyncCursor cursor(std::make_unique<SyncCursor::State>(state, thread, std::move(rows)));
      if (cursor.next()) {
        order.heap_.push_back(order.cursors_.size());
        order.cursors_.push_back(std::move(cursor));
      } else if (cursor.error()) {
        return std::unexpected(*cursor.error());
      }
    }
  }
  std::ranges::make_heap(order.heap_, [&](size_t a, size_t b) { return order.later(a, b); });
  return order;
}

void SyncOrderCursor::find_round() {
  const std::pair object(process_of_[operation_.thread], operation_.object);
  uint64_t& round = round_of_[operation_.thread];
  if (operation_.kind == SyncKind::barrier_init) {
    barriers_[object] = {operation_.other, 0};
  } else if (operation_.kind == SyncKind::barrier_arrive) {
    const auto barrier = barriers_.find(object);
    const bool known = barrier != barriers_.end() && barrier->second.participants != 0;
    operation_.other = round =
        known ? barrier->second.arrivals++ / barrier->second.participants + 1 : 0;
  } else if (operation_.kind == SyncKind::barrier_leave) {
    operation_.other = round;
  }
}

bool SyncOrderCursor::later(size_t a, size_t b) const {
  return cursors_[a].operation().stamp > cursors_[b].operation().stamp;
}

bool SyncOrderCursor::next() {
  if (heap_.empty() || error_) return false;
  const auto by_stamp = [&](size_t a, size_t b) { return later(a, b); };
  std::ranges::pop_heap(heap_, by_stamp);
  SyncCursor& lowest = cursors_[heap_.back()];
  operation_ = lowest.operation();
  find_round();
  if (lowest.next()) {
    std::ranges::push_heap(heap_, by_stamp);
    return true;
  }
  if (lowest.error()) error_ = *lowest.error();
  heap_.pop_back();
  return true;
}

}  // namespace vestige
