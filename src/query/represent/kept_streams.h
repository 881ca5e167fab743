// The accesses that a cdr keeps of a thread, by load and store, and feeds that read them run by run
// or number by number.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "codec/stream/runs/strided_runs.h"
#include "store/access_details_chunk.h"
#include "vestige/trace.h"

namespace vestige {

struct KeptStream {
  uint64_t statement_id = 0;
  bool write = false;
  bool atomic = false;
  bool library = false;  // of a library function that was called
  uint64_t bytes = 0;    // each; 0: the column of sizes says it
  uint64_t count = 0;
  // One for each execution of the statement; else the column of times says when.
  bool by_execution = false;
  AccessChunk::Stream addresses;
  AccessDetailsChunk::Stream details;
};

struct KeptAccesses {
  uint64_t unknown = 0;  // accesses that are not kept, since nobody knows their addresses
  std::vector<KeptStream> streams;  // by statement, reads first
};
// Of a thread without any: empty. ErrorKind::unsupported when the trace is no cdr, or an old one.
Result<KeptAccesses> kept_accesses(const Trace& trace, uint32_t thread);
// Whether the thread was evaluated when the cdr was made.
Result<std::vector<bool>> kept_threads(const Trace& trace);

// The addresses of a stream, as runs.
class AddressFeed {
 public:
  // Streams with the same bytes share what is decoded.
  using Decoded = std::map<const Bytes*, std::shared_ptr<const section::RunsGrammar>>;
  static Result<AddressFeed> open(const KeptStream& stream, Decoded& decoded);

  struct Run {
    uint64_t start = 0, stride = 0, count = 0;  // the stride modulo 2^64
  };
  // The next addresses, at most so many. False at the end, or when the bytes are damaged.
  bool take(uint64_t most, Run& run);
  bool next(uint64_t& address) {
    Run run;
    if (!take(1, run)) return false;
    address = run.start;
    return true;
  }
  // So many addresses lie before what comes next. False: there are fewer.
  bool seek(uint64_t position);
  const Error* error() const { return numbers_ ? numbers_->error() : nullptr; }

 private:
  AddressFeed() = default;
  bool more();
  std::shared_ptr<const Bytes> bytes_;
  uint64_t base_ = 0;
  std::shared_ptr<const section::RunsGrammar> grammar_;
  std::unique_ptr<section::StridedRunCursor> runs_;
  std::unique_ptr<StreamCursor> numbers_;  // of other codecs
  Run ahead_;
};

// A column of a stream. Gives 0 where there is none.
class ColumnFeed {
 public:
  static Result<ColumnFeed> open(const KeptStream& stream, AccessDetailsChunk::Column column);
  // False at the end, or when the bytes are damaged.
  bool next(uint64_t& value) {
    value = 0;
    return !cursor_ || cursor_->next(value);
  }
  bool seek(uint64_t position) { return !cursor_ || cursor_->seek(position); }
  const Error* error() const { return cursor_ ? cursor_->error() : nullptr; }

 private:
  ColumnFeed() = default;
  std::shared_ptr<const Bytes> bytes_;
  std::unique_ptr<StreamCursor> cursor_;
};

// All columns of a stream, access by access.
struct KeptAccess {
  uint64_t address = 0, bytes = 0;
  uint64_t time = 0;   // of streams with times
  uint64_t until = 0;  // it counts behind the path with this time
};
class KeptAccessFeed {
 public:
  static Result<KeptAccessFeed> open(const KeptStream& stream, AddressFeed::Decoded& decoded);
  bool next(KeptAccess& access);
  // Of streams without times.
  bool seek(uint64_t position) { return addresses_.seek(position) && sizes_.seek(position); }
  const Error* error() const;

 private:
  KeptAccessFeed(uint64_t bytes, AddressFeed addresses, ColumnFeed sizes, ColumnFeed times,
                 ColumnFeed delays);
  uint64_t bytes_;
  AddressFeed addresses_;
  ColumnFeed sizes_, times_, delays_;
  uint64_t time_ = 0;
};

}  // namespace vestige
