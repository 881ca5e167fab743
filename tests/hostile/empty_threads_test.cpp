// Threads that lack paths, values or synchronization operations, in every position among others:
// each question has an answer, or an error.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "answers.h"
#include "trace/index/recording.h"
#include "vestige/index.h"
#include "vestige/spmd.h"
#include "vestige/sync.h"
#include "vestige/values.h"

namespace vestige::hostile {
namespace {

using windows_test::Lack;

void remove(const std::string& file) {
  for (const char* suffix : {"", ".idx", ".dep", ".wpp", ".mch", ".slc"})
    ::unlink((file + suffix).c_str());
}

std::array<uint64_t, windows_test::kLacks> hits{};
uint64_t with_atomics = 0;

void survive_random(uint64_t first, uint64_t last) {
  for (uint64_t seed = first; seed < last; ++seed) {
    const auto recording = windows_test::record_random({.seed = seed,
                                                        .threads = uint32_t(1 + seed % 5),
                                                        .paths = 60,
                                                        .throws = seed % 3 ? 0 : 0.05,
                                                        .empty = seed % 7 == 0 ? 1 : 0.5});
    for (const Lack lack : recording.lacks) ++hits[static_cast<size_t>(lack)];
    SCOPED_TRACE(seed);
    survive_each_thread(recording.path, 500);
    if (seed % 4 == 0) {  // with an index, too
      auto trace = Trace::open(recording.path);
      ASSERT_TRUE(trace);
      (void)build_index(*trace);
      survive_each_thread(recording.path, 500);
    }
    const auto trace = Trace::open(recording.path);
    for (const Function& function : trace->functions())
      with_atomics += std::ranges::any_of(function.statements, [](const Statement& s) {
        return s.op == Op::atomic_rmw || s.op == Op::cmpxchg;
      });
    remove(recording.path);
  }
}

TEST(EmptyThreads, HaveAnAnswerToEveryQuestion) {
  const char* more = std::getenv("VESTIGE_ROUNDS");
  survive_random(1, more ? 20 * std::strtoull(more, nullptr, 10) : 20);
  for (size_t i = 0; i < hits.size(); ++i) EXPECT_GT(hits[i], 0u) << "lack " << i;
  EXPECT_GT(with_atomics, 0u);
  printf("threads that lack nothing, paths, values, both, all:");
  for (const uint64_t count : hits) printf(" %lu", count);
  printf("; functions with atomics: %lu\n", with_atomics);
}

// The fuzzer's seeds are such traces. VESTIGE_UPDATE=1 writes them anew.
TEST(EmptyThreads, AreWhatTheFuzzerBeginsWith) {
  const std::filesystem::path folder = VESTIGE_SEEDS;
  if (std::getenv("VESTIGE_UPDATE")) {
    std::filesystem::create_directories(folder);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      const auto recording =
          windows_test::record_random({.seed = seed, .threads = 4, .paths = 25, .empty = 0.6});
      std::filesystem::copy_file(recording.path, folder / ("seed-" + std::to_string(seed)),
                                 std::filesystem::copy_options::overwrite_existing);
    }
  }
  uint64_t without_paths = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto trace = Trace::open(entry.path());
    if (!trace) continue;
    for (const ThreadInfo& thread : trace->threads()) without_paths += thread.paths == 0;
  }
  EXPECT_GT(without_paths, 2u);
}

// What a rank without recorded code told others is told, too.
TEST(EmptyThreads, TellTheirMessages) {
  uint64_t told = 0;
  for (uint64_t seed = 1; seed < 40; ++seed) {
    const auto recording =
        windows_test::record_random({.seed = seed, .threads = 4, .paths = 40, .empty = 0.6});
    const auto trace = Trace::open(recording.path);
    ASSERT_TRUE(trace);
    for (uint32_t t = 0; t < 4; ++t) {
      uint64_t expected = 0, got = 0;
      auto cursor = SyncCursor::open(*trace, t);
      while (cursor->next()) expected += is_message(cursor->operation().kind);
      const auto read = read_communication(*trace, t, [&](const Communication&) { return ++got; });
      if (!read) {
        EXPECT_EQ(read.error().kind, ErrorKind::unsupported) << read.error().message;
        continue;
      }
      EXPECT_EQ(got, expected) << "seed " << seed << " thread " << t;
      if (trace->threads()[t].paths == 0) told += got;
    }
    remove(recording.path);
  }
  EXPECT_GT(told, 0u);
}

}  // namespace
}  // namespace vestige::hostile
