// Files that were cut, changed, or spliced: the blocks before the damage come out, nothing else
// does, and it is said.
#include <gtest/gtest.h>

#include <random>

#include "delta_codec.h"

namespace vestige {
namespace {

struct Sample {
  Bytes raw, archive;
  std::vector<size_t> block_ends;  // in the archive: the header's end, then each block's
  size_t trailer_end = 0;          // where the directory begins
};

constexpr size_t kBlockRows = 7, kRowBytes = 12, kPreamble = 4;

Sample sample(size_t rows, size_t tail, uint64_t seed = 9, uint64_t section = 0) {
  Sample s;
  s.raw = trace_like(kPreamble + rows * kRowBytes + tail, seed);
  CompressOptions options;
  options.format = "vpc";
  options.level = 1;
  options.section = section;
  s.archive = compressed(s.raw, options);
  uint32_t size = 0, head = 1;
  std::memcpy(&size, s.archive.data() + 12, 4);
  size_t at = kArchivePrefix + size + 8;
  s.block_ends.push_back(at);
  while (head != 0) {
    std::memcpy(&head, s.archive.data() + at, 4);
    std::memcpy(&size, s.archive.data() + at + 4, 4);
    at += 16 + size;
    s.block_ends.push_back(at);
  }
  s.trailer_end = at;
  EXPECT_LT(at, s.archive.size());
  s.block_ends.pop_back();  // the trailer
  return s;
}

TEST(Damage, CutAnywhere) {
  for (const uint64_t section : {0, 7, 20}) {
    const Sample s = sample(60, 5, 9, section);
    ASSERT_GT(s.block_ends.size(), 8u);
    for (size_t cut = 0; cut < s.archive.size(); ++cut) {
      const Decompressed back = decompressed(ByteView(s.archive).first(cut));
      EXPECT_NE(back.problem, "") << cut;
      EXPECT_EQ(back.opened, cut >= s.block_ends.front()) << cut;
      size_t expected = 0;
      if (cut >= s.trailer_end) {
        expected = s.raw.size();
      } else if (back.opened) {
        const auto rows = [&](size_t blocks) {
          // Blocks end with their section.
          return section == 20 ? std::min<size_t>(blocks / 3 * 20 + blocks % 3 * 7, 60)
                               : std::min<size_t>(blocks * kBlockRows, 60);
        };
        size_t whole = 0;
        while (whole + 1 < s.block_ends.size() && s.block_ends[whole + 1] <= cut) ++whole;
        expected = kPreamble + rows(whole) * kRowBytes;
      }
      ASSERT_EQ(back.bytes, Bytes(s.raw.begin(), s.raw.begin() + expected)) << cut;
      if (back.opened)
        EXPECT_NE(back.problem.find("byte " + std::to_string(cut)), std::string::npos)
            << back.problem;
    }
  }
}

TEST(Damage, EverySingleByteChanged) {
  const Sample s = sample(30, 3, 9, 14);
  std::mt19937 random(2);
  for (size_t at = 0; at < s.archive.size(); ++at)
    for (const uint8_t flip :
         {uint8_t{1}, uint8_t{0x80}, static_cast<uint8_t>(1 + random() % 255)}) {
      Bytes changed = s.archive;
      changed[at] ^= flip;
      const Decompressed back = decompressed(changed);
      ASSERT_NE(back.problem, "") << at;
      ASSERT_LE(back.bytes.size(), s.raw.size());
      ASSERT_TRUE(std::equal(back.bytes.begin(), back.bytes.end(), s.raw.begin())) << at;
    }
}

TEST(Damage, BlocksDroppedRepeatedOrSwapped) {
  // Constant data: the blocks decode alike, so that only the checks tell them apart.
  Sample s = sample(60, 0);
  CompressOptions options;
  options.format = "vpc";
  options.level = 1;
  s.raw.assign(s.raw.size(), 0);
  s.archive = compressed(s.raw, options);
  const size_t head = s.block_ends[0];
  const size_t block = 16 + kBlockRows * 2;
  const auto part = [&](size_t from, size_t to) {
    return ByteView(s.archive).subspan(from, to - from);
  };
  const auto join = [](std::initializer_list<ByteView> parts) {
    Bytes out;
    for (const ByteView p : parts) out.insert(out.end(), p.begin(), p.end());
    return out;
  };
  ASSERT_EQ(decompressed(s.archive).problem, "");
  const size_t second = head + block, third = head + 2 * block, end = s.archive.size();
  const Bytes dropped = join({part(0, second), part(third, end)});
  const Bytes repeated = join({part(0, third), part(second, end)});
  EXPECT_EQ(decompressed(dropped).bytes.size(), kPreamble + kBlockRows * kRowBytes);
  EXPECT_EQ(decompressed(repeated).bytes.size(), kPreamble + 2 * kBlockRows * kRowBytes);
  EXPECT_NE(decompressed(dropped).problem, "");
  EXPECT_NE(decompressed(repeated).problem, "");
  // The blocks of another file of the same format.
  const Sample other = sample(60, 0, 77);
  const Bytes spliced = join({ByteView(other.archive).first(other.block_ends[0]), part(head, end)});
  EXPECT_EQ(decompressed(spliced).bytes.size(), kPreamble);
}

TEST(Damage, WhatFollowsTheEnd) {
  const Sample s = sample(20, 1);
  Bytes longer = s.archive;
  longer.push_back(0);
  const Decompressed back = decompressed(longer);
  EXPECT_EQ(back.bytes, s.raw);
  EXPECT_NE(back.problem.find("byte " + std::to_string(s.archive.size())), std::string::npos);
}

TEST(Damage, OtherFilesAndVersions) {
  const Sample s = sample(20, 1);
  const auto kind = [](ByteView bytes) {
    MemorySource source(bytes);
    const auto opened = Decompression::open(source, {}, delta_codecs());
    return opened ? ErrorKind::usage : opened.error().kind;
  };
  EXPECT_EQ(kind({}), ErrorKind::corrupt);
  EXPECT_EQ(kind(trace_like(5, 1)), ErrorKind::corrupt);
  EXPECT_EQ(kind(trace_like(5000, 1)), ErrorKind::corrupt);
  Bytes newer = s.archive;
  newer[8] = 3;
  EXPECT_EQ(kind(newer), ErrorKind::unsupported);
  EXPECT_NE(decompressed(newer).problem.find("version 3"), std::string::npos);
}

}  // namespace
}  // namespace vestige
