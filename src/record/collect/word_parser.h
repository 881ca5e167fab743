// Takes the words of a ring apart and feeds them to the thread's log: batches of plain paths whole,
// everything else word by word.
//
// Invariant: a parser stops only between records. What it has not consumed it will be given again.
#pragma once

#include <optional>

#include "record/collect/session_directory.h"
#include "record/collect/thread_log.h"
#include "record/protocol.h"

namespace vestige {

class WordParser {
 public:
  WordParser(ThreadLog& log, PathKinds& kinds, SessionDirectory& directory, uint32_t process,
             uint64_t ring_serial);

  // Whether other parsers of the same directory run at the same time.
  enum class Concurrency { exclusive, shared };
  // Consumes records that begin in [0, size) of a piece holding `capacity` words; stops early at a
  // zero word, and in concurrency before a record that the directory are needed for. Returns how
  // many words it consumed. A full log is flushed on the way; what that says is in error().
  size_t parse(const uint32_t* words, size_t size, size_t capacity,
               Concurrency concurrency = Concurrency::exclusive);
  // The last parse() stopped before a record that is to be parsed alone.
  bool needs_exclusive() const { return needs_exclusive_; }
  // No more words will come.
  void finish();

  bool ended() const { return ended_; }  // the thread said that it ends
  uint32_t exit_code() const { return exit_code_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  size_t parse_slowly(const uint32_t* words, size_t size, size_t capacity, bool& stop);
  bool needs_directory(protocol::EventKind kind, std::span<const uint32_t> payload) const;
  void path(uint32_t word, uint8_t kind);
  void unregistered();
  void event(protocol::EventKind kind, std::span<const uint32_t> payload);
  void run(std::span<const uint32_t> payload);
  void sync(std::span<const uint32_t> payload);
  void unwind(uint32_t next_word, bool next_is_recorded);
  void report_unregistered();

  ThreadLog& log_;
  PathKinds& kinds_;
  SessionDirectory& directory_;
  const uint32_t process_;
  const uint64_t ring_serial_;
  const bool selective_;                 // filters or triggers: every word is looked at
  std::optional<uint64_t> reannounced_;  // entry time of the activation whose path comes next
  size_t crowd_;                         // words to look at one by one next time
  uint64_t unregistered_ = 0;
  bool left_out_ = false;  // the last path
  Concurrency concurrency_ = Concurrency::exclusive;
  bool needs_exclusive_ = false;
  bool ended_ = false;
  uint32_t exit_code_ = 0;
  std::optional<Error> error_;
};

}  // namespace vestige
