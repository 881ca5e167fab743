#include "trace/paths/chunk_index.h"

#include <algorithm>
#include <roaring/roaring.hh>

namespace vestige {

namespace {

enum : uint8_t { kBits = 0, kRoaring = 1 };

constexpr size_t kMostChunks = size_t{1} << 24;

void encode_set(ByteWriter& out, const std::vector<uint32_t>& set, size_t chunks) {
  Roaring bitmap(set.size(), set.data());
  bitmap.runOptimize();
  const size_t plain = (chunks + 7) / 8, squeezed = bitmap.getSizeInBytes();
  if (squeezed < plain) {
    out.u8(kRoaring);
    out.varint(squeezed);
    Bytes bytes(squeezed);
    bitmap.write(reinterpret_cast<char*>(bytes.data()));
    out.bytes(bytes);
    return;
  }
  out.u8(kBits);
  Bytes bits(plain);
  for (const uint32_t chunk : set) bits[chunk / 8] |= static_cast<uint8_t>(1 << chunk % 8);
  out.bytes(bits);
}

bool decode_set(ByteReader& in, std::vector<uint32_t>& set, size_t chunks) {
  if (in.u8() == kRoaring) {
    const ByteView bytes = in.bytes(in.varint());
    if (in.failed()) return false;
    const auto* data = reinterpret_cast<const char*>(bytes.data());
    roaring_bitmap_t* raw = roaring_bitmap_portable_deserialize_safe(data, bytes.size());
    if (!raw) return false;
    // It believes what it reads, so each member is looked at.
    const Roaring bitmap(raw);
    for (const uint32_t chunk : bitmap) {
      if (chunk >= chunks || (!set.empty() && chunk <= set.back())) return false;
      set.push_back(chunk);
    }
    return true;
  }
  const ByteView bits = in.bytes((chunks + 7) / 8);
  if (in.failed()) return false;
  for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    if (bits[chunk / 8] >> chunk % 8 & 1) set.push_back(chunk);
  return true;
}

}  // namespace

std::vector<uint32_t> ChunkIndex::holding(uint32_t function) const {
  const auto found = holding_.find(function);
  return found == holding_.end() ? std::vector<uint32_t>() : found->second;
}

void ChunkIndex::add(const PathChunk& chunk, std::vector<uint32_t> functions) {
  const auto number = static_cast<uint32_t>(chunks_.size());
  chunks_.push_back(chunk);
  std::ranges::sort(functions);
  const auto rest = std::ranges::unique(functions);
  functions.erase(rest.begin(), rest.end());
  for (const uint32_t function : functions) holding_[function].push_back(number);
}

void ChunkIndex::encode(ByteWriter& out) const {
  out.varint(chunks_.size());
  PathChunk before;
  before.extent.times = 0;
  for (const PathChunk& chunk : chunks_) {
    out.varint(chunk.part - before.part);
    if (chunk.part != before.part) before.end = 0;
    out.varint(chunk.begin - before.end);
    out.varint(chunk.end - chunk.begin);
    out.varint(chunk.first_time - (before.first_time + before.extent.times));
    out.varint(chunk.extent.times);
    out.svarint(chunk.extent.net);
    out.svarint(chunk.extent.lowest);
    before = chunk;
  }
  out.varint(holding_.size());
  uint32_t last = 0;
  for (const auto& [function, set] : holding_) {
    out.varint(function - last);
    last = function;
    encode_set(out, set, chunks_.size());
  }
}

bool ChunkIndex::decode(ByteReader& in) {
  chunks_.resize(std::min(in.count(7), kMostChunks));
  PathChunk before;
  before.extent.times = 0;
  for (PathChunk& chunk : chunks_) {
    chunk.part = before.part + in.varint32();
    if (chunk.part != before.part) before.end = 0;
    chunk.begin = before.end + in.varint32();
    chunk.end = chunk.begin + in.varint32();
    chunk.first_time = before.first_time + before.extent.times + in.varint();
    chunk.extent.times = in.varint();
    chunk.extent.net = in.svarint();
    chunk.extent.lowest = in.svarint();
    before = chunk;
  }
  const size_t used = in.count(2);
  uint64_t function = 0;
  for (size_t i = 0; i < used; ++i) {
    const uint32_t further = in.varint32();
    function += further;
    if (in.failed() || (i > 0 && further == 0) || function > UINT32_MAX) return false;
    if (!decode_set(in, holding_[static_cast<uint32_t>(function)], chunks_.size())) return false;
  }
  return !in.failed();
}

}  // namespace vestige
