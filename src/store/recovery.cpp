// Recovery: every chunk that can still be read, as a complete new file.
//
// A control chunk's stack is a change against its predecessor's, so a lost chunk leaves the next
// one of its thread without a base. The frames it would have kept are then unknown: they are
// written as frames with path 0 and time 0 (docs/format.md, "Stack changes"), which keeps the depth
// right and says what is not known. Later chunks are changes against that and need no rewriting.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "store/chunk_header.h"
#include "store/cut.h"
#include "store/order_chunk.h"
#include "store/reader.h"
#include "store/value_rows.h"
#include "store/writer.h"

namespace vestige {

namespace {

using format::ChunkKind;

class Recovery {
 public:
  // Of what ran this share is copied, from the beginning; what says so (programs, threads, ends)
  // always. Control flow and synchronization of all threads end at one place in the file; the
  // values of a thread, which may stand before or behind its paths, by their own share. The order
  // of accesses is written last: it goes when anything goes.
  Recovery(const StoreReader& from, StoreWriter& to, RecoverySummary& summary, double share = 1)
      : from_(from), to_(to), summary_(summary), share_(share) {
    if (share < 1) add_up();
  }

  Result<void> copy() {
    find_programs();
    uint64_t end = 0;  // of the chunk before
    for (size_t i = 0; i < from_.rows().size(); ++i) {
      const DirectoryChunk::Row& row = from_.rows()[i];
      if (i != 0 && row.offset != end) stop_values();
      end = row.offset + sizeof(format::ChunkHeader) + padded(row.payload_size);
      if (share_ < 1 && is_of_run(row.kind) && !has_room(i, row)) continue;
      auto payload = from_.payload(i);
      if (!payload) {
        summary_.damage.push_back(payload.error().message);
        stop_values();
        continue;
      }
      if (auto ok = copy_chunk(i, row, *payload); !ok) return ok;
      if (std::exchange(shorten_to_, std::nullopt)) stop_values();
    }
    stop_values();
    for (auto& [index, thread] : threads_)
      if (auto ok = copy_values(index, thread); !ok) return ok;
    return end_what_has_no_end();
  }
  // Bytes of what ran, in all, when a share is copied; and those that were copied.
  uint64_t all_of_run() const { return flow_.all + values_.all; }
  uint64_t copied_of_run() const { return flow_.copied + values_.copied; }

 private:
  struct Thread {
    uint64_t next_time = 1;  // the first time not yet copied
    uint64_t depth = 0;      // of the call stack at the last control chunk's start
    bool ended = false;
    std::vector<size_t> values;      // rows of chunks of values, up to the first damage
    bool whole = false;              // it had ended by then, so no value is missing
    uint64_t values_before = 0;      // the first time not yet copied by then
    uint64_t complete = 0;           // no value of a path up to this time is missing
    uint64_t bytes = 0, passed = 0;  // of chunks of values: in all; that were met
    bool values_cut = false;
  };
  struct Part {
    uint64_t all = 0, passed = 0, copied = 0;  // bytes
  };

  static uint64_t size_of(const DirectoryChunk::Row& row) {
    return sizeof(format::ChunkHeader) + padded(row.payload_size);
  }
  Thread* thread_of_values(size_t row) {
    const auto payload = from_.payload(row);
    if (!payload) return nullptr;
    const auto chunk = ValuesChunk::decode(*payload);
    return chunk ? &threads_[chunk->thread] : nullptr;
  }
  void add_up() {
    for (size_t i = 0; i < from_.rows().size(); ++i) {
      const DirectoryChunk::Row& row = from_.rows()[i];
      if (!is_of_run(row.kind) || row.kind == kOrderChunk) continue;
      const bool values = row.kind == ChunkKind::values;
      (values ? values_ : flow_).all += size_of(row);
      if (Thread* thread = values ? thread_of_values(i) : nullptr) thread->bytes += size_of(row);
    }
  }
  // Whether a chunk of the run lies in the share.
  bool has_room(size_t i, const DirectoryChunk::Row& row) {
    if (row.kind == kOrderChunk) return false;
    const auto within = [&](uint64_t passed, uint64_t all) {
      return static_cast<double>(passed) <= share_ * static_cast<double>(all);
    };
    if (row.kind == ChunkKind::values) {
      Thread* thread = thread_of_values(i);
      if (thread == nullptr) return true;  // to be called damaged
      thread->passed += size_of(row);
      thread->values_cut |= !within(thread->passed, thread->bytes);
      if (!thread->values_cut) values_.copied += size_of(row);
      return !thread->values_cut;
    }
    const uint64_t before = flow_.passed;
    flow_.passed += size_of(row);
    if (within(flow_.passed, flow_.all)) {
      flow_.copied += size_of(row);
      return true;
    }
    const double room = share_ * static_cast<double>(flow_.all) - static_cast<double>(before);
    if (row.kind == ChunkKind::control && room > 0) {
      shorten_to_ = room / static_cast<double>(size_of(row));
      flow_.copied += static_cast<uint64_t>(room);
      return true;
    }
    stop_values();
    return false;
  }

  static bool is_of_run(ChunkKind kind) {
    return kind == kOrderChunk || kind == ChunkKind::control || kind == ChunkKind::sync ||
           kind == ChunkKind::memory || kind == ChunkKind::accesses || kind == ChunkKind::values;
  }

  // Values are derived from all that was told before: behind a hole they would be wrong. So those
  // behind the first damage are left out.
  void stop_values() {
    if (std::exchange(values_stopped_, true)) return;
    for (auto& [index, thread] : threads_) {
      thread.whole = thread.ended;
      thread.values_before = thread.next_time;
    }
  }

  // Of a thread that did not come to its end, values of the last told path may be missing, and all
  // behind it, unless the file says that they are there: what is not sure is left out, and a mark
  // says from where on.
  Result<void> copy_values(uint32_t index, Thread& thread) {
    if (thread.values.empty()) return {};
    if (thread.whole && !thread.values_cut) {
      for (const size_t row : thread.values)
        if (auto ok = copy_decoded<ValuesChunk>(from_.rows()[row], *from_.payload(row)); !ok)
          return ok;
      return {};
    }
    uint64_t before = thread.values_before;
    uint64_t sure = std::min(thread.complete + 1, before);  // behind what the file says
    ValuesChunk last;
    last.thread = index;
    ValueRowsEncoder kept;
    bool known = false;  // the last told path
    while (!thread.values.empty() && kept.count() == 0) {
      const auto told = told_in(thread.values.back());
      if (!told) {
        lost(from_.rows()[thread.values.back()], told.error());
        thread.values.clear();
        known = false;
        sure = 1;
        break;
      }
      thread.values.pop_back();
      if (told->empty()) continue;
      if (!std::exchange(known, true)) before = std::min(before, std::max(told->back().time, sure));
      for (const ToldValue& value : *told)
        if (value.time < before) kept.append(value);
    }
    if (!known) before = sure;
    for (const size_t row : thread.values)
      if (auto ok = copy_decoded<ValuesChunk>(from_.rows()[row], *from_.payload(row)); !ok)
        return ok;
    kept.append({before, kValuesLost, 0});
    last.count = kept.count();
    last.rows = kept.finish();
    summary_.damage.push_back("thread " + std::to_string(index) + ": values are known up to time " +
                              std::to_string(before - 1));
    ++summary_.chunks;
    return to_.append(last);
  }
  Result<std::vector<ToldValue>> told_in(size_t row) const {
    const auto payload = from_.payload(row);
    if (!payload) return std::unexpected(payload.error());
    const auto chunk = ValuesChunk::decode(*payload);
    if (!chunk) return std::unexpected(chunk.error());
    std::vector<ToldValue> all;
    ValueRowsDecoder decoder(chunk->rows, chunk->count);
    for (;;) {
      auto more = decoder.next();
      if (!more) return std::unexpected(std::move(more.error()));
      if (more->empty()) return all;
      all.insert(all.end(), more->begin(), more->end());
    }
  }

  Result<void> copy_chunk(size_t index, const DirectoryChunk::Row& row, ByteView payload) {
    if (row.kind == kOrderChunk) return copy_decoded<OrderChunk>(row, payload);
    switch (row.kind) {
      case ChunkKind::meta:
        return copy_decoded<MetaChunk>(row, payload);
      case ChunkKind::addresses:
        return copy_decoded<AddressChunk>(row, payload);
      case ChunkKind::module:
        return copy_decoded<ModuleChunk>(row, payload);
      case ChunkKind::process: {
        if (const auto process = ProcessChunk::decode(payload))
          open_processes_.insert(process->index);
        return copy_decoded<ProcessChunk>(row, payload);
      }
      case ChunkKind::thread: {
        if (const auto thread = ThreadChunk::decode(payload)) open_threads_.insert(thread->index);
        return copy_decoded<ThreadChunk>(row, payload);
      }
      case ChunkKind::end: {
        auto end = EndChunk::decode(payload);
        if (!end) {
          lost(row, end.error());
          return {};
        }
        (end->is_process ? open_processes_ : open_threads_).erase(end->index);
        if (!end->is_process) {
          // Of a thread whose last paths are lost, what is left is all there is.
          Thread& thread = threads_[end->index];
          thread.ended = true;
          end->paths = std::min(end->paths, thread.next_time - 1);
        }
        ++summary_.chunks;
        return to_.append(*end);
      }
      case ChunkKind::control:
        return copy_control(row, payload);
      case ChunkKind::sync:
        // Behind a hole operations are what they were: the chunk says how many came before.
        return copy_decoded<SyncChunk>(row, payload);
      case ChunkKind::memory:
        return copy_memory(row, payload);
      case ChunkKind::accesses:
        return copy_decoded<AccessChunk>(row, payload);
      case ChunkKind::descriptors:
        ++summary_.chunks;
        return to_.append_descriptors(payload);
      case ChunkKind::values: {
        if (values_stopped_) return {};
        const auto chunk = ValuesChunk::decode(payload);
        if (!chunk) {
          lost(row, chunk.error());
          return {};
        }
        Thread& thread = threads_[chunk->thread];
        thread.values.push_back(index);
        thread.complete = std::max(thread.complete, chunk->complete);
        return {};
      }
      default:
        return {};  // a directory, or a kind of a later minor version
    }
  }

  template <class Chunk>
  Result<void> copy_decoded(const DirectoryChunk::Row& row, ByteView payload) {
    const auto chunk = Chunk::decode(payload);
    if (!chunk) {
      lost(row, chunk.error());
      return {};
    }
    ++summary_.chunks;
    return to_.append(*chunk);
  }

  Result<void> copy_memory(const DirectoryChunk::Row& row, ByteView payload) {
    auto chunk = SyncChunk::decode(payload);
    if (!chunk) {
      lost(row, chunk.error());
      return {};
    }
    chunk->memory = true;
    ++summary_.chunks;
    return to_.append(*chunk);
  }

  Result<void> copy_control(const DirectoryChunk::Row& row, ByteView payload) {
    auto chunk = ControlChunk::decode(payload);
    if (!chunk) {
      lost(row, chunk.error());
      return {};
    }
    Thread& thread = threads_[chunk->thread];
    if (chunk->first_time < thread.next_time) {
      lost(row, {ErrorKind::corrupt, "its times were seen already"});
      return {};
    }
    if (shorten_to_)
      if (auto shorter = shorten(*chunk, *shorten_to_); !shorter) {
        lost(row, shorter.error());
        return {};
      }
    if (auto known = check_words(*chunk); !known) {
      lost(row, known.error());
      stop_values();
      return {};
    }
    if (chunk->first_time != thread.next_time || chunk->stack.keep > thread.depth)
      forget_kept_frames(*chunk);
    thread.next_time = chunk->first_time + chunk->path_count;
    thread.depth = chunk->stack.keep + chunk->stack.frames.size();
    ++summary_.chunks;
    summary_.paths += chunk->path_count;
    return to_.append(*chunk);
  }

  // Leaves this share of the paths, and what happened between them.
  static Result<void> shorten(ControlChunk& chunk, double share) {
    const auto paths = static_cast<uint64_t>(share * static_cast<double>(chunk.path_count));
    auto cursor = WordCursor::open(chunk.codec, chunk.words);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    std::vector<uint32_t> words;
    for (uint32_t word = 0; words.size() < paths && cursor->next(word);) words.push_back(word);
    if (words.empty() || cursor->error())
      return fail(ErrorKind::corrupt, "no path of it can be kept");
    const auto encoder = make_word_encoder(chunk.codec);
    encoder->append(words);
    chunk.words = encoder->finish();
    chunk.path_count = words.size();
    chunk.depths.resize(std::min<uint64_t>(chunk.depths.size(), (words.size() - 1) / kWordBlock));
    std::erase_if(chunk.events, [&](const Event& event) {
      return event.time >= chunk.first_time + chunk.path_count;
    });
    return {};
  }

  // Paths mean nothing without the program table they are numbered in.
  void find_programs() {
    for (size_t i = 0; i < from_.rows().size(); ++i) {
      if (from_.rows()[i].kind != ChunkKind::module) continue;
      const auto payload = from_.payload(i);
      if (!payload) continue;
      if (const auto module = ModuleChunk::decode(*payload))
        programs_.push_back(
            {module->first_path, uint64_t{module->first_path} + module->path_count});
    }
    std::ranges::sort(programs_);
  }
  Result<void> check_words(const ControlChunk& chunk) const {
    auto words = WordCursor::open(chunk.codec, chunk.words);
    if (!words) return std::unexpected(std::move(words.error()));
    std::pair<uint64_t, uint64_t> last{0, 0};  // the program of the word before
    for (uint64_t at = 0; at < words->size(); at = words->block_begin() + words->block().size()) {
      if (!words->seek(at) || words->block().empty())
        return fail(ErrorKind::corrupt, "its paths cannot be decoded");
      for (const uint32_t word : words->block()) {
        if (word - last.first < last.second - last.first) continue;
        const auto behind =
            std::ranges::upper_bound(programs_, std::pair(uint64_t{word}, UINT64_MAX));
        if (behind == programs_.begin() || word >= std::prev(behind)->second)
          return fail(ErrorKind::corrupt, "it names paths of a program table that is lost");
        last = *std::prev(behind);
      }
    }
    return {};
  }

  // The frames a change would keep from a stack nobody knows.
  void forget_kept_frames(ControlChunk& chunk) {
    // Bounded by what a recording machine's stack can hold; more is damage that checks by chance.
    constexpr uint64_t kDeepest = uint64_t{1} << 22;
    const uint64_t unknown = std::min(chunk.stack.keep, kDeepest);
    chunk.stack.frames.insert(chunk.stack.frames.begin(), unknown, Frame{});
    chunk.stack.keep = 0;
  }

  Result<void> end_what_has_no_end() {
    const auto end = [&](bool is_process, uint32_t index) -> Result<void> {
      EndChunk chunk;
      chunk.is_process = is_process;
      chunk.index = index;
      const auto thread = threads_.find(index);
      if (!is_process && thread != threads_.end()) chunk.paths = thread->second.next_time - 1;
      return to_.append(chunk);
    };
    for (const uint32_t index : open_threads_)
      if (auto ok = end(false, index); !ok) return ok;
    for (const uint32_t index : open_processes_)
      if (auto ok = end(true, index); !ok) return ok;
    return {};
  }

  void lost(const DirectoryChunk::Row& row, const Error& why) {
    summary_.damage.push_back(
        "bytes " + std::to_string(row.offset) + "–" +
        std::to_string(row.offset + sizeof(format::ChunkHeader) + row.payload_size) + ": " +
        why.message);
  }

  const StoreReader& from_;
  StoreWriter& to_;
  RecoverySummary& summary_;
  const double share_;
  std::optional<double> shorten_to_;                     // of the chunk that is copied
  Part flow_, values_;                                   // control flow and synchronization; values
  std::vector<std::pair<uint64_t, uint64_t>> programs_;  // path ids: first, end; by rising first
  std::map<uint32_t, Thread> threads_;
  std::set<uint32_t> open_threads_, open_processes_;
  bool values_stopped_ = false;
};

}  // namespace

Result<RecoverySummary> recover_store(const std::string& from, const std::string& to) {
  if (from == to)
    return fail(ErrorKind::usage, "recover needs another file to write to than " + from);
  auto reader = StoreReader::open(from, StoreReader::Mode::recover);
  if (!reader) return std::unexpected(std::move(reader.error()));
  if (reader->rows().empty())
    return fail(ErrorKind::corrupt, from + " holds no readable chunk: there is nothing to recover");
  auto writer = StoreWriter::create(to);
  if (!writer) return std::unexpected(std::move(writer.error()));
  RecoverySummary summary;
  summary.damage = reader->damage();
  Recovery recovery(*reader, *writer, summary);
  if (auto ok = recovery.copy(); !ok) return std::unexpected(std::move(ok.error()));
  if (auto ok = writer->finish(); !ok) return std::unexpected(std::move(ok.error()));
  return summary;
}

Result<CutSummary> cut_store(const std::string& from, const std::string& to, uint64_t most) {
  auto reader = StoreReader::open(from, StoreReader::Mode::recover);
  if (!reader) return std::unexpected(std::move(reader.error()));
  double share = 0.999;
  while (true) {
    auto writer = StoreWriter::create(to);
    if (!writer) return std::unexpected(std::move(writer.error()));
    RecoverySummary summary;
    Recovery recovery(*reader, *writer, summary, share);
    if (auto ok = recovery.copy(); !ok) return std::unexpected(std::move(ok.error()));
    if (auto ok = writer->finish(); !ok) return std::unexpected(std::move(ok.error()));
    const uint64_t bytes = writer->bytes_written();
    // The program alone may be more.
    if (bytes <= most || recovery.copied_of_run() == 0) return CutSummary{summary.paths, bytes};
    const double excess = static_cast<double>(bytes - most);
    share -= std::max(0.01, excess / static_cast<double>(recovery.all_of_run()));
  }
}

}  // namespace vestige
