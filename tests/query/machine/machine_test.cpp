// Caches, predictors and labels against plain ones on random input.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "plain_machine.h"
#include "query/machine/cache.h"
#include "query/machine/labels.h"
#include "query/machine/tage.h"

namespace vestige {
namespace {

TEST(Caches, AsListsDo) {
  std::mt19937_64 random(1);
  const std::pair<CacheGeometry, CacheGeometry> pairs[] = {{{1024, 2, 16}, {4096, 4, 64}},
                                                           {{64, 1, 64}, {64 * 3, 3, 64}},
                                                           {{960, 5, 32}, {8192, 8, 32}},
                                                           {{32 << 10, 8, 64}, {1 << 20, 16, 64}}};
  for (const auto& [l1, l2] : pairs) {
    CachePair caches(l1, l2);
    plain::Hierarchy twin{{l1.bytes, l1.ways, l1.line}, {l2.bytes, l2.ways, l2.line}};
    uint64_t at = 1 << 20, misses = 0;
    for (int i = 0; i < 60'000; ++i) {
      if (random() % 8 == 0) at = (1 << 20) + random() % (l2.bytes * 3);
      at += random() % 24;
      const uint64_t bytes = random() % 50 == 0 ? random() % 300 : 1 << random() % 4;
      const CachePair::Outcome outcome = caches.use(at, bytes);
      ASSERT_EQ(std::pair(outcome.missed, outcome.missed_l2), twin.refer(at, bytes)) << i;
      misses += outcome.missed;
    }
    EXPECT_GT(misses, 1000u);
  }
}

TEST(Caches, EndOfMemory) {
  CachePair caches({1024, 2, 16}, {4096, 4, 64});
  EXPECT_TRUE(caches.use(UINT64_MAX - 3, 8).missed);
  EXPECT_FALSE(caches.use(UINT64_MAX - 3, 4).missed);
}

// Loops of fixed length, branches that repeat others, biased ones and noise.
template <class Fast, class Plain>
void compare_predictors(uint64_t count, uint64_t most_wrong) {
  std::mt19937_64 random(7);
  Fast fast;
  Plain twin;
  uint64_t wrong = 0;
  bool last = false;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t branch = random() % 16 == 0 ? random() % 400 : i % 6;
    bool taken = branch == 0   ? i / 6 % 7 != 0
                 : branch == 1 ? last
                 : branch < 4  ? random() % 32 != 0
                               : branch % 3 == 0;
    if (branch == 5) taken = i / 6 % 40 == 3;
    last = taken;
    const uint32_t hash = branch_hash(branch);
    ASSERT_EQ(hash, plain::hash_of(branch));
    const bool missed = fast.branch(hash, taken);
    ASSERT_EQ(missed, twin.wrong(hash, taken)) << i;
    wrong += missed;
    if (random() % 97 == 0) {
      fast.note(taken);
      twin.note(taken);
    }
  }
  EXPECT_LT(wrong, most_wrong);
}

TEST(Predictors, Gshare) { compare_predictors<GsharePredictor, plain::Gshare>(50'000, 10'000); }
TEST(Predictors, Tage) { compare_predictors<TagePredictor, plain::Tage>(300'000, 30'000); }

TEST(Predictors, Targets) {
  std::mt19937_64 random(3);
  TargetPredictor fast;
  plain::Targets twin;
  for (int i = 0; i < 50'000; ++i) {
    const uint32_t hash = branch_hash(random() % 20);
    const auto target = static_cast<uint32_t>(random() % 8 == 0 ? random() % 9 : i % 3);
    ASSERT_EQ(fast.branch(hash, target), twin.wrong(hash, target)) << i;
  }
}

TEST(Geometry, Texts) {
  for (const char* good : {"32K,8,64", "48K,12,64", "1M,16,64", "4096M,16,64", "512,2,32"}) {
    const auto parsed = parse_cache_geometry(good);
    ASSERT_TRUE(parsed) << good;
    EXPECT_EQ(*parse_cache_geometry(cache_geometry_text(*parsed)), *parsed);
  }
  for (const char* bad : {"", "32K", "32K,8", "32K,8,64,1", "32K,0,64", "32K,8,48", "33333,8,64",
                          "32G,8,64", "0,1,64", "K,8,64", "32K,65,64", "32K,8,8192", "-1,1,64",
                          "99999999999999999999,1,64", "18446744073709551615K,1,64"})
    EXPECT_FALSE(parse_cache_geometry(bad)) << bad;
}

struct TemporaryFile {
  std::string name = testing::TempDir() + "labels_" + std::to_string(::getpid());
  ~TemporaryFile() { std::remove(name.c_str()); }
};

TEST(Labels, ComeBackFromTheFile) {
  constexpr uint64_t kIdentity = 42;
  TemporaryFile file;
  std::mt19937_64 random(5);
  std::map<uint32_t, std::vector<std::pair<uint64_t, bool>>> twin;
  std::map<uint32_t, uint64_t> executions;
  LabelTable table;
  {
    auto writer = CacheWriter::create(file.name, 0600);
    ASSERT_TRUE(writer);
    LabelBuilder labels(**writer, 20'000);
    for (uint32_t row = 0; row < 20; ++row)
      ASSERT_EQ(labels.add_row(row / 2 * 7, row % 2 ? MachineKind::store : MachineKind::load), row);
    for (int i = 0; i < 300'000; ++i) {
      const auto row = static_cast<uint32_t>(random() % 19);  // the last never runs
      const bool missed = random() % (row + 1) == 0, l2 = missed && random() % 4 == 0;
      ++executions[row];
      if (random() % 100 == 0) {
        labels.add_unknown(row);
        continue;
      }
      labels.add(row, missed, l2);
      if (missed) twin[row].push_back({executions[row], l2});
      if (i % 1000 == 0) ASSERT_TRUE(labels.settle());
    }
    auto rows = labels.finish();
    ASSERT_TRUE(rows);
    table.caches = true;
    table.threads = {{}, *rows};
    ASSERT_TRUE((*writer)->finish(kMachineCache, kIdentity, table.encode()));
  }
  auto cache = CacheReader::open(file.name, kMachineCache, kIdentity);
  ASSERT_TRUE(cache);
  LabelTable read;
  ASSERT_TRUE(read.decode(cache->table()));
  ASSERT_EQ(read.threads.size(), 2u);
  ASSERT_EQ(read.threads[1].size(), 19u);
  for (const LabelRow& row : read.threads[1]) {
    const auto number = static_cast<uint32_t>(row.id / 7 * 2 + (row.kind == MachineKind::store));
    EXPECT_EQ(row.executions, executions[number]);
    std::vector<std::pair<uint64_t, bool>> found;
    uint64_t last = 0;
    bool stopped = false;
    for (const LabelRow::Piece& piece : row.pieces) {
      const auto bytes = cache->piece(piece.offset, piece.size, piece.checksum);
      ASSERT_TRUE(bytes);
      ASSERT_TRUE(read_labels(
          *bytes, row, last,
          [&](uint64_t instance, bool l2) { return found.push_back({instance, l2}), true; },
          stopped));
    }
    EXPECT_EQ(found, twin[number]);
    EXPECT_EQ(row.misses, found.size());
  }
  // Damage is found, whatever it is; what survives is within bounds.
  Bytes bytes = table.encode();
  for (int i = 0; i < 2000; ++i) {
    Bytes damaged = bytes;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    LabelTable{}.decode(damaged);
  }
  for (int i = 0; i < 2000; ++i) {
    Bytes damaged(random() % 60);
    for (uint8_t& byte : damaged) byte = static_cast<uint8_t>(random());
    uint64_t last = 0;
    bool stopped = false;
    const LabelRow& row = read.threads[1][0];
    read_labels(
        damaged, row, last,
        [&](uint64_t instance, bool) {
          EXPECT_LE(instance, row.executions);
          return true;
        },
        stopped);
  }
}

}  // namespace
}  // namespace vestige
