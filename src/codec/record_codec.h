// The interface of codecs for traces of records: rows of a few integer fields, one of which may be
// the program counter (PC) that the others belong to.
//
// A trace is handed over in blocks of rows, column by column. An encoder keeps what it learnt from
// block to block, so blocks decode in order only; its memory does not grow with their number. The
// caller (archive/) frames, checks and counts blocks; codecs see integers only.
//
// Thread safety: an encoder or a decoder belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

// On disk (docs/codecs.md): append, never renumber.
enum class RecordCodec : uint8_t {
  vestige = 1,  // record/vestige/levels.h: our own, levels 1 … 9
  vpc = 2,      // record/vpc/: the VPC paper's
  vpc2 = 3,     // record/vpc/: the same behind a general compressor
  streams =
      4,  // column by column through one stream codec (sequitur, runs, fcm2 …) or a selected one
  hybrid = 5,  // record/hybrid/: PCs by a grammar, values as in vpc2
};

struct RecordField {
  std::string name;    // "pc", "data", "address" …
  uint8_t width = 8;   // bytes, 1 … 8; every value of the column fits
  bool is_pc = false;  // at most one field
};

struct RecordLayout {
  std::vector<RecordField> fields;
  std::optional<size_t> pc_field() const {
    for (size_t i = 0; i < fields.size(); ++i)
      if (fields[i].is_pc) return i;
    return std::nullopt;
  }
  size_t width() const {
    size_t sum = 0;
    for (const RecordField& field : fields) sum += field.width;
    return sum;
  }
};

struct RecordBlock {
  size_t rows = 0;
  std::vector<std::vector<uint64_t>> columns;  // one per field of the layout, `rows` values each
};

// Which predictor was right how often, for reports.
struct FieldExplanation {
  std::string field;
  std::vector<std::string> predictors;  // the last one is "none": nothing predicted it
  std::vector<uint64_t> counts;         // parallel to predictors
  std::map<uint64_t, std::vector<uint64_t>>
      by_pc;           // the same per PC, for at most kExplainedPcs of them
  uint64_t bytes = 0;  // compressed, as far as it can be told apart; else 0
};
inline constexpr size_t kExplainedPcs = 1 << 20;
using Explanation = std::vector<FieldExplanation>;

struct RecordCodecOptions {
  int level = 5;             // 1 … 9
  std::string predictors;    // a list as the user wrote it (docs/codecs.md); empty: the codec's own
  std::string stream_codec;  // for `streams`: the name of a stream codec, or empty: selected
  Bytes preamble;            // the bytes before the first record (the VPC paper's range)
  bool explain = false;      // collect an Explanation
  unsigned threads = 1;      // how many the codec may use, its caller's included
};

class RecordEncoder {
 public:
  virtual ~RecordEncoder() = default;
  // Compresses one block; at most block_rows() rows.
  virtual Bytes encode(const RecordBlock& block) = 0;
  // What a decoder must be told; the caller keeps it before the first block.
  virtual Bytes parameters() const = 0;
  virtual size_t block_rows() const = 0;
  // Forgets what it learnt and goes on as a new encoder would, in memory that it has touched
  // already. False: not this one, make a new one.
  virtual bool restart() { return false; }
  virtual const Explanation* explanation() const { return nullptr; }
};

class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  // Decompresses the next block. `block.rows` says how many rows it has; the columns are resized.
  // Never crashes and never allocates more than the rows and the parameters call for, whatever the
  // bytes; after a failure the decoder is of no more use.
  virtual Result<void> decode(ByteView bytes, RecordBlock& block) = 0;
};

// A codec's name as the user writes it: vestige, vpc, vpc2, hybrid, sequitur, runs, fcm2, … or
// `select`.
// Gives the codec, and sets options.stream_codec where the name is a stream codec's.
Result<RecordCodec> record_codec_named(std::string_view name, RecordCodecOptions& options);

Result<std::unique_ptr<RecordEncoder>> make_record_encoder(RecordCodec codec,
                                                           const RecordLayout& layout,
                                                           const RecordCodecOptions& options);
Result<std::unique_ptr<RecordDecoder>> make_record_decoder(RecordCodec codec,
                                                           const RecordLayout& layout,
                                                           ByteView parameters, unsigned threads);

}  // namespace vestige
