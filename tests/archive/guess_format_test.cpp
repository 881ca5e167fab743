#include "archive/guess_format.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige {
namespace {

// A loop over a few instructions that touch rising addresses, with some noise.
struct Reference {
  uint64_t pc, address;
  uint8_t flags;
};
std::vector<Reference> references(size_t count) {
  std::mt19937 random(5);
  std::vector<Reference> out;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t site = i % 7;
    const uint64_t address = site % 2 ? 0x7ffe0000 + 8 * (i / 7) : 0x55550000 + random() % 4096 * 8;
    out.push_back({0x401000 + 5 * site, address, static_cast<uint8_t>(site % 3 ? 8 : 0x84)});
  }
  return out;
}

std::string guessed(const ByteWriter& raw, std::string_view name = "trace") {
  ByteWriter copy = raw;
  const Bytes bytes = copy.take();
  return guess_format(name, bytes.size(), bytes).name;
}

TEST(GuessFormat, NamesDecide) {
  const auto named = [](std::string_view name) { return guess_format(name, 0, {}).name; };
  EXPECT_EQ(named("gcc.loadval.vpc"), "vpc");
  EXPECT_EQ(named("/traces.u64/gcc.cflow.u32"), "cf");
  EXPECT_EQ(named("lua.memref.bin"), "refs");
  EXPECT_EQ(named("x.u64"), "u64");
}

TEST(GuessFormat, BytesDecideOtherwise) {
  ByteWriter vpc, headless, refs, cf, pairs, times, text;
  vpc.u32(0x00123456);
  uint64_t time = uint64_t{1} << 50;
  for (const Reference& r : references(3000)) {
    vpc.u32(static_cast<uint32_t>(r.pc));
    vpc.u64(r.address);
    headless.u32(static_cast<uint32_t>(r.pc));
    headless.u64(r.address);
    refs.u64(r.pc);
    refs.u64(r.address);
    refs.u8(r.flags);
    cf.u32(static_cast<uint32_t>(r.pc % 64 + r.address % 3));
    pairs.u64(r.pc);
    pairs.u64(r.address);
    times.u64(time += 1000 + r.address % 977);
  }
  for (int i = 0; i < 300; ++i) text.string("a line of text, number " + std::to_string(i * i % 89));
  EXPECT_EQ(guessed(vpc), "vpc");
  EXPECT_EQ(guessed(headless), "record:pc:4,data:8");
  EXPECT_EQ(guessed(refs), "refs");
  EXPECT_EQ(guessed(cf), "cf");
  EXPECT_EQ(guessed(pairs), "record:pc:8,field2:8");
  EXPECT_EQ(guessed(times), "u64");
  EXPECT_EQ(guessed(text), "record:field1:1");
}

TEST(GuessFormat, AnythingIsSomething) {
  for (size_t size = 0; size < 40; ++size) {
    const Bytes bytes(size, 7);
    EXPECT_FALSE(guess_format("", size, bytes).layout.fields.empty());
    EXPECT_FALSE(guess_format("", 0, bytes).layout.fields.empty());
  }
}

}  // namespace
}  // namespace vestige
