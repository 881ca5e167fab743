// A trace of control flow as other tools write it: u32 events, little-endian, nothing else.
//
//   bits 31-30   bits 29-0
//   00           block id, local to the current function; a function's first block is 0
//   01           function id: entry
//   10           0: exit
//   11           no event
//
// The input may be a file of such events, a .vcz of one, or a pipe with either. It is read more
// than once, so what cannot be read twice is copied to a nameless temporary file first.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "archive/file_stream.h"
#include "base/bytes.h"

namespace vestige::cf {

inline constexpr uint32_t kIdMask = (uint32_t{1} << 30) - 1;
inline constexpr uint32_t kEntry = uint32_t{1} << 30;
inline constexpr uint32_t kExit = uint32_t{1} << 31;

inline bool is_block(uint32_t event) { return event <= kIdMask; }
inline bool is_entry(uint32_t event) { return (event & ~kIdMask) == kEntry; }

class EventFile {
 public:
  // Refuses (usage) to read what `out` names, (corrupt) a number of bytes that holds no whole
  // number of events, and an archive that is damaged or holds records of another kind.
  static Result<EventFile> open(const std::string& in, const std::string& out);
  EventFile(EventFile&&) noexcept;
  ~EventFile();

  const std::string& name() const { return name_; }
  uint64_t bytes() const { return bytes_; }  // decompressed
  uint64_t events() const { return bytes_ / 4; }

  // Reads from the beginning and gives the events to `use` in pieces; stops at what is no event,
  // and when `use` says no (the error is then the one it set).
  using Use = std::function<Result<void>(std::span<const uint32_t> events, uint64_t first)>;
  Result<void> each(const Use& use) const;
  // An error about event number `at` (from 0).
  std::unexpected<Error> wrong(uint64_t at, const std::string& what) const;

 private:
  EventFile() = default;
  std::string name_;
  std::unique_ptr<FileSource> source_;  // keeps the descriptor open, when it is the input's own
  int fd_ = -1;
  bool own_ = false;  // fd_ is a temporary file
  uint64_t begin_ = 0, bytes_ = 0;
};

}  // namespace vestige::cf
