// The parts of the index of dependences, against plain ways to the same; and files that are not
// what they should be.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>

#include "base/squeeze.h"
#include "query/dependences/block_columns.h"
#include "query/dependences/dependences.h"
#include "query/dependences/last_writers.h"
#include "query/slice/backward.h"
#include "query/slice/forward.h"
#include "query/slice/nearest_bytes.h"
#include "query/slice/reached_writes.h"
#include "trace/index/recording.h"
#include "trace/synthetic.h"
#include "vestige/dependences.h"

namespace vestige {
namespace {

using synthetic::read_file;
using synthetic::write_file;

// By rising time; of each time some that stand behind all items first, then items.
TEST(ReachedWrites, AsAMapHasThem) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    const uint64_t first = 1 + random() % 1000;
    const unsigned most = 1 + random() % 40, gap = 1 + random() % 60;
    ReachedWrites writes(first);
    std::map<std::pair<uint64_t, uint32_t>, uint32_t> plain;  // depths
    uint64_t time = first;
    for (int i = 0; i < 200; ++i, time += 1 + random() % gap) {
      const auto add = [&](uint32_t item) {
        const auto depth = static_cast<uint32_t>(random() % 9);
        if (random() % 8 == 0)
          writes.add_copied(Label::written(time, item), {{4, 2, {0, depth}, 0}});
        else
          writes.add(Label::written(time, item), {0, plain[{time, item}] = depth});
      };
      for (unsigned k = random() % 3; k > 0; --k) add(most + 3 - k);
      for (unsigned item = 0; item < most; ++item)
        if (random() % 2 == 0) add(item);
    }
    for (uint64_t t = first; t < time + 70; ++t)
      for (unsigned item = 0; item < most + 4; ++item) {
        const auto found = plain.find({t, item});
        ASSERT_EQ(writes.get(Label::written(t, item)).depth,
                  found == plain.end() ? kNone : found->second);
      }
  }
}

TEST(NearestBytes, ByteByByte) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<TokenBytes> all;
    std::map<uint64_t, uint32_t> nearest;
    for (unsigned i = random() % 12; i > 0; --i) {
      const TokenBytes bytes{
          random() % 40, 1 + random() % 20, {0, static_cast<uint32_t>(random() % 6)}, 0};
      all.push_back(bytes);
      for (uint64_t b = bytes.first; b < bytes.first + bytes.length; ++b) {
        const auto at = nearest.try_emplace(b, bytes.token.depth).first;
        at->second = std::min(at->second, bytes.token.depth);
      }
    }
    keep_nearest(all);
    std::map<uint64_t, uint32_t> kept;
    uint64_t end = 0;
    for (const TokenBytes& bytes : all) {
      EXPECT_GE(bytes.first, end);
      end = bytes.first + bytes.length;
      for (uint64_t b = bytes.first; b < end; ++b) kept[b] = bytes.token.depth;
    }
    EXPECT_EQ(kept, nearest);
  }
}

// Random stores, loads and copies around the borders of pages.
TEST(LastWriters, ByteByByte) {
  struct Byte {
    Label writer;
    uint64_t offset = 0;
    bool copied = false, seen = false;
    uint8_t value = 0;
  };
  std::mt19937 random(2);
  LastWriters writers;
  std::map<uint64_t, Byte> memory;
  const auto place = [&] { return 3 * LastWriters::kPageBytes - 20 + random() % 40; };
  for (uint64_t time = 1; time < 20000; ++time) {
    const Label me = Label::written(time, static_cast<uint32_t>(random() % 5));
    const uint64_t address = place(), length = uint64_t{1} << (random() % 4);
    const uint64_t value = random() % 2;
    const bool known = random() % 4 != 0;
    const unsigned what = random() % 4;
    if (what == 0) {
      writers.write(address, length, me, known ? &value : nullptr);
      for (uint64_t i = 0; i < length; ++i)
        memory[address + i] = {me, 0, false, known, static_cast<uint8_t>(value >> (8 * i))};
      continue;
    }
    const bool copies = what == 1;
    std::vector<LabelPart> parts;
    const uint64_t from = copies ? place() : address, size = copies ? 1 + random() % 30 : length;
    if (!copies && known)
      for (uint64_t i = 0; i < size; ++i) {
        Byte& byte = memory[from + i];
        const auto part = static_cast<uint8_t>(value >> (8 * i));
        if (byte.seen && byte.value != part) byte = {Label::changed(), 0, false, true, part};
        byte.seen = true;
        byte.value = part;
      }
    const Label label = writers.read(from, size, !copies && known ? &value : nullptr, true, parts);
    if (label.kind() != Label::Kind::parts) parts = {{size, 0, label, false, true}};
    uint64_t at = from;
    for (const LabelPart& part : parts)
      for (uint64_t i = 0; i < part.length; ++i, ++at) {
        EXPECT_EQ(part.label, memory[at].writer);
        EXPECT_EQ(part.copied, memory[at].copied);
        if (part.copied) EXPECT_EQ(part.offset + i, memory[at].offset);
      }
    EXPECT_EQ(at, from + size);
    if (!copies) continue;
    writers.write_copy(address, size, me);
    for (uint64_t i = 0; i < size; ++i) memory[address + i] = {me, i, true, false, 0};
  }
}

class DependenceFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto recording = windows_test::record_random(
        {.seed = 5, .threads = 1, .paths = 300, .throws = 0.05, .holes = true});
    auto opened = Trace::open(recording.path);
    ASSERT_TRUE(opened) << opened.error().message;
    trace_ = std::make_unique<Trace>(std::move(*opened));
    file_ = recording.path + ".dep";
    ASSERT_TRUE(build_dependences(*trace_, {{}, 500, 16}));
    good_ = read_file(file_);
    names_ = std::make_unique<CallNames>(*trace_);
  }

  // Slices of the last item of some paths, both ways; whether all was well.
  bool slice_some(const DependenceReader& reader, std::vector<uint64_t>& counts) {
    bool well = true;
    DependenceBlockCursor cursor(*trace_, *names_, reader, 0);
    for (size_t block = 0; block < cursor.places().size(); ++block) {
      if (!cursor.go_to(block)) {
        well = false;
        continue;
      }
      const PathShape& shape = *cursor.block().shapes.back();
      if (shape.items.empty()) continue;
      SliceOptions options;
      options.statement = {cursor.block().steps.back().path->function,
                           shape.items.back().statement};
      const CriterionPlace place{0, 1, cursor.block().end_time() - 1};
      for (const bool forward : {false, true}) {
        SliceMembers members(*trace_, options);
        const SliceGround ground{*trace_, *names_, reader};
        const auto done = forward ? slice_forwards(ground, options, place, members)
                                  : slice_backwards(ground, options, place, members);
        well &= done.has_value();
        Slice slice;
        members.finish(slice);
        counts.push_back(slice.count);
      }
    }
    return well;
  }

  std::unique_ptr<Trace> trace_;
  std::unique_ptr<CallNames> names_;
  std::string file_;
  Bytes good_;
};

TEST_F(DependenceFile, SmallAndLargeBlocksSayTheSame) {
  const auto small = find_dependences(*trace_);
  ASSERT_TRUE(small);
  ASSERT_GT(small->of(0).size(), 5u);
  std::filesystem::remove(file_);
  const auto large = open_dependences(*trace_);
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_EQ(large->file(), "");
  DependenceBlockCursor few(*trace_, *names_, *large, 0), many(*trace_, *names_, *small, 0);
  uint64_t labels = 0;
  for (size_t i = 0; i < many.places().size(); ++i) {
    ASSERT_TRUE(many.go_to(i));
    for (size_t p = 0; p < many.block().steps.size(); ++p) {
      const PathStep& step = many.block().steps[p];
      ASSERT_TRUE(few.go_to(few.block_at(step.time)));
      const size_t q = step.time - few.block().first_time;
      const PathStep& same = few.block().steps[q];
      ASSERT_EQ(step.path, same.path);
      EXPECT_EQ(step.before, same.before);
      EXPECT_EQ(step.before_time, same.before_time);
      EXPECT_EQ(step.caller_time, same.caller_time);
      EXPECT_EQ(step.level, same.level);
      EXPECT_EQ(step.called, same.called);
      EXPECT_EQ(step.returned, same.returned);
      for (const ShapeItem& item : many.block().shapes[p]->items) {
        if (item.label == kNone) continue;
        const Label a = many.block().label(p, item), b = few.block().label(q, item);
        EXPECT_EQ(a.kind(), b.kind());
        if (a.kind() != Label::Kind::parts) EXPECT_EQ(a, b);
        ++labels;
      }
    }
  }
  EXPECT_GT(labels, 100u);
}

TEST_F(DependenceFile, OfADamagedFileNothingIsBelieved) {
  std::mt19937 random(3);
  std::vector<uint64_t> right;
  ASSERT_TRUE(slice_some(*find_dependences(*trace_), right));
  for (int i = 0; i < 300; ++i) {
    Bytes bad = good_;
    bad[random() % bad.size()] ^= static_cast<uint8_t>(1u << (random() % 8));
    if (i % 10 == 0) bad.resize(random() % bad.size());
    write_file(file_, bad);
    const auto reader = find_dependences(*trace_);
    std::vector<uint64_t> counts;
    if (reader && slice_some(*reader, counts)) EXPECT_EQ(counts, right);
  }
}

// Columns that say something else, with checksums that fit: errors or other slices, no harm.
TEST_F(DependenceFile, SpoiledColumnsDoNoHarm) {
  const auto reader = find_dependences(*trace_);
  ASSERT_TRUE(reader);
  std::mt19937 random(4);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    DependenceWriter writer(nullptr, 1);
    writer.set_order(reader->order());
    for (const BlockPlace& place : reader->of(0)) {
      const auto columns = reader->columns(place);
      ASSERT_TRUE(columns);
      ByteReader in(*columns);
      ByteWriter piece;
      piece.varint(0);
      for (size_t c = 0; c < kBlockColumns; ++c) {
        auto raw = unsqueeze(in.bytes(in.varint()), "column");
        ASSERT_TRUE(raw);
        if (!raw->empty() && random() % 30 == 0)
          (*raw)[random() % raw->size()] = static_cast<uint8_t>(random());
        const Bytes squeezed = squeeze(std::move(*raw));
        piece.varint(squeezed.size());
        piece.bytes(squeezed);
      }
      ASSERT_TRUE(writer.append(0, place, piece.buffer()));
    }
    std::vector<uint64_t> counts;
    refused += !slice_some(writer.take(), counts);
  }
  EXPECT_GT(refused, 50);
  EXPECT_LT(refused, 400);
}

}  // namespace
}  // namespace vestige
