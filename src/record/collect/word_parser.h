// Takes the words of a ring apart and feeds them to the thread's log: batches of plain paths whole,
// everything else word by word.
//
// Invariant: a parser stops only between records. What it has not consumed it will be given again.
#pragma once

#include <optional>

#include "record/collect/surroundings.h"
#include "record/collect/thread_log.h"
#include "record/protocol.h"

namespace vestige {

class WordParser {
 public:
  WordParser(ThreadLog& log, PathKinds& kinds, Surroundings& surroundings, uint32_t process,
             uint64_t ring_serial);

  // Whether other parsers of the same surroundings run at the same time.
  enum class Company { alone, others };
  // Consumes records that begin in [0, size) of a piece holding `capacity` words; stops early at a
  // zero word, and in company before a record that the surroundings are needed for. Returns how many
  // words it consumed. A full log is flushed on the way; what that says is in error().
  size_t parse(const uint32_t* words, size_t size, size_t capacity,
               Company company = Company::alone);
  // The last parse() stopped before a record that is to be parsed alone.
  bool wants_to_be_alone() const { return wants_to_be_alone_; }
  // No more words will come.
  void finish();

  bool ended() const { return ended_; }  // the thread said that it ends
  uint32_t exit_code() const { return exit_code_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  size_t parse_slowly(const uint32_t* words, size_t size, size_t capacity, bool& stop);
  bool needs_surroundings(protocol::EventKind kind, std::span<const uint32_t> payload) const;
  void path(uint32_t word, uint8_t kind);
  void unregistered();
  void event(protocol::EventKind kind, std::span<const uint32_t> payload);
  void run(std::span<const uint32_t> payload);
  void sync(std::span<const uint32_t> payload);
  void unwind(uint32_t next_word, bool next_is_recorded);
  void report_unregistered();

  ThreadLog& log_;
  PathKinds& kinds_;
  Surroundings& surroundings_;
  const uint32_t process_;
  const uint64_t ring_serial_;
  const bool selective_;                 // filters or triggers: every word is looked at
  std::optional<uint64_t> reannounced_;  // entry time of the activation whose path comes next
  size_t crowd_;                         // words to look at one by one next time
  uint64_t unregistered_ = 0;
  bool left_out_ = false;  // the last path
  Company company_ = Company::alone;
  bool wants_to_be_alone_ = false;
  bool ended_ = false;
  uint32_t exit_code_ = 0;
  std::optional<Error> error_;
};

}  // namespace vestige
