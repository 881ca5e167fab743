// Flipped, cut, doubled and spliced files: an error or a correct answer.
#include <gtest/gtest.h>

#include <random>

#include "small_trace.h"

namespace vestige {
namespace {

using namespace test;

// Whatever opens must hand out chunks that are byte for byte those of the original.
void check_all(const StoreReader& reader, const std::vector<Bytes>& originals) {
  for (size_t i = 0; i < reader.rows().size(); ++i) {
    const auto payload = reader.payload(i);
    if (!payload) continue;
    const Bytes bytes(payload->begin(), payload->end());
    EXPECT_NE(std::find(originals.begin(), originals.end(), bytes), originals.end());
  }
}

TEST(Damage, FlippedCutDoubledAndSplicedFiles) {
  TemporaryFolder folder;
  const std::string path = folder.file("t.vst"), variant = folder.file("v.vst"),
                    saved = folder.file("r.vst");
  write_small_trace(path, 6);
  const Bytes good = read_bytes(path);
  std::vector<Bytes> originals;
  {
    const auto reader = StoreReader::open(path);
    for (size_t i = 0; i < reader->rows().size(); ++i) {
      const auto payload = reader->payload(i);
      originals.emplace_back(payload->begin(), payload->end());
    }
  }
  std::mt19937_64 random(1);
  int opened = 0, recovered = 0;
  for (int i = 0; i < 1500; ++i) {
    Bytes bytes = good;
    const auto at = [&] { return static_cast<ptrdiff_t>(random() % bytes.size()); };
    switch (i % 4) {
      case 0:
        bytes[static_cast<size_t>(at())] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
      case 1:
        bytes.resize(static_cast<size_t>(at()));
        break;
      case 2: {
        ptrdiff_t from = at(), to = at();
        if (from > to) std::swap(from, to);
        const Bytes part(bytes.begin() + from, bytes.begin() + to);
        bytes.insert(bytes.begin() + at(), part.begin(), part.end());
        break;
      }
      default: {
        ptrdiff_t from = at(), to = at();
        if (from > to) std::swap(from, to);
        bytes.erase(bytes.begin() + from, bytes.begin() + to);
      }
    }
    write_bytes(variant, bytes);
    if (const auto reader = StoreReader::open(variant)) {
      ++opened;
      check_all(*reader, originals);
    }
    if (const auto reader = StoreReader::open(variant, StoreReader::Mode::recover))
      check_all(*reader, originals);
    if (recover_store(variant, saved)) {
      ++recovered;
      const auto reader = StoreReader::open(saved);
      ASSERT_TRUE(reader) << reader.error().message;
      for (size_t row = 0; row < reader->rows().size(); ++row) EXPECT_TRUE(reader->payload(row));
    }
  }
  EXPECT_GT(opened, 100);
  EXPECT_GT(recovered, 900);
}

TEST(Damage, ALostChunkLeavesUnknownFrames) {
  TemporaryFolder folder;
  write_small_trace(folder.file("t.vst"), 5);
  Bytes bytes = read_bytes(folder.file("t.vst"));
  const auto reader = StoreReader::open(folder.file("t.vst"));
  bytes[reader->rows()[6].offset + 45] ^= 1;  // the third control chunk
  write_bytes(folder.file("d.vst"), bytes);

  const auto damaged = StoreReader::open(folder.file("d.vst"));
  ASSERT_TRUE(damaged);
  for (size_t i = 0; i < damaged->rows().size(); ++i)
    EXPECT_EQ(damaged->payload(i).has_value(), i != 6);

  const auto saved = recover_store(folder.file("d.vst"), folder.file("r.vst"));
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->paths, 400u);
  EXPECT_EQ(saved->damage.size(), 1u);
  const auto whole = StoreReader::open(folder.file("r.vst"));
  const auto after = ControlChunk::decode(*whole->payload(6));
  EXPECT_EQ(after->first_time, 301u);
  EXPECT_EQ(after->stack.keep, 0u);
  ASSERT_EQ(after->stack.frames.size(), 4u);  // three it kept, nobody knows which; one of its own
  EXPECT_EQ(after->stack.frames[2], Frame{});
  EXPECT_EQ(after->stack.frames[3], (Frame{0x10001, 301}));
  // The next one is a change against that, as it was.
  EXPECT_EQ(ControlChunk::decode(*whole->payload(7))->stack.keep, 4u);
}

TEST(Damage, ChunksOfAnotherTraceDoNotPass) {
  TemporaryFolder folder;
  write_small_trace(folder.file("a.vst"));
  write_small_trace(folder.file("b.vst"));
  const auto reader = StoreReader::open(folder.file("a.vst"));
  const DirectoryChunk::Row row = reader->rows()[5];
  Bytes a = read_bytes(folder.file("a.vst")), b = read_bytes(folder.file("b.vst"));
  std::copy_n(b.begin() + static_cast<ptrdiff_t>(row.offset), 40 + row.payload_size,
              a.begin() + static_cast<ptrdiff_t>(row.offset));
  write_bytes(folder.file("c.vst"), a);
  const auto mixed = StoreReader::open(folder.file("c.vst"));
  ASSERT_TRUE(mixed);
  EXPECT_FALSE(mixed->payload(5));
  EXPECT_TRUE(mixed->payload(6));
}

TEST(Damage, AnotherMajorVersionIsRefusedInWords) {
  TemporaryFolder folder;
  write_small_trace(folder.file("t.vst"));
  EXPECT_FALSE(StoreReader::open(folder.file("none.vst")));
  write_bytes(folder.file("text.vst"), Bytes(500, 'x'));
  EXPECT_EQ(StoreReader::open(folder.file("text.vst")).error().kind, ErrorKind::corrupt);
  write_bytes(folder.file("empty.vst"), {});
  EXPECT_EQ(StoreReader::open(folder.file("empty.vst")).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(StoreReader::open(folder.file("empty.vst"), StoreReader::Mode::recover).error().kind,
            ErrorKind::corrupt);
}

}  // namespace
}  // namespace vestige
