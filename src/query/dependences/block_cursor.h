// The block of dependences that a slice stands in.
//
// One owner thread.
#pragma once

#include "query/dependences/block.h"
#include "query/dependences/dependence_file.h"

namespace vestige {

// What slices are made of. All must outlive who uses it.
struct SliceGround {
  const Trace& trace;
  const CallNames& names;
  const DependenceReader& dependences;
};

class DependenceBlockCursor {
 public:
  DependenceBlockCursor(const SliceGround& ground, uint32_t thread)
      : DependenceBlockCursor(ground.trace, ground.names, ground.dependences, thread) {}
  // All must outlive it.
  DependenceBlockCursor(const Trace& trace, const CallNames& names, const DependenceReader& reader,
                        uint32_t thread)
      : reader_(reader), thread_(thread), decoder_(trace, names) {
    if (reader.stored()) stored_ = reader.stored()->cursor(trace, names, thread);
  }

  Result<void> go_to(size_t number) {
    if (number == number_) return {};
    number_ = SIZE_MAX;
    const BlockPlace& place = places()[number];
    if (stored_) {
      if (auto read = stored_->read(place, block_); !read) return read;
      number_ = number;
      return {};
    }
    const auto columns = reader_.columns(place);
    if (!columns) return std::unexpected(columns.error());
    if (auto decoded = decoder_.decode(*columns, place.first_time, place.paths, block_); !decoded)
      return decoded;
    number_ = number;
    return {};
  }
  const DependenceBlock& block() const { return block_; }
  size_t number() const { return number_; }
  const BlockPlaces& places() const { return reader_.of(thread_); }
  // The block that holds the path of a time. Asked for often, so the way there is short.
  size_t block_at(uint64_t time) const { return reader_.block_at(thread_, time); }
  const DependenceReader& reader() const { return reader_; }

 private:
  const DependenceReader& reader_;
  const uint32_t thread_;
  BlockDecoder decoder_;
  std::unique_ptr<StoredBlockCursor> stored_;  // of a trace that keeps its blocks
  DependenceBlock block_;
  size_t number_ = SIZE_MAX;
};

// What a slice fails with when a block says what cannot be.
std::unexpected<Error> impossible_dependence();

}  // namespace vestige
