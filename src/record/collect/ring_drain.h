// Draws the words out of one ring for as long as one writer has it.
//
// Handed-over pieces are parsed where they lie, zeroed and given back. The piece the writer stands
// in may be read too, up to its first zero word, without taking anything away: once a second, so
// that a thread that writes little does not keep its last words from the file, and for good when
// the writer is gone.
#pragma once

#include "record/collect/ring_reader.h"
#include "record/collect/word_parser.h"

namespace vestige {

class RingDrain {
 public:
  RingDrain(const Session& session, uint32_t ring, ThreadLog& log, PathKinds& kinds,
            SessionDirectory& directory);

  uint32_t ring() const { return reader_.ring(); }
  uint64_t serial() const { return serial_; }
  WordParser& parser() { return parser_; }
  ThreadLog& log() { return log_; }
  const ThreadLog& log() const { return log_; }

  // Whether a handed-over piece waits.
  bool has_pieces() const { return reader_.filled() != reader_.drained(); }
  // Takes up to `most` handed-over pieces; returns how many it took. In concurrency it may stop in
  // the middle of one, where the parser wants to be alone.
  using Concurrency = WordParser::Concurrency;
  uint32_t take_pieces(uint32_t most, Concurrency concurrency = Concurrency::exclusive);
  // The piece the writer stands in, while it may still be writing. `for_good`: nothing is read
  // behind it, so a loop that is going on counts as far as it is.
  enum class Until { now, for_good };
  void peek(Until until = Until::now);
  // Everything there is. The writer is gone (its thread ended or its process is dead).
  void take_rest();
  // Gives the ring to the next writer. After take_rest().
  void release() { reader_.release(); }
  bool closed() const { return reader_.closed(); }

 private:
  static constexpr size_t kPieceWords = protocol::kPieceBytes / sizeof(uint32_t);

  RingReader reader_;
  const uint64_t serial_;
  size_t offset_ = 0;  // words of the piece that comes next that were parsed already
  ThreadLog& log_;
  WordParser parser_;
  std::vector<uint32_t> copy_;
};

}  // namespace vestige
