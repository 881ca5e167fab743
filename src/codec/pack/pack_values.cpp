// The encoder of values.h: tries its forms, keeps the smallest.
#include <algorithm>
#include <bit>

#include "codec/entropy/zstd_frame.h"
#include "codec/pack/bit_packing.h"
#include "codec/pack/dictionary.h"
#include "codec/pack/value_forms.h"
#include "codec/pack/values.h"

namespace vestige {

namespace {

using namespace value_forms;
using Values = std::span<const uint64_t>;

// Below this a zstd frame's own header eats what it saves.
constexpr size_t kFewestForZstd = 48;
constexpr size_t kFewestForPlanes = 256;
// zstd must save this part of the best form without it to be worth its time.
constexpr size_t kZstdMargin = 32;

size_t varint_size(uint64_t v) { return (static_cast<size_t>(std::bit_width(v | 1)) + 6) / 7; }

struct ValueRange {
  uint64_t low, high;
  unsigned width() const { return static_cast<unsigned>(std::bit_width(high - low)); }
};

ValueRange range_of(Values numbers) {
  ValueRange range{numbers[0], numbers[0]};
  for (const uint64_t n : numbers) {
    range.low = std::min(range.low, n);
    range.high = std::max(range.high, n);
  }
  return range;
}

size_t frame_size(ValueRange range, size_t numbers) {
  return 1 + varint_size(range.low) + packed_bytes(numbers, range.width());
}

void write_frame(Values numbers, uint64_t base, unsigned width, ByteWriter& out) {
  out.u8(static_cast<uint8_t>(width));
  out.varint(base);
  pack_bits_of_width(numbers, base, width, out.buffer());
}

Bytes frames_of(Values numbers) {
  ByteWriter out;
  for (size_t at = 0; at < numbers.size(); at += kFrame) {
    const Values frame = numbers.subspan(at, std::min<size_t>(kFrame, numbers.size() - at));
    const ValueRange range = range_of(frame);
    write_frame(frame, range.low, range.width(), out);
  }
  return out.take();
}

Bytes uniform_of(Values numbers) {
  const ValueRange range = range_of(numbers);
  ByteWriter out;
  write_frame(numbers, range.low, range.width(), out);
  return out.take();
}

Bytes varints_of(Values numbers) {
  ByteWriter out;
  for (const uint64_t n : numbers) out.varint(n);
  return out.take();
}

Bytes zstd_of(const Bytes& raw) {
  const Bytes frame = zstd_compress(raw);
  ByteWriter out;
  out.varint(raw.size());
  out.varint(frame.size());
  out.bytes(frame);
  return out.take();
}

// Widths that keep equal runs of numbers equal runs of bytes, or the matcher would not see them.
Bytes zstd_uniform_of(Values numbers) {
  const ValueRange range = range_of(numbers);
  const unsigned width = std::bit_ceil(range.width());
  // An unshifted number is as good as one above a base when both take the same bytes.
  const bool fits = static_cast<unsigned>(std::bit_width(range.high)) <= width;
  ByteWriter out;
  write_frame(numbers, fits ? 0 : range.low, width, out);
  return zstd_of(out.buffer());
}

Bytes planes_of(Values numbers) {
  uint64_t any = 0;
  for (const uint64_t n : numbers) any |= n;
  const auto planes = static_cast<unsigned>((std::bit_width(any | 1) + 7) / 8);
  ByteWriter out;
  out.u8(static_cast<uint8_t>(planes));
  Bytes plane(numbers.size());
  for (unsigned k = 0; k < planes; ++k) {
    uint8_t differs = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      plane[i] = static_cast<uint8_t>(numbers[i] >> 8 * k);
      differs |= plane[i] ^ plane[0];
    }
    if (differs == 0) {
      out.u8(constant_plane);
      out.u8(plane[0]);
      continue;
    }
    const Bytes frame = zstd_compress(plane);
    if (frame.size() + 4 < plane.size()) {
      out.u8(zstd_plane);
      out.varint(frame.size());
      out.bytes(frame);
    } else {
      out.u8(raw_plane);
      out.bytes(plane);
    }
  }
  return out.take();
}

std::vector<uint64_t> deltas_of(Values values) {
  std::vector<uint64_t> out(values.size());
  uint64_t before = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    out[i] = zigzag(values[i] - before);
    before = values[i];
  }
  return out;
}

std::vector<uint64_t> deltas_of_deltas_of(Values values) {
  std::vector<uint64_t> out(values.size());
  uint64_t before = 0, delta_before = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t d = values[i] - before;
    out[i] = zigzag(d - delta_before);
    before = values[i];
    delta_before = d;
  }
  return out;
}

// The smallest form offered so far.
class Choice {
 public:
  explicit Choice(PackGoal goal) : goal_(goal) {}

  void try_forms(Transform transform, Values numbers) {
    size_t framed = 0, as_varints = 0;
    for (size_t at = 0; at < numbers.size(); at += kFrame) {
      const Values frame = numbers.subspan(at, std::min<size_t>(kFrame, numbers.size() - at));
      framed += frame_size(range_of(frame), frame.size());
    }
    for (const uint64_t n : numbers) as_varints += varint_size(n);
    const size_t as_one_frame = frame_size(range_of(numbers), numbers.size());
    if (as_one_frame + 1 < size()) keep(method(transform, uniform, false), uniform_of(numbers));
    if (framed + 1 < size()) keep(method(transform, frames, false), frames_of(numbers));
    if (as_varints + 1 < size()) keep(method(transform, varints, false), varints_of(numbers));
    if (goal_ == PackGoal::speed || numbers.size() < kFewestForZstd || size() < kFewestForZstd)
      return;
    // The matcher finds repeated sequences in the values themselves; in their differences it is the
    // skew that pays, which varints and planes show best.
    if (transform == plain) offer(method(plain, uniform, true), zstd_uniform_of(numbers));
    if (transform == delta) offer(method(delta, varints, true), zstd_of(varints_of(numbers)));
    if (transform != delta_of_delta && numbers.size() >= kFewestForPlanes)
      offer(method(transform, planes, false), planes_of(numbers));
  }
  size_t size() const { return body_.empty() ? SIZE_MAX : body_.size(); }
  Bytes take() { return std::move(body_); }

 private:
  void offer(uint8_t method, const Bytes& numbers) {
    const size_t cost = numbers.size() + 1;
    if (cost + cost / kZstdMargin < size()) keep(method, numbers);
  }
  void keep(uint8_t method, const Bytes& numbers) {
    body_.assign(1, method);
    body_.insert(body_.end(), numbers.begin(), numbers.end());
  }
  PackGoal goal_;
  Bytes body_;
};

Bytes body_without_dictionary(Values values, PackGoal goal) {
  Choice choice(goal);
  choice.try_forms(plain, values);
  choice.try_forms(delta, deltas_of(values));
  if (values.size() > 2) choice.try_forms(delta_of_delta, deltas_of_deltas_of(values));
  return choice.take();
}

// Nothing when a dictionary cannot be smaller than `limit`.
Bytes body_with_dictionary(Values values, PackGoal goal, size_t limit) {
  const std::vector<uint64_t> sorted = distinct_values(values);
  ByteWriter out;
  out.u8(method(dictionary, frames, false));
  out.varint(sorted.size());
  out.bytes(body_without_dictionary(sorted, goal));
  if (out.size() >= limit) return {};
  out.bytes(body_without_dictionary(dictionary_indices(values, sorted), goal));
  return out.take();
}

}  // namespace

void pack_values(Values values, ByteWriter& out, PackGoal goal) {
  out.varint(values.size());
  if (values.empty()) return;
  Bytes body = body_without_dictionary(values, goal);
  // What is already next to nothing is not worth the sorting.
  if (values.size() >= 16 && body.size() > values.size() / 64 + 16) {
    Bytes other = body_with_dictionary(values, goal, body.size());
    if (!other.empty() && other.size() < body.size()) body = std::move(other);
  }
  out.bytes(body);
}

Bytes pack_values(Values values, PackGoal goal) {
  ByteWriter out;
  pack_values(values, out, goal);
  return out.take();
}

}  // namespace vestige
