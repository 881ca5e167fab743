#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>

#include "small_trace.h"

namespace vestige {
namespace {

using namespace test;
using format::ChunkKind;

TEST(StoreWriter, WhatIsWrittenIsRead) {
  TemporaryFolder folder;
  write_small_trace(folder.file("t.vst"));
  const auto reader = StoreReader::open(folder.file("t.vst"));
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_EQ(reader->rows().size(), 11u);
  EXPECT_EQ(reader->file_bytes(), std::filesystem::file_size(folder.file("t.vst")));
  const auto meta = MetaChunk::decode(*reader->payload(0));
  EXPECT_EQ(meta->entries[1].second, "control");
  for (size_t i = 4; i < 9; ++i) {
    EXPECT_EQ(reader->rows()[i].kind, ChunkKind::control);
    EXPECT_EQ(reader->rows()[i].first_time, 1 + (i - 4) * 100);
    EXPECT_EQ(reader->rows()[i].path_count, 100u);
    EXPECT_EQ(reader->rows()[i].offset % 8, 0u);
    const auto payload = reader->payload(i);
    ASSERT_TRUE(payload);
    const auto chunk = ControlChunk::decode(*payload);
    EXPECT_EQ(chunk->events.size(), 1u);
    EXPECT_EQ(chunk->words.size(), reader->rows()[i].word_bytes);
  }
  EXPECT_FALSE(reader->payload(11));
}

TEST(StoreWriter, ReplacesAnOldFileWithoutTouchingItsReaders) {
  TemporaryFolder folder;
  write_small_trace(folder.file("t.vst"), 5);
  const auto old = StoreReader::open(folder.file("t.vst"));
  ASSERT_TRUE(old);
  write_small_trace(folder.file("t.vst"), 1);
  for (size_t i = 0; i < old->rows().size(); ++i) EXPECT_TRUE(old->payload(i));
  EXPECT_EQ(StoreReader::open(folder.file("t.vst"))->rows().size(), 7u);
}

TEST(StoreWriter, RefusesWhatIsNoFile) {
  TemporaryFolder folder;
  EXPECT_FALSE(StoreWriter::create(folder.file("")));
  EXPECT_FALSE(StoreWriter::create(folder.file("none/t.vst")));
  EXPECT_FALSE(StoreWriter::create("/dev/null"));
}

TEST(StoreWriter, TakesChunksFromSeveralThreads) {
  TemporaryFolder folder;
  auto writer = StoreWriter::create(folder.file("t.vst"));
  ASSERT_TRUE(writer);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 50; ++i)
        EXPECT_TRUE(writer->append(control_chunk(t, 1 + i * 10, 10)));
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(writer->finish());
  const auto reader = StoreReader::open(folder.file("t.vst"));
  ASSERT_TRUE(reader);
  uint64_t next[4] = {1, 1, 1, 1};
  for (size_t i = 0; i < reader->rows().size(); ++i) {
    EXPECT_TRUE(reader->payload(i));
    EXPECT_EQ(reader->rows()[i].first_time, next[reader->rows()[i].thread]);
    next[reader->rows()[i].thread] += 10;
  }
  EXPECT_EQ(reader->rows().size(), 200u);
}

TEST(StoreWriter, KeepsTheLastPathsOnly) {
  TemporaryFolder folder;
  auto writer = StoreWriter::create(folder.file("t.vst"));
  ASSERT_TRUE(writer);
  write_chunks(*writer, 3);
  uint64_t most = 0;
  for (uint64_t i = 3; i < 100; ++i) {
    ASSERT_TRUE(writer->append(control_chunk(0, 1 + i * 100, 100)));
    ASSERT_TRUE(writer->keep_last(0, 250));
    most = std::max(most, writer->bytes_written());
  }
  EXPECT_LT(most, 4000u);
  ASSERT_TRUE(writer->append(EndChunk{false, 0, format::EndReason::exited, 0, 10000}));
  ASSERT_TRUE(writer->finish());
  EXPECT_LT(std::filesystem::file_size(folder.file("t.vst")), 4000u);
  const auto reader = StoreReader::open(folder.file("t.vst"));
  ASSERT_TRUE(reader) << reader.error().message;
  std::vector<uint64_t> times;
  for (size_t i = 0; i < reader->rows().size(); ++i) {
    ASSERT_TRUE(reader->payload(i));
    if (reader->rows()[i].kind == ChunkKind::control) times.push_back(reader->rows()[i].first_time);
  }
  EXPECT_EQ(times, (std::vector<uint64_t>{9701, 9801, 9901}));
}

// Runs in a child whose files may not grow past `limit`, as on a full disk.
template <class F>
void with_file_limit(uint64_t limit, F f) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit size{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &size);
    f();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(StoreWriter, AFullDiskLeavesAReadableFile) {
  TemporaryFolder folder;
  const std::string path = folder.file("t.vst");
  with_file_limit(20000, [&] {
    auto writer = StoreWriter::create(path);
    ASSERT_TRUE(writer);
    write_chunks(*writer, 3);
    uint64_t written = 3;
    Result<void> result;
    for (; written < 1000; ++written) {
      result = writer->append(control_chunk(0, 1 + written * 100, 100));
      if (!result) break;
    }
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::io);
    EXPECT_EQ(writer->append(EndChunk{}).error().message, result.error().message);
    EXPECT_EQ(writer->finish().error().message, result.error().message);
  });
  const auto reader = StoreReader::open(path, StoreReader::Mode::recover);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->damage().empty());
  EXPECT_GT(reader->rows().size(), 50u);
  const auto recovered = recover_store(path, folder.file("r.vst"));
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_TRUE(StoreReader::open(folder.file("r.vst")));
}

TEST(StoreWriter, WithoutFinishTheFileIsRecoverable) {
  TemporaryFolder folder;
  {
    auto writer = StoreWriter::create(folder.file("t.vst"));
    ASSERT_TRUE(writer);
    write_chunks(*writer, 4);
  }
  const auto strict = StoreReader::open(folder.file("t.vst"));
  ASSERT_FALSE(strict);
  EXPECT_NE(strict.error().message.find("vestige recover"), std::string::npos);
  const auto recovered = recover_store(folder.file("t.vst"), folder.file("r.vst"));
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_EQ(recovered->paths, 400u);
  EXPECT_TRUE(recovered->damage.empty());
  const auto reader = StoreReader::open(folder.file("r.vst"));
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->rows().size(), 10u);  // 8 chunks and two ends
  const auto end = EndChunk::decode(*reader->payload(8));
  EXPECT_EQ(end->reason, format::EndReason::unknown);
  EXPECT_EQ(end->paths, 400u);
}

}  // namespace
}  // namespace vestige
