// The cache model and reuse distances against plain ones, reference by reference, and runs against
// their references.
#include "vestige/cache_model.h"

#include <gtest/gtest.h>

#include <random>

#include "plain_caches.h"

namespace vestige {
namespace {

struct Case {
  const char* spec;
  std::vector<plain::Level> levels;
};
const Case kCases[] = {
    {"512,2,16", {{512, 2, 16}}},
    {"256,4,32,plru/2K,8,32,plru", {{256, 4, 32, true}, {2048, 8, 32, true}}},
    {"256,1,64/1K,4,64/4K,4,128,shared",
     {{256, 1, 64}, {1024, 4, 64}, {4096, 4, 128, false, true}}},
    {"192,3,64/1K,4,64,plru,shared", {{192, 3, 64}, {1024, 4, 64, true, true}}},
    {"2K,2,64,shared", {{2048, 2, 64, false, true}}},
};

Reference random_reference(std::mt19937_64& random, uint32_t threads, uint64_t& at) {
  if (random() % 6 == 0) at = (1 << 16) + random() % 6000;
  at += random() % 12;
  Reference out;
  out.kind = static_cast<Reference::Kind>(random() % 10 < 6 ? 0 : random() % 10 < 9 ? 1 : 2);
  out.thread = static_cast<uint32_t>(random() % threads);
  out.statement_id = random() % 5;
  out.address = at;
  out.bytes = random() % 40 == 0 ? random() % 200 : uint64_t{1} << random() % 4;
  return out;
}

TEST(CacheModel, AsThePlainOne) {
  std::mt19937_64 random(3);
  for (const Case& one : kCases)
    for (const uint32_t threads : {1u, 2u, 5u}) {
      const auto levels = parse_cache_levels(one.spec);
      ASSERT_TRUE(levels);
      CacheModel model(*levels);
      for (uint32_t t = 0; t < threads; ++t) model.add_thread(9);
      plain::Machine twin(one.levels, threads);
      CacheCounts expected;
      uint64_t at = 1 << 16;
      for (int i = 0; i < 12'000; ++i) {
        const Reference reference = random_reference(random, threads, at);
        const bool write = reference.kind != Reference::Kind::read;
        model.use(reference);
        const plain::Outcome outcome =
            twin.refer(reference.thread, reference.address, reference.bytes, write);
        (write ? expected.writes : expected.reads) += 1;
        for (size_t l = 0; l < one.levels.size(); ++l) expected.misses[l] += outcome.missed[l];
        expected.cold += outcome.why == "cold";
        expected.replaced += outcome.why == "replaced";
        expected.true_sharing += outcome.why == "true";
        expected.false_sharing += outcome.why == "false";
        expected.upgrades += outcome.upgrade;
        ASSERT_EQ(model.total(), expected)
            << one.spec << ", " << threads << " threads, reference " << i;
      }
      EXPECT_GT(expected.replaced, 100u);
      if (threads > 1 && !one.levels[0].shared) {
        EXPECT_GT(expected.true_sharing, 100u);
        EXPECT_GT(expected.false_sharing, 100u);
        EXPECT_GT(expected.upgrades, 100u);
      }
      CacheCounts sum;
      for (const CacheStatement& statement : model.statements()) sum.add(statement.counts);
      EXPECT_EQ(sum, expected);
      uint64_t true_sharing = 0;
      for (const CacheLine& line : model.lines()) true_sharing += line.true_sharing;
      EXPECT_GE(true_sharing, expected.true_sharing);
    }
}

TEST(CacheModel, ProcessesShareNothing) {
  CacheModel model(*parse_cache_levels("256,1,64/1K,4,64,shared"));
  model.add_thread(0);
  model.add_thread(1);
  model.use({Reference::Kind::write, 0, 1, 4096, 8});
  model.use({Reference::Kind::write, 1, 1, 4096, 8});
  model.use({Reference::Kind::read, 0, 1, 4096, 8});
  EXPECT_EQ(model.total().misses[1], 2u);
  EXPECT_EQ(model.total().misses[0], 2u);
  EXPECT_EQ(model.total().true_sharing, 0u);
}

std::vector<Reference> random_body(std::mt19937_64& random, std::vector<uint64_t>& steps) {
  std::vector<Reference> body;
  for (uint64_t n = 1 + random() % 6; n != 0; --n) {
    uint64_t at = (1 << 16) + random() % 3000;
    Reference reference = random_reference(random, 1, at);
    body.push_back(reference);
    constexpr int64_t kSteps[] = {0, 0, 1, 4, 8, 8, -8, -4, 24, 64, 100, -300};
    steps.push_back(static_cast<uint64_t>(kSteps[random() % std::size(kSteps)]));
  }
  return body;
}

TEST(CacheModel, RunsAsTheirReferences) {
  std::mt19937_64 random(5);
  for (const Case& one : kCases)
    for (const uint32_t threads : {1u, 2u}) {
      const auto levels = parse_cache_levels(one.spec);
      CacheModel model(*levels), twin(*levels);
      ReuseDistances reuse(levels->front().geometry.line),
          plain_reuse(levels->front().geometry.line);
      for (uint32_t t = 0; t < threads; ++t) {
        model.add_thread(0);
        twin.add_thread(0);
      }
      for (int i = 0; i < 150; ++i) {
        std::vector<uint64_t> steps;
        std::vector<Reference> body = random_body(random, steps);
        const ReferenceRun run{body, steps, 1 + random() % 90};
        model.use(run);
        reuse.use(run);
        for (uint64_t k = 0; k < run.iterations; ++k)
          for (size_t r = 0; r < body.size(); ++r) {
            Reference reference = body[r];
            reference.address += k * steps[r];
            twin.use(reference);
            plain_reuse.use(reference);
          }
        ASSERT_EQ(model.total(), twin.total()) << one.spec << ", run " << i;
        ASSERT_EQ(reuse.histogram(), plain_reuse.histogram()) << i;
        ASSERT_EQ(reuse.cold(), plain_reuse.cold()) << i;
      }
      const auto a = model.statements(), b = twin.statements();
      ASSERT_EQ(a.size(), b.size());
      for (size_t s = 0; s < a.size(); ++s) EXPECT_EQ(a[s].counts, b[s].counts);
    }
}

TEST(ReuseDistances, AsLookingBack) {
  std::mt19937_64 random(11);
  for (const uint64_t many : {3ul, 50ul, 900ul}) {
    ReuseDistances reuse(64);
    std::vector<uint64_t> lines;
    std::map<uint64_t, uint64_t> expected;
    uint64_t cold = 0;
    for (int i = 0; i < 4000; ++i) {
      const uint64_t line = random() % 3 ? random() % many : static_cast<uint64_t>(i) % many;
      reuse.use({Reference::Kind::read, 0, 0, line * 64 + random() % 64, 1});
      lines.push_back(line);
      const uint64_t distance = plain::reuse_distance(lines, lines.size() - 1);
      if (distance == UINT64_MAX)
        ++cold;
      else
        ++expected[distance];
    }
    EXPECT_EQ(reuse.histogram(), expected);
    EXPECT_EQ(reuse.cold(), cold);
  }
}

TEST(CacheLevels, Refused) {
  for (const char* text :
       {"", "32", "32K,8,64/", "32K,8,64,mru", "48K,12,64,plru", "8M,16,64,shared/32K,8,64",
        "32K,8,64/1M,16,32", "32K,8,64/1M,16,128", "1K,2,64/1K,2,64/1K,2,64/1K,2,64/1K,2,64"})
    EXPECT_FALSE(parse_cache_levels(text)) << text;
  EXPECT_EQ(*parse_cache_levels("32K/1M,16"), *parse_cache_levels("32K,8,64/1M,16,64"));
  const auto levels = parse_cache_levels("32K,8,64,plru/8M,16,128,shared");
  ASSERT_TRUE(levels);
  EXPECT_EQ(cache_level_text((*levels)[0]) + "/" + cache_level_text((*levels)[1]),
            "32K,8,64,plru/8M,16,128,shared");
}

}  // namespace
}  // namespace vestige
