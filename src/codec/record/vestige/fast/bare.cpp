#include "codec/record/vestige/fast/bare.h"

#include <algorithm>

namespace vestige::fast {

namespace {

enum PlaneForm : uint8_t { kStored = 0, kPacked = 1 };

// Whether bytes are spread evenly, by the pairs of equal ones in a sample: noise has one in 256.
bool is_noise(ByteView plane) {
  constexpr size_t kSample = 2048;
  if (plane.size() < kSample) return false;
  const size_t step = plane.size() / kSample;
  uint32_t counts[256] = {};
  for (size_t i = 0; i < kSample; ++i) ++counts[plane[i * step]];
  uint64_t squares = 0;
  for (const uint64_t count : counts) squares += count * count;
  constexpr uint64_t kEven = kSample + kSample * (kSample - 1) / 256;
  return squares < kEven + kEven / 10;
}

}  // namespace

void put_bare(std::span<const uint64_t> values, unsigned width, StreamPacker& packer,
              ByteWriter& out) {
  Bytes plane(values.size());
  for (unsigned b = 0; b < width; ++b) {
    for (size_t i = 0; i < values.size(); ++i) plane[i] = static_cast<uint8_t>(values[i] >> 8 * b);
    if (is_noise(plane)) {
      out.u8(kStored);
      out.bytes(plane);
    } else {
      out.u8(kPacked);
      packer.pack(plane, out);
    }
  }
}

bool take_bare(ByteReader& in, unsigned width, StreamUnpacker& unpacker,
               std::span<uint64_t> values) {
  std::ranges::fill(values, 0);
  Bytes unpacked;
  for (unsigned b = 0; b < width; ++b) {
    const uint8_t form = in.u8();
    ByteView plane;
    if (form == kStored) {
      plane = in.bytes(values.size());
    } else {
      if (form != kPacked || !unpacker.unpack(in, values.size(), unpacked)) return false;
      plane = unpacked;
    }
    if (in.failed() || plane.size() != values.size()) return false;
    for (size_t i = 0; i < values.size(); ++i) values[i] |= uint64_t{plane[i]} << 8 * b;
  }
  return true;
}

void BareTrials::was_coded(size_t rows, unsigned width, size_t bytes) {
  constexpr size_t kEnough = 2048;  // rows, to judge by
  constexpr uint32_t kMost = 15;
  if (rows < kEnough || 2 * bytes < rows * width) {
    blocks_ = 0;
    return;
  }
  coded_cost_ = static_cast<double>(bytes) / static_cast<double>(rows);
  if (patience_ != 0) {
    --patience_;
    return;
  }
  left_ = blocks_ = std::min(2 * blocks_ + 1, kMost);
}

void BareTrials::was_bare(size_t rows, size_t bytes) {
  constexpr double kHardly = 1.125;
  constexpr uint32_t kPatience = 15;
  if (static_cast<double>(bytes) <= kHardly * coded_cost_ * static_cast<double>(rows)) return;
  left_ = blocks_ = 0;
  patience_ = kPatience;
}

}  // namespace vestige::fast
