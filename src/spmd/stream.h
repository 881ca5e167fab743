// One stream of numbers of one thread: what is regular as stretches, then, once it proved
// irregular, the numbers themselves.
//
// A stream proves irregular early or late. Early: while there are few numbers, they are also kept
// as they came (`early`), so that all of them become literals, from the first on. Late: what is
// regular stays as stretches, literals are what follows.
//
// Literal numbers are kept in blocks: the differences from number to number (the first of a block
// from the first of the literals) as signed varints, squeezed (base/squeeze.h). So streams that
// differ by a base alone have the same blocks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "spmd/position.h"
#include "spmd/stretch.h"
#include "vestige/result.h"

namespace vestige::spmd {

struct LiteralBlock {
  uint64_t count = 0;
  std::shared_ptr<const Bytes> bytes;  // threads may share them
  bool operator==(const LiteralBlock& other) const {
    return count == other.count && *bytes == *other.bytes;
  }
};

inline constexpr uint64_t kLiteralBlock = 1
                                          << 17;  // numbers of a block; only the last one has fewer
inline constexpr int kLiteralSqueeze = 1;         // on disk they are coded anew (literal_bytes.h)

// The numbers as differences, the first from `base`.
LiteralBlock pack_literals(std::span<const uint64_t> values, uint64_t base);
// Nothing: the bytes are damaged, or none.
std::optional<std::vector<uint64_t>> unpack_literals(const LiteralBlock& block, uint64_t base);

struct Stream {
  std::vector<StretchSection> sections;
  std::vector<LiteralBlock> literals;  // behind the sections
  uint64_t literal_base = 0;           // the first number of them
};

// Folds while numbers come in. Memory: kMostSections sections, one block of literals and those
// already squeezed.
class StreamFolder {
 public:
  // Periods of up to window / 2 stretches fold.
  static constexpr size_t kDefaultWindow = 32;
  // The plug-in must live until finish.
  explicit StreamFolder(size_t window = kDefaultWindow, const StreamPlugin& plugin = {})
      : window_(window), plugin_(plugin), early_on_(!plugin.plugin) {}
  // Who reads these numbers wants stretches: literals late only. Before the first number.
  void prefer_stretches() { early_on_ = prefers_literals_ = false; }

  // `node` is where the coordinates are taken; always the same one for one stream.
  void append(uint64_t value, const Position& position, uint32_t node) {
    const Position::Node& here = position[node];
    if (here.epoch == epoch_ && count_ != 0 && (own_known_ || here.index == own_first_) &&
        value == base_ + own_slope_ * here.index) {
      ++count_;
      if (early_on_) keep_early(value);
      return;
    }
    append_slow(value, position, node);
  }
  // So many numbers at once, `step` apart, of as many iterations of the node from here on, when
  // they continue what there is. False: nothing was done.
  bool extend(uint64_t value, uint64_t step, uint64_t count, const Position& position,
              uint32_t node) {
    const Position::Node& here = position[node];
    if (here.epoch != epoch_ || count_ == 0 || !own_known_ || step != own_slope_ ||
        value != base_ + own_slope_ * here.index)
      return false;
    count_ += count;
    if (early_on_) keep_early(value, step, count);
    return true;
  }
  // How often what there is did not explain a number that came.
  uint64_t changes() const { return changes_; }
  // Whether a number that is explained is so further on too: `step` further, where the node's index
  // is `own` further, and that of the one around it `around`. `reaches`: the node's index may be
  // any.
  bool goes_along(uint64_t step, uint64_t own, uint64_t around, bool reaches) const {
    const size_t levels = axes_.size();
    if (literal_ || count_ == 0) return false;
    if ((own != 0 || reaches) && (levels < 1 || !axes_[levels - 1].known)) return false;
    if (around != 0 && (levels < 2 || !axes_[levels - 2].known)) return false;
    uint64_t expected = 0;
    if (own != 0) expected += own * axes_[levels - 1].slope;
    if (around != 0) expected += around * axes_[levels - 2].slope;
    return step == expected;
  }
  // So many numbers more that are explained; which they are, keeps_early() wants to know.
  void add_explained(uint64_t count) { count_ += count; }
  bool keeps_early() const { return early_on_; }
  void keep_early(uint64_t value, uint64_t step, uint64_t count);

  // Rows (stream_rows.cpp): what the stream was like when the last one ended, and what each adds.
  struct RowMark;
  // A row ends, which was so many iterations, counted by this coordinate. Whether rows that follow,
  // all of whose numbers move on as they did in the last two, will do to the stream what the last
  // one did.
  bool end_row(RowMark& mark, size_t coordinate, uint64_t iterations);
  // So many of them at once, right behind.
  void add_rows(const RowMark& mark, size_t coordinate, uint64_t iterations, uint64_t rows);
  Stream finish();

 private:
  static constexpr size_t kFewSections = 256, kMostSections = 1 << 14;
  static constexpr uint64_t kLongEnough = 64;  // entries to a section that make it worth while
  // The same early; and, when the stream is over, what is shorter as literals.
  static constexpr size_t kFewEarly = 64, kLeastAtEnd = 16;
  static constexpr uint64_t kLongAtEnd = 8;
  static constexpr uint64_t kMostEarly = 1 << 14;
  static constexpr size_t kMostEarlyBytes = 1 << 13;

  void append_slow(uint64_t value, const Position& position, uint32_t node);
  bool goes_on(uint64_t value, const std::vector<uint64_t>& at);
  bool continues(uint64_t value, const std::vector<uint64_t>& at);
  bool passes_for(uint64_t value, const std::vector<uint64_t>& at) const;
  void begin(uint64_t value, const std::vector<uint64_t>& at);
  void end_stretch();
  void add_literal(uint64_t value);
  bool is_moved_on(RowMark& mark, size_t coordinate, uint64_t iterations) const;
  void add_literal_rows(uint64_t bytes, uint64_t rows);
  void end_block();
  bool is_irregular() const;
  void keep_early(uint64_t value) { keep_early(value, 0, 1); }
  void keep_early_rows(uint64_t numbers, uint64_t rows);
  void end_early_run();
  void forget_early();
  std::vector<uint64_t> early();
  void make_literal();

  // The stretch being made: value_ where all coordinates are the first; slopes that are not known
  // yet are 0.
  uint64_t count_ = 0, value_ = 0;
  struct Axis {
    uint64_t first = 0, slope = 0;
    bool known = false;
    bool operator==(const Axis&) const = default;
  };
  std::vector<Axis> axes_;  // by coordinate
  std::vector<uint64_t> slopes() const;
  // The same for one epoch: base_ + own_slope_ × the node's own index.
  uint64_t epoch_ = 0, base_ = 0, own_slope_ = 0, own_first_ = 0;
  bool own_known_ = false;

  size_t window_;
  StreamPlugin plugin_;
  uint64_t changes_ = 0;
  uint64_t entries_ = 0;  // in sections
  std::unique_ptr<StretchList> list_;
  bool literal_ = false;
  ByteWriter block_;  // of literals, as they are packed
  uint64_t in_block_ = 0, last_literal_ = 0;
  std::vector<LiteralBlock> literals_;
  uint64_t literal_base_ = 0;
  // Runs of equal differences, as differences and counts; the last one is still open.
  bool early_on_, prefers_literals_ = true;
  ByteWriter early_;
  uint64_t early_count_ = 0, early_last_ = 0, early_step_ = 0, early_run_ = 0;
};

struct StreamFolder::RowMark {
  uint64_t changes = 0;
  uint64_t quiet = 0;  // rows up to here that changed nothing
  uint64_t count = 0, value = 0, entries = 0;
  std::vector<Axis> axes;
  size_t sections = 0;
  std::vector<StretchSection> tail;  // as much of them as may still fold
  size_t blocks = 0, bytes = 0;      // of literals
  uint64_t numbers = 0;              // in all
  bool literal = false;
  // Of the last row.
  uint64_t more = 0, more_entries = 0, more_numbers = 0, value_step = 0, row_bytes = 0;
  size_t loop = 0;  // the section that went round, and how often
  uint64_t rounds = 0;
  enum class Kind : uint8_t { explained, moved, literal } kind = Kind::explained;
};

class LiteralFeed;

// Reads a stream back, in order. Numbers behind its end are 0, and failed() says so.
class StreamReader {
 public:
  // The stream must outlive it. With a feed, which gives the literals, the stream is `place` there.
  explicit StreamReader(const Stream& stream, LiteralFeed* feed = nullptr, uint32_t place = 0);

  uint64_t next(const Position& position, uint32_t node) {
    const Position::Node& here = position[node];
    if (left_ == 0 || here.epoch != epoch_) return next_slow(position, node);
    --left_;
    return base_ + own_slope_ * here.index;
  }
  // How many of the next numbers, at least, are those of one stretch in this epoch; how far they
  // are apart from one iteration of the node to the next. Nothing at all when that is not known.
  uint64_t ahead(const Position& position, uint32_t node) {
    if (in_literals_) return 0;
    if (left_ == 0 || position[node].epoch != epoch_) {
      if (!prepare(position, node)) return 0;
    }
    return left_;
  }
  uint64_t slope() const { return own_slope_; }
  uint64_t value(uint64_t index) const { return base_ + own_slope_ * index; }
  void skip(uint64_t count) { left_ -= count; }

  bool failed() const { return failed_; }
  // Whether everything was read; a last stretch of unknown length counts as read.
  bool at_end() const;

 private:
  static constexpr uint64_t kEndless = UINT64_MAX / 2;
  uint64_t next_slow(const Position& position, uint32_t node);
  bool prepare(const Position& position, uint32_t node);
  bool load_stretch();
  bool load_block();
  uint64_t next_literal();

  const Stream* stream_;
  LiteralFeed* feed_;
  uint32_t place_;
  StretchList::Iterator stretches_;
  bool started_ = false, endless_ = false, in_literals_ = false, failed_ = false;
  Stretch stretch_;
  uint64_t left_ = 0, epoch_ = 0, base_ = 0, own_slope_ = 0;
  size_t block_ = 0, literal_ = 0;
  std::vector<uint64_t> literals_;
};

}  // namespace vestige::spmd
