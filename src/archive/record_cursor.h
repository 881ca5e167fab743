// Any record of a .vcz file: goes to the section that holds it and decodes from there. Without a
// directory the blocks' heads say where sections begin; of a pipe everything before is read.
//
// Errors of kind corrupt name the file and the byte. After a failure of read() nothing more may be
// called but seek(). Thread safety: one thread; the codec may use more inside.
#pragma once

#include "archive/block_reader.h"

namespace vestige {

class RecordCursor {
 public:
  // Reads the header, and looks for the directory. The source must outlive the cursor.
  static Result<RecordCursor> open(ByteSource& source, const CodecSet& codecs, unsigned threads);

  // The same with what has read the header of the source, and nothing more.
  static Result<RecordCursor> over(ByteSource& source, BlockReader opened);

  // How places are found.
  enum class Way : uint8_t {
    directory,  // one look
    blocks,     // the heads of all blocks were read
    start,      // everything before is decoded
  };
  Way way() const { return way_; }
  const ArchiveHeader& header() const { return opened_.header(); }
  // How many records there are; nothing when that shows only at the end. Of a file that is cut
  // short, those of whole blocks.
  std::optional<uint64_t> records() const;

  // The next read begins with this record, counted from 0; at most records(). Fails (wrong use)
  // when there are fewer, or when it lies behind and there is no going back.
  Result<void> seek(uint64_t record);
  // The rows of the next record and of those after it, at most `most`; none at the end. They stay
  // until the next call.
  Result<ByteView> read(uint64_t most);

  uint64_t bytes_read() const { return reader().archive().bytes_read(); }

 private:
  RecordCursor(ByteSource& source, BlockReader opened)
      : source_(source), opened_(std::move(opened)) {}
  BlockReader& reader() { return part_ ? *part_ : opened_; }
  const BlockReader& reader() const { return part_ ? *part_ : opened_; }
  bool holds(uint64_t record) const;
  std::unexpected<Error> no_such(uint64_t record, uint64_t all) const;
  // Whether there is one more block; then its rows are at hand.
  Result<bool> next_block();

  ByteSource& source_;
  BlockReader opened_;
  std::optional<BlockReader> part_;  // reads in place of opened_ since the first jump
  Way way_ = Way::start;
  std::optional<ArchiveDirectory> directory_;
  uint64_t record_ = 0;       // the next one
  uint64_t block_first_ = 0;  // of the block at hand
  uint64_t block_rows_ = 0;   // 0: none is
  bool ended_ = false;
};

const char* name_of(RecordCursor::Way way);

}  // namespace vestige
