// The decoder of values.h.
#include <algorithm>

#include "codec/entropy/zstd_frame.h"
#include "codec/pack/bit_packing.h"
#include "codec/pack/value_forms.h"
#include "codec/pack/values.h"

namespace vestige {

namespace {

using namespace value_forms;

std::unexpected<Error> bad(const std::string& what) {
  return fail(ErrorKind::corrupt, "packed values: " + what);
}

bool read_frame(ByteReader& in, std::span<uint64_t> out) {
  const unsigned width = in.u8();
  const uint64_t base = in.varint();
  if (width > 64) return false;
  const ByteView bits = in.bytes(packed_bytes(out.size(), width));
  if (in.failed()) return false;
  unpack_bits_of_width(bits, base, width, out);
  return true;
}

bool read_planes(ByteReader& in, std::span<uint64_t> out) {
  const unsigned planes = in.u8();
  if (planes > 8) return false;
  std::ranges::fill(out, 0);
  Bytes unpacked;
  for (unsigned k = 0; k < planes; ++k) {
    const uint8_t kind = in.u8();
    ByteView plane;
    if (kind == constant_plane) {
      const uint64_t byte = in.u8();
      for (uint64_t& n : out) n |= byte << 8 * k;
      continue;
    }
    if (kind == raw_plane) {
      plane = in.bytes(out.size());
    } else if (kind == zstd_plane) {
      const ByteView frame = in.bytes(in.varint());
      if (in.failed()) return false;
      unpacked.resize(out.size());
      if (!zstd_decompress(frame, unpacked)) return false;
      plane = unpacked;
    } else {
      return false;
    }
    if (in.failed()) return false;
    for (size_t i = 0; i < out.size(); ++i) out[i] |= uint64_t{plane[i]} << 8 * k;
  }
  return !in.failed();
}

bool read_layout(PlaneLayout layout, ByteReader& in, std::span<uint64_t> out) {
  switch (layout) {
    case frames:
      for (size_t at = 0; at < out.size(); at += kFrame)
        if (!read_frame(in, out.subspan(at, std::min<size_t>(kFrame, out.size() - at))))
          return false;
      return true;
    case uniform:
      return read_frame(in, out);
    case planes:
      return read_planes(in, out);
    case varints:
      for (uint64_t& n : out) n = in.varint();
      return !in.failed();
  }
  return false;
}

bool read_numbers(uint8_t method, ByteReader& in, std::span<uint64_t> out) {
  const auto layout = static_cast<PlaneLayout>(method >> 2 & 3);
  if ((method & kZstd) == 0) return read_layout(layout, in, out);
  if (layout == frames || layout == planes) return false;
  const uint64_t raw_size = in.varint();
  const ByteView frame = in.bytes(in.varint());
  // A number is at most ten bytes as a varint; with that, a hostile size allocates what the values
  // themselves may take, no more.
  if (in.failed() || raw_size > 16 + out.size() * 10) return false;
  Bytes raw(raw_size);
  if (!zstd_decompress(frame, raw)) return false;
  ByteReader body(raw);
  return read_layout(layout, body, out) && body.remaining() == 0;
}

void undo_delta(std::span<uint64_t> numbers) {
  uint64_t value = 0;
  for (uint64_t& n : numbers) n = value += unzigzag(n);
}

void undo_delta_of_delta(std::span<uint64_t> numbers) {
  uint64_t value = 0, delta = 0;
  for (uint64_t& n : numbers) n = value += delta += unzigzag(n);
}

bool look_up(std::span<uint64_t> numbers, std::span<const uint64_t> dictionary) {
  uint64_t highest = 0;
  for (const uint64_t n : numbers) highest = std::max(highest, n);
  if (highest >= dictionary.size()) return false;
  for (uint64_t& n : numbers) n = dictionary[n];
  return true;
}

// A body that is no dictionary.
Result<void> read_plain_body(uint8_t method, ByteReader& in, std::span<uint64_t> out) {
  if ((method & ~kMethodBits) != 0 || (method & 3) == dictionary) return bad("an unknown method");
  if (!read_numbers(method, in, out)) return bad("a list is cut short or damaged");
  if ((method & 3) == delta) undo_delta(out);
  if ((method & 3) == delta_of_delta) undo_delta_of_delta(out);
  return {};
}

Result<void> read_body(ByteReader& in, std::span<uint64_t> out) {
  if (out.empty()) return {};
  const uint8_t method = in.u8();
  if (method != value_forms::method(dictionary, frames, false))
    return read_plain_body(method, in, out);
  const uint64_t distinct = in.varint();
  if (in.failed() || distinct == 0 || distinct > out.size()) return bad("a dictionary's size");
  std::vector<uint64_t> entries(distinct);
  if (auto read = read_plain_body(in.u8(), in, entries); !read) return read;
  if (auto read = read_plain_body(in.u8(), in, out); !read) return read;
  if (!look_up(out, entries)) return bad("an index is outside the dictionary");
  return {};
}

}  // namespace

Result<std::vector<uint64_t>> unpack_values(ByteReader& in, size_t most) {
  const uint64_t count = in.varint();
  if (in.failed()) return bad("a list is cut short");
  if (count > most)
    return bad(std::to_string(count) + " values where there can be " + std::to_string(most));
  std::vector<uint64_t> out(count);
  if (auto read = read_body(in, out); !read) return std::unexpected(read.error());
  return out;
}

Result<void> unpack_values(ByteReader& in, std::span<uint64_t> out) {
  const uint64_t count = in.varint();
  if (in.failed() || count != out.size())
    return bad("a list of " + std::to_string(count) + " values where there should be " +
               std::to_string(out.size()));
  return read_body(in, out);
}

}  // namespace vestige
