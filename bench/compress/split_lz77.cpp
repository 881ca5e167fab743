// split_lz77 c | d: a filter, traces of (PC u32, data u64) behind 4 bytes. The VPC paper's peer
// `lz77`: gzip's algorithm on entries of the trace instead of bytes, PCs and data as streams of
// their own.
//
// From the paper: a window of 32,768 entries and 256 entries looked ahead for each stream; equal
// strings are found by a hash table of 65,536 places, through chains of all entries in the window
// that start alike; of two matches at neighbouring entries the longer (gzip's lazy evaluation).
// What it leaves open, here: a match has two entries at least; at most 1,024 of a chain are looked
// at; lengths, distances and what matches nothing are coded by dynamic Huffman codes (of classes of
// two powers with the lower bits as they are, and of half bytes by their place).
//
// Kept whole in memory, and not fast: a peer to compare sizes with.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "codec/entropy/adaptive_huffman.h"
#include "codec/entropy/bit_stream.h"

namespace {

using vestige::Bytes;
using vestige::ByteView;
using vestige::vpc::AdaptiveHuffman;
using vestige::vpc::BitReader;
using vestige::vpc::BitWriter;

constexpr size_t kWindow = 32'768, kAhead = 256, kHashPlaces = 65'536, kLooked = 1'024, kLeast = 2;

// The codes of one stream; the same for writing and reading.
class Codes {
 public:
  explicit Codes(unsigned width) : nibbles_(2 * width, tree(16)) {}

  void literal(uint64_t value, BitWriter& out) {
    length(0, out);
    for (size_t i = 0; i < nibbles_.size(); ++i) put(nibbles_[i], value >> 4 * i & 15, out);
  }
  void match(size_t entries, size_t distance, BitWriter& out) {
    length(entries, out);
    classed(distances_, distance, out);
  }
  // Entries of a match, or 0.
  size_t length(BitReader& in) { return classed(lengths_, in) - 1; }
  size_t distance(BitReader& in) { return classed(distances_, in); }
  uint64_t literal(BitReader& in) {
    uint64_t value = 0;
    for (size_t i = 0; i < nibbles_.size(); ++i) value |= uint64_t{get(nibbles_[i], in)} << 4 * i;
    return value;
  }

 private:
  static AdaptiveHuffman tree(size_t symbols) {
    return AdaptiveHuffman(std::vector<uint32_t>(symbols, 1));
  }
  static void put(AdaptiveHuffman& code, unsigned symbol, BitWriter& out) {
    code.put(symbol, out);
    code.count(symbol);
  }
  static unsigned get(AdaptiveHuffman& code, BitReader& in) {
    const unsigned symbol = code.get(in);
    code.count(symbol);
    return symbol;
  }
  void length(size_t entries, BitWriter& out) { classed(lengths_, entries + 1, out); }
  static void classed(AdaptiveHuffman& code, size_t number, BitWriter& out) {
    const auto bits = static_cast<unsigned>(std::bit_width(number)) - 1;
    put(code, bits, out);
    out.put(number, bits);
  }
  static size_t classed(AdaptiveHuffman& code, BitReader& in) {
    const unsigned bits = get(code, in);
    return size_t{1} << bits | in.get(bits);
  }

  AdaptiveHuffman lengths_ = tree(10), distances_ = tree(17);
  std::vector<AdaptiveHuffman> nibbles_;
};

struct Match {
  size_t entries = 0;
  size_t distance = 0;
};

// Where in the window strings begin as the one at hand does.
class Matches {
 public:
  explicit Matches(const std::vector<uint64_t>& values)
      : values_(values), latest_(kHashPlaces, 0), before_(kWindow, 0) {}

  void insert(size_t at) {
    size_t& latest = latest_[place(at)];
    before_[at % kWindow] = latest;
    latest = at + 1;
  }
  Match longest(size_t at) const {
    Match best;
    const size_t most = std::min(kAhead, values_.size() - at);
    size_t next = latest_[place(at)];
    for (size_t looked = 0; looked < kLooked && next != 0; ++looked) {
      const size_t from = next - 1;
      if (from >= at || at - from > kWindow - 1) break;
      size_t entries = 0;
      while (entries < most && values_[from + entries] == values_[at + entries]) ++entries;
      if (entries > best.entries) best = {entries, at - from};
      if (entries == most) break;
      next = before_[from % kWindow];
    }
    return best.entries < kLeast ? Match() : best;
  }

 private:
  size_t place(size_t at) const { return values_[at] * 0x9e3779b97f4a7c15 >> 48; }
  const std::vector<uint64_t>& values_;
  std::vector<size_t> latest_, before_;  // 1 + the entry; 0: none
};

Bytes packed(const std::vector<uint64_t>& values, unsigned width) {
  BitWriter out;
  Codes codes(width);
  Matches matches(values);
  for (size_t at = 0; at < values.size();) {
    const Match here = matches.longest(at);
    matches.insert(at);
    const bool longer_next = here.entries > 0 && at + 1 < values.size() &&
                             matches.longest(at + 1).entries > here.entries;
    if (here.entries == 0 || longer_next) {
      codes.literal(values[at++], out);
      continue;
    }
    codes.match(here.entries, here.distance, out);
    for (size_t i = 1; i < here.entries; ++i) matches.insert(at + i);
    at += here.entries;
  }
  return out.take();
}

std::vector<uint64_t> unpacked(ByteView bytes, size_t count, unsigned width) {
  std::vector<uint64_t> values;
  BitReader in(bytes);
  Codes codes(width);
  while (values.size() < count && !in.overrun()) {
    const size_t entries = codes.length(in);
    if (entries == 0) {
      values.push_back(codes.literal(in));
      continue;
    }
    const size_t distance = codes.distance(in);
    if (distance > values.size() || entries > count - values.size()) break;
    for (size_t i = 0; i < entries; ++i) values.push_back(values[values.size() - distance]);
  }
  return values;
}

Bytes read_all() {
  Bytes bytes;
  std::array<uint8_t, 1 << 16> step;
  while (const size_t got = std::fread(step.data(), 1, step.size(), stdin))
    bytes.insert(bytes.end(), step.begin(), step.begin() + static_cast<std::ptrdiff_t>(got));
  return bytes;
}
void write(const void* data, size_t size) { std::fwrite(data, 1, size, stdout); }

constexpr size_t kPreamble = 4, kPc = 4, kData = 8, kRecord = kPc + kData;

int compress(const Bytes& raw) {
  if (raw.size() < kPreamble || (raw.size() - kPreamble) % kRecord != 0) return 3;
  const uint64_t rows = (raw.size() - kPreamble) / kRecord;
  std::vector<uint64_t> pcs(rows), data(rows);
  for (size_t i = 0; i < rows; ++i) {
    std::memcpy(&pcs[i], raw.data() + kPreamble + i * kRecord, kPc);
    std::memcpy(&data[i], raw.data() + kPreamble + i * kRecord + kPc, kData);
  }
  const Bytes first = packed(pcs, kPc), second = packed(data, kData);
  const uint64_t size = first.size();
  write(raw.data(), kPreamble);
  write(&rows, sizeof rows);
  write(&size, sizeof size);
  write(first.data(), first.size());
  write(second.data(), second.size());
  return 0;
}

int decompress(const Bytes& file) {
  constexpr size_t kHead = kPreamble + 16;
  uint64_t rows = 0, size = 0;
  if (file.size() < kHead) return 3;
  std::memcpy(&rows, file.data() + kPreamble, 8);
  std::memcpy(&size, file.data() + kPreamble + 8, 8);
  if (size > file.size() - kHead) return 3;
  const ByteView streams = ByteView(file).subspan(kHead);
  const auto pcs = unpacked(streams.first(size), rows, kPc);
  const auto data = unpacked(streams.subspan(size), rows, kData);
  if (pcs.size() != rows || data.size() != rows) return 3;
  write(file.data(), kPreamble);
  for (size_t i = 0; i < rows; ++i) {
    write(&pcs[i], kPc);
    write(&data[i], kData);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view way = argc == 2 ? argv[1] : "";
  if (way == "c") return compress(read_all());
  if (way == "d") return decompress(read_all());
  std::fprintf(stderr, "usage: split_lz77 c|d < IN > OUT\n");
  return 2;
}
