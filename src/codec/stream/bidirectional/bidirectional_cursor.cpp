// Cursors of bidirectional_stream.h.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "codec/pack/segments.h"
#include "codec/stream/bidirectional/bidirectional_shape.h"
#include "codec/stream/bidirectional/bidirectional_stream.h"
#include "codec/stream/bidirectional/fcm_walk.h"
#include "codec/stream/bidirectional/last_walk.h"

namespace vestige {

namespace {

std::unexpected<Error> bad(const std::string& what) {
  return fail(ErrorKind::corrupt, "bidirectional stream: " + what);
}

// A segment being walked: the predictor's numbers turned into values.
class SegmentReader {
 public:
  explicit SegmentReader(const BidirectionalShape& shape) : differences_(shape.differences) {
    if (shape.fcm)
      walk_ = make_fcm_walk(shape.context);
    else
      walk_ = std::make_unique<LastWalk>(shape.context);
  }

  bool holds(uint64_t number) const { return number_ == number; }

  Result<void> load(uint64_t number, ByteView bytes, size_t count) {
    number_.reset();
    ByteReader in(bytes);
    value_ = differences_ && number > 0 ? in.varint() : 0;
    if (in.failed()) return bad("a segment is cut short");
    if (auto loaded = walk_->load(bytes.subspan(in.at()), count); !loaded) return loaded;
    number_ = number;
    return {};
  }

  size_t forward(std::span<uint64_t> out) {
    const size_t n = walk_->forward(out);
    if (differences_)
      for (uint64_t& number : out.first(n)) number = value_ += number;
    return n;
  }
  size_t backward(std::span<uint64_t> out) {
    const size_t n = walk_->backward(out);
    if (differences_)
      for (uint64_t& number : out.first(n)) {
        const uint64_t value = value_;
        value_ -= number;
        number = value;
      }
    return n;
  }
  size_t position() const { return walk_->position(); }

 private:
  bool differences_;
  std::unique_ptr<SegmentWalk> walk_;
  std::optional<uint64_t> number_;
  uint64_t value_ = 0;  // the one before the position
};

// Invariants: 1. `position_` is where the caller is; the walk in `here_` may be elsewhere in its
// segment, or in another one: reach() brings it. 2. window_[0 … window_size_) are the values from
// window_begin_ on, whatever moved since: values do not change.
class BidirectionalCursor final : public StreamCursor {
 public:
  static Result<std::unique_ptr<StreamCursor>> open(StreamCodec codec, ByteView bytes) {
    const BidirectionalShape shape = shape_of(codec);
    auto stream = read_segments(bytes, shape.segment, "bidirectional stream");
    if (!stream) return std::unexpected(std::move(stream.error()));
    std::unique_ptr<BidirectionalCursor> self(new BidirectionalCursor(shape, std::move(*stream)));
    return std::unique_ptr<StreamCursor>(std::move(self));
  }

  uint64_t size() const override { return size_; }
  uint64_t position() const override { return position_; }
  const Error* error() const override { return failed_ ? &error_ : nullptr; }

  bool next(uint64_t& value) override {
    if (position_ - window_begin_ >= window_size_ && !look_ahead()) return false;
    value = window_[position_++ - window_begin_];
    return true;
  }
  bool prev(uint64_t& value) override {
    if (position_ - 1 - window_begin_ >= window_size_ && !look_back()) return false;
    value = window_[--position_ - window_begin_];
    return true;
  }
  bool seek(uint64_t position) override {
    if (failed_ || position > size_) return false;
    position_ = position;
    return true;
  }
  size_t read(std::span<uint64_t> out) override {
    size_t done = 0;
    while (done < out.size() && position_ < size_ && reach(position_ / shape_.segment)) {
      const size_t n = here().forward(out.subspan(done));
      if (n == 0) {
        damaged(position_ / shape_.segment);
        break;
      }
      done += n;
      position_ += n;
    }
    return done;
  }
  size_t read_back(std::span<uint64_t> out) override {
    size_t done = 0;
    while (done < out.size() && position_ > 0 && reach((position_ - 1) / shape_.segment)) {
      const size_t n = here().backward(out.subspan(done));
      if (n == 0) {
        damaged((position_ - 1) / shape_.segment);
        break;
      }
      done += n;
      position_ -= n;
    }
    return done;
  }

 private:
  BidirectionalCursor(const BidirectionalShape& shape, SegmentedStream stream)
      : shape_(shape), size_(stream.size), segments_(std::move(stream.segments)) {}

  SegmentReader& here() { return *loaded_[here_]; }
  size_t count_of(uint64_t number) const {
    return std::min<uint64_t>(shape_.segment, size_ - number * shape_.segment);
  }

  // Fills the window with the values after, or before, the position; false at the end, or on
  // damage.
  bool look_ahead() {
    const uint64_t begin = position_;
    const size_t n = read(window_);
    window_begin_ = begin;
    window_size_ = failed_ ? 0 : n;
    position_ = begin;
    return window_size_ > 0;
  }
  bool look_back() {
    const uint64_t end = position_;
    const size_t n = read_back(window_);
    std::reverse(window_.begin(), window_.begin() + static_cast<ptrdiff_t>(n));
    window_begin_ = end - n;
    window_size_ = failed_ ? 0 : n;
    position_ = end;
    return window_size_ > 0;
  }

  // Brings the walk of segment `number` to the position, which lies in it or at one of its ends.
  bool reach(uint64_t number) {
    if (failed_ || !enter(number)) return false;
    const size_t target = position_ - number * shape_.segment;
    const size_t at = here().position();
    // Stepping back costs what stepping forward does, so only a long way back is worth a new start.
    if (target < at && at - target > target + shape_.segment / 8 && !load(number)) return false;
    std::array<uint64_t, 512> passed;
    while (here().position() > target) {
      const size_t n = std::min(passed.size(), here().position() - target);
      if (here().backward(std::span(passed).first(n)) < n) return damaged(number);
    }
    while (here().position() < target) {
      const size_t n = std::min(passed.size(), target - here().position());
      if (here().forward(std::span(passed).first(n)) < n) return damaged(number);
    }
    return true;
  }
  bool enter(uint64_t number) {
    if (loaded_[here_] && here().holds(number)) return true;
    here_ = 1 - here_;
    if (loaded_[here_] && here().holds(number)) return true;
    return load(number);
  }
  bool load(uint64_t number) {
    if (!loaded_[here_]) loaded_[here_].emplace(shape_);
    auto read = here().load(number, segments_[number], count_of(number));
    return read ? true : give_up(number, std::move(read.error()));
  }
  bool damaged(uint64_t number) {
    return give_up(number, {ErrorKind::corrupt, "bidirectional stream: does not decode"});
  }
  bool give_up(uint64_t number, Error error) {
    failed_ = true;
    error_ = std::move(error);
    error_.message += ", segment " + std::to_string(number);
    window_size_ = 0;
    return false;
  }

  BidirectionalShape shape_;
  uint64_t size_;
  uint64_t position_ = 0;
  std::vector<ByteView> segments_;
  std::array<std::optional<SegmentReader>, 2>
      loaded_;  // the one being walked, and the one left for it
  size_t here_ = 0;
  std::array<uint64_t, 64> window_;
  uint64_t window_begin_ = 0;
  size_t window_size_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace

Result<std::unique_ptr<StreamCursor>> open_bidirectional(StreamCodec codec, ByteView bytes) {
  return BidirectionalCursor::open(codec, bytes);
}

}  // namespace vestige
