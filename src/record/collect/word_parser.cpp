#include "record/collect/word_parser.h"

#include <algorithm>

#include "base/check.h"

namespace vestige {

using namespace protocol;
using Stored = format::EventKind;

namespace {

constexpr size_t kShort = 4;                        // paths in a row that are hardly worth a batch
constexpr size_t kCrowd = 6, kLargestCrowd = 1024;  // words

uint64_t wide(std::span<const uint32_t> payload, size_t at) {
  return at + 1 < payload.size() ? payload[at] | uint64_t{payload[at + 1]} << 32 : 0;
}

}  // namespace

WordParser::WordParser(ThreadLog& log, PathKinds& kinds, SessionDirectory& directory,
                       uint32_t process, uint64_t ring_serial)
    : log_(log),
      kinds_(kinds),
      directory_(directory),
      process_(process),
      ring_serial_(ring_serial),
      selective_(kinds.filter().active()),
      crowd_(kCrowd) {}

namespace {

// What stands behind an event's header is no path: looked up as one, it would touch the table of
// kinds all over.
size_t words_before_event(const uint32_t* words, size_t size) {
  constexpr size_t kStretch = 64;
  size_t at = 0;
  for (; at + kStretch <= size; at += kStretch) {
    bool event = false;
    for (size_t i = 0; i < kStretch; ++i) event |= words[at + i] < kFirstPath;
    if (event) break;
  }
  while (at < size && words[at] >= kFirstPath) ++at;
  return at;
}

}  // namespace

size_t WordParser::parse(const uint32_t* words, size_t size, size_t capacity,
                         Concurrency concurrency) {
  concurrency_ = concurrency;
  needs_exclusive_ = false;
  size_t at = 0;
  bool stop = false;
  while (at < size && !stop) {
    const size_t n = std::min(size - at, log_.most_batch());
    if (selective_ || reannounced_ || unregistered_ != 0) {
      at += parse_slowly(words + at, selective_ ? n : std::min(n, 2 * kCrowd), capacity - at, stop);
    } else {
      const size_t taken = log_.append_batch({words + at, words_before_event(words + at, n)});
      at += taken;
      if (taken != 0) left_out_ = false;
      // What is not plain comes alone or in crowds; the longer a crowd, the longer what is left of
      // it.
      crowd_ = taken < kShort ? std::min(2 * crowd_, kLargestCrowd) : kCrowd;
      if (taken != n)
        at += parse_slowly(words + at, std::min(n - taken, taken < kShort ? crowd_ : 1),
                           capacity - at, stop);
    }
    if (log_.full() && !error_)
      if (auto ok = log_.flush(); !ok) error_ = std::move(ok.error());
  }
  VESTIGE_CHECK(at <= capacity);
  return at;
}

// An event may be the first to name what the directory are then asked for, or change them.
bool WordParser::needs_directory(protocol::EventKind kind,
                                 std::span<const uint32_t> payload) const {
  using K = protocol::EventKind;
  switch (kind) {
    case K::module_load:
    case K::module_unload:
    case K::fatal_signal:
    case K::handler_begin:
    case K::forking:
      return true;
    case K::run: {
      const auto run = protocol::run_of(payload.data(), static_cast<uint32_t>(payload.size()));
      return run.path >= kFirstPath && kinds_.table()[run.path] == 0;
    }
    default:
      return false;
  }
}

size_t WordParser::parse_slowly(const uint32_t* words, size_t size, size_t capacity, bool& stop) {
  size_t at = 0;
  while (at < size) {
    const uint32_t word = words[at];
    if (word >= kFirstPath) {
      uint8_t kind = kinds_.table()[word];
      if (kind == 0 && concurrency_ == Concurrency::shared) {
        stop = needs_exclusive_ = true;
        break;
      }
      if (kind == 0) kind = directory_.resolve(word);
      kind == 0 ? unregistered() : path(word, kind);
      ++at;
      continue;
    }
    const size_t payload = word >> 8 & 0xff;
    if (word == 0 || payload + 1 > capacity - at) {
      stop = true;
      break;
    }
    const auto kind = static_cast<protocol::EventKind>(word & 0xff);
    const std::span<const uint32_t> numbers(words + at + 1, payload);
    if (concurrency_ == Concurrency::shared && needs_directory(kind, numbers)) {
      stop = needs_exclusive_ = true;
      break;
    }
    event(kind, numbers);
    at += 1 + payload;
  }
  log_.settle();
  return at;
}

void WordParser::path(uint32_t word, uint8_t kind) {
  if (reannounced_) unwind(word, (kind & path_kind::excluded) == 0);
  left_out_ = (kind & path_kind::excluded) != 0;
  if (left_out_) return log_.skip();
  if (!log_.recording() && (kind & path_kind::starts))
    log_.end_gap();
  else if (log_.recording() && (kind & path_kind::stops))
    log_.begin_gap();
  if (!log_.recording()) return log_.pass(kind);
  if (unregistered_ != 0) report_unregistered();
  log_.append(kind, word);
}

void WordParser::unregistered() {
  if (reannounced_) unwind(0, false);
  ++unregistered_;
  left_out_ = true;
  log_.skip();
}

void WordParser::report_unregistered() {
  if (unregistered_ == 0) return;
  log_.event(Stored::unregistered, {unregistered_});
  unregistered_ = 0;
}

// The activation that goes on completed its paths after its entry time, and its caller's last path
// is not later than that: it is the outermost frame with a later path. If that frame is another
// function's, the activation itself has no frame: none of its paths was recorded.
void WordParser::unwind(uint32_t next_word, bool next_is_recorded) {
  const uint64_t entry_time = *reannounced_;
  reannounced_.reset();
  StackTracker& stack = log_.stack();
  const uint64_t slot = stack.first_after(entry_time);
  if (slot == StackTracker::kNoSlot) return;
  const uint32_t path = stack.frame(slot).path;
  const bool same = next_word == 0 || path == 0 ||
                    directory_.function_of(path) == directory_.function_of(next_word);
  if (next_is_recorded && same)
    log_.cut(slot, true, false);
  else
    log_.cut(slot, false, next_is_recorded);
}

void WordParser::finish() {
  if (reannounced_) unwind(0, true);
  report_unregistered();
  log_.settle();
}

void WordParser::event(protocol::EventKind kind, std::span<const uint32_t> payload) {
  using K = protocol::EventKind;
  const auto word = [&](size_t at) -> uint64_t { return at < payload.size() ? payload[at] : 0; };
  if (kind != K::reannounce && kind != K::run) report_unregistered();
  switch (kind) {
    case K::reannounce: {
      const uint64_t entry_time = wide(payload, 0);
      reannounced_ = reannounced_ ? std::min(*reannounced_, entry_time) : entry_time;
      break;
    }
    case K::module_load:
    case K::module_unload: {
      const uint32_t module = directory_.module(static_cast<uint32_t>(word(0)));
      if (module == kNone) break;
      if (kind == K::module_unload)
        directory_.unloaded(process_, module);
      else if (payload.size() >= 3)
        directory_.loaded(process_, module, wide(payload, 1));
      std::vector<uint64_t> numbers = {module};
      if (payload.size() >= 4)
        if (const uint32_t table = directory_.address_table(payload[3]); table != 0)
          numbers.push_back(table);
      log_.event(kind == K::module_load ? Stored::module_load : Stored::module_unload,
                 std::move(numbers));
      break;
    }
    case K::fatal_signal: {
      const uint64_t pc = wide(payload, 1);
      const SessionDirectory::Place place = directory_.place(process_, pc);
      std::vector<uint64_t> numbers = {word(0), pc, wide(payload, 3), place.function, place.block};
      for (size_t at = 5; at + 1 < payload.size(); at += 2) numbers.push_back(wide(payload, at));
      if (place.line != 0) numbers.insert(numbers.end(), {place.line, place.column});
      log_.event(Stored::fatal_signal, std::move(numbers));
      break;
    }
    case K::handler_begin: {
      const uint64_t serial = wide(payload, 2);
      const SessionDirectory::Moment moment =
          directory_.moment(static_cast<uint32_t>(word(1)), serial, wide(payload, 4));
      // A run starts with an empty stack, unless it interrupted another run in this very ring; the
      // last run may have been left by siglongjmp.
      if (serial != ring_serial_ && log_.stack().depth() > 0) log_.cut(0, false, false);
      if (kinds_.filter().triggered() && moment.thread != kNone &&
          log_.recording() != moment.recording)
        moment.recording ? log_.end_gap() : log_.begin_gap();
      log_.event(Stored::handler_begin, {word(0), moment.thread, moment.time});
      break;
    }
    case K::handler_end:
      log_.event(Stored::handler_end);
      break;
    case K::stack_switch:
      log_.switch_stack();
      break;
    case K::abandoned:
      log_.event(Stored::abandoned);
      break;
    case K::thread_create:
      log_.event(Stored::thread_create, {wide(payload, 0)});
      break;
    case K::thread_join:
      log_.event(Stored::thread_join, {wide(payload, 0)});
      break;
    case K::fork:
      log_.event(Stored::fork, {word(0)});
      break;
    case K::sync:
      sync(payload);
      break;
    case K::run:
      run(payload);
      break;
    case K::forking:
      directory_.forking(ring_serial_, log_.target_time(), log_.stack().snapshot());
      break;
    case K::thread_end:
      ended_ = true;
      exit_code_ = static_cast<uint32_t>(word(0));
      break;
    default:
      break;  // not of this protocol version: nothing is known about it
  }
}

// A loop went round: the same path, so often.
void WordParser::run(std::span<const uint32_t> payload) {
  auto [word, count] = protocol::run_of(payload.data(), static_cast<uint32_t>(payload.size()));
  if (count == 0 || word < kFirstPath) return;
  uint8_t kind = kinds_.table()[word];
  if (kind == 0) kind = directory_.resolve(word);
  if (reannounced_) unwind(word, kind != 0 && (kind & path_kind::excluded) == 0);
  left_out_ = kind == 0 || (kind & path_kind::excluded) != 0;
  if (kind == 0) unregistered_ += count;
  if (left_out_) return log_.skip(count);
  if (!log_.recording()) return log_.pass(kind, count);
  if (unregistered_ != 0) report_unregistered();
  while (count != 0) {
    count -= log_.append_run(kind, word, count);
    if (log_.full() && !error_)
      if (auto ok = log_.flush(); !ok) error_ = std::move(ok.error());
  }
}

void WordParser::sync(std::span<const uint32_t> payload) {
  if (payload.size() < 5) return;
  SyncRow row;
  row.kind = static_cast<SyncKind>(payload[0] & 0xff);
  row.result = payload[0] >> 8;
  // It ends a path: without the one, not the other.
  if (is_atomic(row.kind) && left_out_) return;
  row.object = wide(payload, 1);
  row.stamp = wide(payload, 3);
  row.other = wide(payload, 5);
  if (!has_other(row.kind, row.result)) row.other = 0;
  log_.sync(row);
  if (log_.recording()) directory_.stamped(log_.thread(), log_.time(), row.stamp);
}

}  // namespace vestige
