// Traces with bytes flipped, cut, doubled and moved: an error or a correct answer, never a crash.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/checksum.h"
#include "store/chunk_header.h"
#include "trace/depth.h"
#include "trace/state.h"
#include "trace/synthetic.h"

namespace vestige {
namespace {

using namespace synthetic;

// Uses everything; whatever can be read must be what was recorded.
void use_all(const std::string& path, const TraceFile& original) {
  (void)verify(path);
  auto trace = Trace::open(path);
  if (!trace) {
    EXPECT_FALSE(trace.error().message.empty());
    return;
  }
  for (uint32_t thread = 0; thread < trace->threads().size() && thread < original.runs.size();
       ++thread) {
    auto cursor = trace->walk(thread);
    if (!cursor) continue;
    cursor->skip_damage();
    const auto& paths = original.runs[thread].paths;
    while (cursor->next()) {
      ASSERT_LE(cursor->time(), paths.size());
      ASSERT_EQ(cursor->path().id, paths[cursor->time() - 1]);
    }
    while (cursor->prev()) {
    }
    (void)trace->stack(thread, paths.size() / 2);
    (void)trace->events(thread);
    (void)trace->profile(thread);
  }
}

TEST(Damage, VariantsOfATraceAreReadOrRefused) {
  TraceFile file = make_trace(60, {.paths = 800});
  const Bytes good = read_file(file.path);
  const std::string bad = temporary_name(), whole = temporary_name();
  std::mt19937 random(61);
  for (int round = 0; round < 1000; ++round) {
    Bytes bytes = good;
    const size_t at = random() % bytes.size();
    const size_t length = 1 + random() % 64;
    const size_t end = std::min(bytes.size(), at + length);
    switch (random() % 5) {
      case 0:
        bytes[at] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at),
                    bytes.begin() + static_cast<ptrdiff_t>(end));
        break;
      case 3: {
        const Bytes piece(bytes.begin() + static_cast<ptrdiff_t>(at),
                          bytes.begin() + static_cast<ptrdiff_t>(end));
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(random() % bytes.size()), piece.begin(),
                     piece.end());
        break;
      }
      default:
        for (size_t i = at; i < end; ++i) bytes[i] = static_cast<uint8_t>(random());
        break;
    }
    write_file(bad, bytes);
    use_all(bad, file);
    if (round % 10 == 0) {
      if (auto report = recover(bad, whole)) use_all(whole, file);
    }
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

// Damage behind the checksums: what only malice makes. Answers may be wrong then, but there must be
// some.
TEST(Damage, HostilePayloadsWithGoodChecksums) {
  TraceFile file = make_trace(64, {.paths = 800, .unwind = 0.05});
  const Bytes good = read_file(file.path);
  std::vector<DirectoryChunk::Row> rows;
  uint64_t directory = 0;
  format::FileHeader header;
  {
    auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace);
    rows = trace->state().store.rows();
    header = trace->state().store.header();
    format::Trailer trailer;
    std::memcpy(&trailer, good.data() + good.size() - sizeof trailer, sizeof trailer);
    directory = trailer.directory_offset;
  }
  std::vector<uint64_t> offsets{directory};
  for (const auto& row : rows) offsets.push_back(row.offset);
  const std::string bad = temporary_name();
  std::mt19937 random(65);
  for (int round = 0; round < 1000; ++round) {
    Bytes bytes = good;
    const uint64_t offset = offsets[random() % offsets.size()];
    format::ChunkHeader chunk;
    std::memcpy(&chunk, bytes.data() + offset, sizeof chunk);
    const std::span<uint8_t> payload(bytes.data() + offset + sizeof chunk, chunk.payload_size);
    for (uint32_t flips = 1 + random() % 3; flips > 0 && !payload.empty(); --flips) {
      uint8_t& byte = payload[random() % payload.size()];
      byte = random() % 2 ? static_cast<uint8_t>(random())
                          : static_cast<uint8_t>(byte ^ (1u << random() % 8));
    }
    chunk.payload_checksum = checksum(payload);
    chunk.header_checksum = header_checksum(chunk, header.trace_id);
    std::memcpy(bytes.data() + offset, &chunk, sizeof chunk);
    write_file(bad, bytes);
    (void)verify(bad);
    auto trace = Trace::open(bad);
    if (!trace) continue;
    (void)trace->counts();
    for (uint32_t thread = 0; thread < std::min<size_t>(trace->threads().size(), 3); ++thread) {
      auto cursor = trace->walk(thread);
      cursor->skip_damage();
      // A hostile directory may promise any number of paths.
      for (uint64_t steps = 0; steps < 10000 && cursor->next(); ++steps) {
      }
      for (uint64_t steps = 0; steps < 10000 && cursor->prev(); ++steps) {
      }
      for (const uint64_t time : {1u, 400u, 800u}) (void)trace->stack(thread, time);
      (void)trace->events(thread);
      (void)trace->profile(thread);
      DepthMap depths(trace->state(), thread);
      for (const uint64_t time : {800u, 400u, 1u, 0u}) (void)depths.after(time);
    }
  }
}

TEST(Damage, AnInterruptedRecordingSaysWhatToDo) {
  TraceFile file = make_trace(62);
  write_trace(file, false);
  auto trace = Trace::open(file.path);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("vestige recover"), std::string::npos)
      << trace.error().message;
  EXPECT_NE(trace.error().message.find(file.path), std::string::npos);

  const std::string whole = temporary_name();
  auto report = recover(file.path, whole);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->paths, 2000u);
  auto checked = verify(whole);
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->ok) << checked->problems.front();
  use_all(whole, file);
}

TEST(Damage, ALostChunkLeavesTheOthersReadable) {
  TraceFile file = make_trace(63, {.paths = 3000});
  Bytes bytes = read_file(file.path);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  for (const auto& row : trace->state().store.rows()) {
    if (row.kind != format::ChunkKind::control || row.first_time == 1) continue;
    bytes[row.offset + 60] ^= 1;
    break;
  }
  const std::string bad = temporary_name();
  write_file(bad, bytes);
  auto damaged = Trace::open(bad);
  ASSERT_TRUE(damaged) << damaged.error().message;
  auto cursor = damaged->walk(0);
  while (cursor->next()) {
  }
  ASSERT_TRUE(cursor->error());
  EXPECT_NE(cursor->error()->message.find("at byte"), std::string::npos)
      << cursor->error()->message;
  EXPECT_EQ(cursor->error()->message.find(bad), 0u);
  EXPECT_EQ(cursor->error()->message.find(bad, 1), std::string::npos) << "the file is named once";
  use_all(bad, file);
  auto report = verify(bad);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
}

TEST(Damage, ALostProgramTableTakesItsPathsWithIt) {
  TraceFile file = make_trace(64, {.paths = 3000});
  Bytes bytes = read_file(file.path);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  for (const auto& row : trace->state().store.rows())
    if (row.kind == format::ChunkKind::module) bytes[row.offset + 60] ^= 1;
  const std::string bad = temporary_name(), whole = temporary_name();
  write_file(bad, bytes);
  auto report = recover(bad, whole);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->paths, 0u);
  EXPECT_NE(std::ranges::find_if(report->damage,
                                 [](const std::string& damage) {
                                   return damage.find("program table that is lost") !=
                                          std::string::npos;
                                 }),
            report->damage.end());
  auto checked = verify(whole);
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->ok) << checked->problems.front();
}

TEST(Damage, FilesThatAreNoTraces) {
  EXPECT_EQ(Trace::open("/nowhere/at/all.vst").error().kind, ErrorKind::io);
  EXPECT_FALSE(verify("/nowhere/at/all.vst"));
  const std::string text = temporary_name();
  write_file(text, Bytes{'h', 'e', 'l', 'l', 'o'});
  EXPECT_FALSE(Trace::open(text));
  EXPECT_FALSE(verify(text));
  write_file(text, {});
  EXPECT_FALSE(Trace::open(text));
  EXPECT_FALSE(verify(text));
}

}  // namespace
}  // namespace vestige
