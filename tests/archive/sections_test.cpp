// Reading from the middle, and sections side by side, against plain slices of what went in; and
// directories that lie.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "archive/record_cursor.h"
#include "delta_codec.h"

namespace vestige {
namespace {

constexpr size_t kPreamble = 4, kRowBytes = 12;

struct Packed {
  Bytes raw, archive;
  size_t rows;
  Bytes slice(uint64_t from, uint64_t count) const {
    const auto at = [&](uint64_t row) {
      return raw.begin() +
             static_cast<std::ptrdiff_t>(kPreamble + std::min<uint64_t>(row, rows) * kRowBytes);
    };
    return {at(from - 1), at(count == 0 ? rows : from - 1 + count)};
  }
};

Packed packed(size_t rows, size_t tail, uint64_t section, int level = 1, uint64_t seed = 5) {
  Packed made{trace_like(kPreamble + rows * kRowBytes + tail, seed), {}, rows};
  CompressOptions options;
  options.format = "vpc";
  options.level = level;
  options.section = section;
  made.archive = compressed(made.raw, options);
  return made;
}

// The same bytes, front to back only.
class Pipe final : public ByteSource {
 public:
  explicit Pipe(ByteView bytes) : memory_(bytes) {}
  Result<size_t> read(std::span<uint8_t> out) override { return memory_.read(out); }
  uint64_t size() const override { return 0; }
  const std::string& name() const override { return memory_.name(); }

 private:
  MemorySource memory_;
};

DecompressReport range(ByteSource& source, uint64_t from, uint64_t count, Bytes& out) {
  DecompressOptions options;
  options.threads = 1;
  options.from = from;
  options.count = count;
  auto opened = Decompression::open(source, options, delta_codecs());
  EXPECT_TRUE(opened);
  MemorySink sink;
  auto report = opened->run(sink);
  EXPECT_TRUE(report) << report.error().message;
  out = sink.bytes();
  return report.value_or(DecompressReport());
}

Bytes planned(ByteSource& source, const SectionPlan& plan) {
  CompressOptions options;
  options.format = "vpc";
  auto opened = Compression::open(source, options, delta_codecs(), plan);
  EXPECT_TRUE(opened);
  MemorySink sink;
  const auto report = opened->run(sink);
  EXPECT_TRUE(report);
  return sink.bytes();
}

TEST(Sections, TheEndOfALongTraceIsASectionOfItsOwn) {
  for (const uint64_t section : {1, 7, 10, 40})
    for (const uint64_t most_last : {0, 1, 3, 9, 40})
      for (const size_t rows : {0, 1, 59, 60, 61, 99, 100, 101, 250, 499, 500, 1000, 1111}) {
        const Bytes raw = trace_like(kPreamble + rows * kRowBytes + rows % kRowBytes, rows);
        const SectionPlan plan{.rows = section, .long_from = 60, .most_last = most_last};
        MemorySource memory(raw);
        Pipe pipe(raw);
        const Bytes archive = planned(memory, plan);
        ASSERT_EQ(archive, planned(pipe, plan));
        ASSERT_EQ(decompressed(archive).bytes, raw);
        const uint64_t last = std::min<uint64_t>((rows + 99) / 100, most_last);
        std::set<uint64_t> firsts;
        const uint64_t end = rows >= 60 && last > 0 ? rows - last : rows;
        for (uint64_t row = 0; row < end; row += section) firsts.insert(row);
        for (uint64_t row = end; row < rows; row += section) firsts.insert(row);
        MemorySource packed_source(archive);
        const auto opened = ArchiveReader::open(packed_source);
        const auto directory = find_directory(packed_source, (*opened)->header_bytes());
        ASSERT_TRUE(directory && *directory);
        std::set<uint64_t> found;
        for (const ArchiveSection& each : (*directory)->sections) found.insert(each.first);
        ASSERT_EQ(found, firsts) << section << " " << most_last << " " << rows;
      }
}

TEST(Sections, OnlyLongTracesHaveOneMore) {
  const SectionPlan plan = SectionPlan::usual({{{"pc", 4, true}, {"data", 8, false}}});
  const uint64_t rows = uint64_t{5} << 20, most = uint64_t{1} << 20;
  EXPECT_EQ(plan.rows, rows);
  EXPECT_EQ(plan.before_last(0, 12 * rows - 1), SectionPlan::kNever);
  EXPECT_EQ(plan.before_last(84'000'000, 1'000'000), 150'000);
  EXPECT_EQ(plan.before_last(84'150'000, 850'000), 0);
  EXPECT_EQ(plan.before_last(84'150'001, 849'999), SectionPlan::kNever);
  EXPECT_EQ(plan.before_last(999'000'000, 2 * most), most);
  EXPECT_FALSE(plan.looks_ahead(10 * rows, 1 << 18));
  EXPECT_TRUE(plan.looks_ahead(12 * rows - most - (1 << 18), 1 << 18));
}

TEST(Sections, AnyRangeIsTheSliceItNames) {
  std::mt19937 random(3);
  for (const uint64_t section : {0, 1, 7, 10, 64, 1000})
    for (const size_t rows : {1, 7, 8, 64, 500}) {
      const Packed p = packed(rows, random() % 12, section);
      for (int i = 0; i < 40; ++i) {
        const uint64_t from = 1 + random() % (rows + 1), count = random() % (rows + 5);
        Bytes out;
        MemorySource memory(p.archive);
        const auto report = range(memory, from, count, out);
        ASSERT_EQ(out, p.slice(from, count)) << section << " " << rows << " " << from;
        ASSERT_EQ(report.problem, "");
        ASSERT_EQ(report.found_by, "directory");
        ASSERT_EQ(report.records * kRowBytes, out.size());
        Pipe pipe(p.archive);
        ASSERT_EQ(range(pipe, from, count, out).found_by, "start");
        ASSERT_EQ(out, p.slice(from, count));
      }
    }
}

TEST(Sections, ACursorGoesAnywhereAndBack) {
  std::mt19937 random(4);
  const Packed p = packed(3000, 3, 70);
  MemorySource source(p.archive);
  auto cursor = RecordCursor::open(source, delta_codecs(), 1);
  ASSERT_TRUE(cursor);
  ASSERT_EQ(cursor->records(), 3000u);
  for (int i = 0; i < 2000; ++i) {
    uint64_t at = random() % 3001;
    ASSERT_TRUE(cursor->seek(at));
    for (int k = static_cast<int>(random() % 20); k >= 0; --k) {
      const auto rows = cursor->read(1 + random() % 30);
      ASSERT_TRUE(rows);
      ASSERT_EQ(rows->empty(), at == 3000);
      ASSERT_EQ(Bytes(rows->begin(), rows->end()),
                rows->empty() ? Bytes() : p.slice(at + 1, rows->size() / kRowBytes));
      at += rows->size() / kRowBytes;
    }
  }
  EXPECT_EQ(cursor->seek(3001).error().kind, ErrorKind::usage);
  EXPECT_TRUE(cursor->seek(2999));
  EXPECT_EQ(cursor->read(9)->size(), kRowBytes);
}

TEST(Sections, NothingIsReadOfTheSectionsBefore) {
  Packed p = packed(1000, 0, 100);
  // The first block's payload: whoever looks at it sees the damage.
  uint32_t size = 0;
  std::memcpy(&size, p.archive.data() + 12, 4);
  p.archive[kArchivePrefix + size + 8 + 9] ^= 1;
  Bytes out;
  MemorySource source(p.archive);
  EXPECT_EQ(range(source, 901, 0, out).problem, "");
  EXPECT_EQ(out, p.slice(901, 0));
  MemorySource again(p.archive);
  EXPECT_NE(range(again, 1, 0, out).problem, "");
}

TEST(Sections, WithoutADirectoryTheBlocksTell) {
  const Packed p = packed(1000, 5, 100);
  for (const size_t missing : {1, 9, 40, 60, 300, 2000}) {
    MemorySource source(ByteView(p.archive).first(p.archive.size() - missing));
    auto cursor = RecordCursor::open(source, delta_codecs(), 1);
    ASSERT_TRUE(cursor);
    EXPECT_EQ(cursor->way(), RecordCursor::Way::blocks);
    ASSERT_TRUE(cursor->records());
    ASSERT_GT(*cursor->records(), 300u);
    ASSERT_TRUE(cursor->seek(250));
    EXPECT_TRUE(std::ranges::equal(*cursor->read(3), p.slice(251, 3)));
  }
}

TEST(Sections, SideBySideIsTheSameAsInOrder) {
  std::mt19937 random(6);
  for (const uint64_t section : {1, 7, 100, 999, 5000})
    for (const unsigned threads : {1, 2, 3, 8}) {
      const Packed p = packed(2000, random() % 12, section, 1, random());
      const Decompressed back = decompressed(p.archive, delta_codecs(), {.threads = threads});
      EXPECT_EQ(back.problem, "");
      ASSERT_EQ(back.bytes, p.raw) << section << " " << threads;
    }
}

TEST(Sections, DamageSideBySideIsTheSameAsInOrder) {
  const Packed p = packed(120, 3, 20);
  std::mt19937 random(2);
  for (size_t at = 0; at < p.archive.size(); ++at) {
    Bytes changed = p.archive;
    changed[at] ^= static_cast<uint8_t>(1 + random() % 255);
    const Decompressed plain = decompressed(changed);
    const Decompressed back = decompressed(changed, delta_codecs(), {.threads = 3});
    ASSERT_NE(back.problem, "") << at;
    ASSERT_EQ(back.bytes, plain.bytes) << at << " " << back.problem << " | " << plain.problem;
  }
}

// An archive with another directory, whose checksum is right.
Bytes with_directory(ByteView archive, const ArchiveDirectory& directory) {
  uint64_t at = 0;
  std::memcpy(&at, archive.data() + archive.size() - 16, 8);
  Bytes out(archive.begin(), archive.begin() + static_cast<std::ptrdiff_t>(at));
  const Bytes bytes = directory.encode(at);
  out.insert(out.end(), bytes.begin(), bytes.end());
  return out;
}

TEST(Sections, DirectoriesThatLie) {
  const Packed p = packed(400, 3, 50);
  MemorySource source(p.archive);
  const auto reader = ArchiveReader::open(source);
  ASSERT_TRUE(reader);
  const auto found = find_directory(source, (*reader)->header_bytes());
  ASSERT_TRUE(found && *found);
  const ArchiveDirectory right = **found;
  ASSERT_EQ(right.sections.size(), 8u);
  std::mt19937_64 random(9);
  const auto somewhere = [&](uint64_t near) {
    switch (random() % 4) {
      case 0:
        return near + random() % 5 - 2;
      case 1:
        return random() % (2 * p.archive.size());
      case 2:
        return uint64_t{0} - random() % 3;
      default:
        return random();
    }
  };
  for (int round = 0; round < 3000; ++round) {
    ArchiveDirectory wrong = right;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      ArchiveSection& section = wrong.sections[random() % wrong.sections.size()];
      switch (random() % 7) {
        case 0:
          section.at = somewhere(section.at);
          break;
        case 1:
          section.first = somewhere(section.first);
          break;
        case 2:
          wrong.records = somewhere(wrong.records);
          break;
        case 3:
          wrong.end = somewhere(wrong.end);
          break;
        case 4:
          wrong.sections.erase(wrong.sections.begin() +
                               static_cast<std::ptrdiff_t>(random() % wrong.sections.size()));
          break;
        case 5:
          wrong.sections.push_back({somewhere(wrong.end), somewhere(wrong.records)});
          break;
        default:
          std::swap(section, wrong.sections[random() % wrong.sections.size()]);
      }
      if (wrong.sections.empty()) wrong.sections.push_back({});
    }
    const Bytes file = with_directory(p.archive, wrong);
    if (file == p.archive) continue;
    for (const unsigned threads : {1u, 3u}) {
      const Decompressed back = decompressed(file, delta_codecs(), {.threads = threads});
      ASSERT_NE(back.problem, "") << round;
      ASSERT_LE(back.bytes.size(), p.raw.size());
      ASSERT_TRUE(std::equal(back.bytes.begin(), back.bytes.end(), p.raw.begin())) << round;
      if (threads == 1) ASSERT_EQ(back.bytes, p.raw);  // blocks are read in order
    }
    MemorySource lying(file);
    auto cursor = RecordCursor::open(lying, delta_codecs(), 1);
    ASSERT_TRUE(cursor);
    const uint64_t at = random() % 400;
    if (!cursor->seek(at)) continue;
    // Right rows, none, or a failure; never others.
    const auto rows = cursor->read(10);
    if (rows) ASSERT_EQ(Bytes(rows->begin(), rows->end()), p.slice(at + 1, rows->size() / 12));
  }
}

TEST(Sections, HugeCountsTakeNoMemory) {
  ByteWriter content;
  content.varint(UINT64_MAX);  // records
  content.varint(UINT64_MAX);  // the trailer
  content.varint(UINT64_MAX / 2);
  EXPECT_FALSE(ArchiveDirectory::decode(content.buffer(), 50));
  content.buffer().clear();
  content.varint(1 << 30);
  content.varint(1 << 30);
  content.varint(1 << 20);
  content.varint(50);
  EXPECT_FALSE(ArchiveDirectory::decode(content.buffer(), 50));
}

}  // namespace
}  // namespace vestige
