#include "store/sync_rows.h"

#include <gtest/gtest.h>

#include "random_chunks.h"
#include "small_trace.h"

namespace vestige {
namespace {

using namespace test;

Result<std::vector<SyncRow>> decode(ByteView bytes, uint64_t count) {
  std::vector<SyncRow> rows;
  SyncRowsDecoder decoder(bytes, count);
  for (;;) {
    const auto more = decoder.next();
    if (!more) return std::unexpected(more.error());
    if (more->empty()) return rows;
    rows.insert(rows.end(), more->begin(), more->end());
  }
}

TEST(SyncRows, WhatIsWrittenIsRead) {
  SyncRowsEncoder encoder;  // one for all: it starts over
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomChunks random(seed);
    const std::vector<SyncRow> rows = random.sync_rows(seed % 50 == 0 ? 3 * kSyncBlockRows : 300);
    uint64_t atomics = 0;
    for (const SyncRow& row : rows) {
      encoder.append(row);
      atomics += is_atomic(row.kind);
    }
    EXPECT_EQ(encoder.count(), rows.size());
    EXPECT_EQ(encoder.atomics(), atomics);
    const auto decoded = decode(encoder.finish(), rows.size());
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, rows) << "seed " << seed;
  }
}

TEST(SyncRows, AnyBytesAreRefusedOrRead) {
  std::mt19937_64 random(7);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const SyncChunk chunk = RandomChunks(seed).sync();
    for (size_t n = 0; n < chunk.rows.size(); ++n)
      if (const auto rows = decode({chunk.rows.data(), n}, chunk.count))
        EXPECT_EQ(rows->size(), chunk.count);
    for (int i = 0; i < 100 && !chunk.rows.empty(); ++i) {
      Bytes flipped = chunk.rows;
      flipped[random() % flipped.size()] ^= static_cast<uint8_t>(1 + random() % 255);
      if (const auto rows = decode(flipped, chunk.count)) EXPECT_EQ(rows->size(), chunk.count);
    }
    EXPECT_FALSE(decode(chunk.rows, chunk.count + 1));
  }
}

SyncChunk locks(uint64_t first, uint64_t first_time, uint64_t count) {
  SyncRowsEncoder rows;
  for (uint64_t i = 0; i < count; ++i)
    rows.append({i % 2 ? SyncKind::mutex_unlock : SyncKind::mutex_lock, 0, first_time + i,
                 first + i + 1, 0x1000, 0});
  SyncChunk chunk{.first = first, .count = count, .last_time = first_time + count - 1, .rows = {}};
  chunk.rows = rows.finish();
  return chunk;
}

// A hole in the middle costs what is in it.
TEST(SyncRows, RecoveryKeepsWhatItFinds) {
  TemporaryFolder folder;
  {
    auto writer = StoreWriter::create(folder.file("t.vst"));
    ASSERT_TRUE(writer);
    write_chunks(*writer, 2);
    for (uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(writer->append(locks(i * 10, i * 50, 10)));
  }
  Bytes bytes = read_bytes(folder.file("t.vst"));
  const auto scanned = StoreReader::open(folder.file("t.vst"), StoreReader::Mode::recover);
  ASSERT_TRUE(scanned);
  bytes[scanned->rows()[7].offset + 50] ^= 1;  // the second of them
  write_bytes(folder.file("t.vst"), bytes);
  ASSERT_TRUE(recover_store(folder.file("t.vst"), folder.file("r.vst")));
  const auto reader = StoreReader::open(folder.file("r.vst"));
  ASSERT_TRUE(reader);
  std::vector<uint64_t> firsts;
  for (size_t i = 0; i < reader->rows().size(); ++i)
    if (reader->rows()[i].kind == format::ChunkKind::sync)
      firsts.push_back(SyncChunk::view(*reader->payload(i))->first);
  EXPECT_EQ(firsts, (std::vector<uint64_t>{0, 20}));
}

TEST(SyncRows, LastDropsThemWithTheirPaths) {
  TemporaryFolder folder;
  auto writer = StoreWriter::create(folder.file("t.vst"));
  ASSERT_TRUE(writer);
  write_chunks(*writer, 0);
  for (uint64_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(writer->append(control_chunk(0, 1 + i * 100, 100)));
    ASSERT_TRUE(writer->append(locks(i * 10, 1 + i * 100, 10)));
    ASSERT_TRUE(writer->keep_last(0, 250));
  }
  ASSERT_TRUE(writer->finish());
  const auto reader = StoreReader::open(folder.file("t.vst"));
  ASSERT_TRUE(reader);
  std::vector<uint64_t> firsts;
  for (size_t i = 0; i < reader->rows().size(); ++i)
    if (reader->rows()[i].kind == format::ChunkKind::sync)
      firsts.push_back(SyncChunk::view(*reader->payload(i))->first);
  EXPECT_EQ(firsts, (std::vector<uint64_t>{170, 180, 190}));
}

}  // namespace
}  // namespace vestige
