// OpenMap against std::map: random keys, some of them near each other, before and after renumbering.
#include "base/open_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace vestige {
namespace {

std::map<uint64_t, uint32_t> contents(const NumberMap& numbers) {
  std::map<uint64_t, uint32_t> out;
  numbers.each([&](uint64_t key, uint32_t value) { EXPECT_TRUE(out.emplace(key, value).second); });
  return out;
}

TEST(OpenMap, IsAMap) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const uint64_t keys = 1 + random() % 2000;
    const unsigned shift = random() % 60;  // where the keys differ
    NumberMap numbers;
    std::map<uint64_t, uint32_t> plain;
    for (unsigned i = 0; i < 3000; ++i) {
      const uint64_t key = random() % keys << shift;
      const auto next = static_cast<uint32_t>(plain.size());
      ASSERT_EQ(numbers.at(key, next), plain.try_emplace(key, next).first->second);
      const uint64_t other = random() % (2 * keys) << shift;
      const auto found = plain.find(other);
      ASSERT_EQ(numbers.get(other), found == plain.end() ? NumberMap::kFree : found->second);
    }
    EXPECT_EQ(numbers.size(), plain.size());
    EXPECT_EQ(contents(numbers), plain);

    // Every third number goes, the others are counted anew.
    const auto new_number = [](uint32_t old) { return old % 3 == 0 ? NumberMap::kFree : old / 3; };
    numbers.renumber(new_number);
    std::map<uint64_t, uint32_t> left;
    for (const auto& [key, number] : plain)
      if (number % 3 != 0) left[key] = number / 3;
    EXPECT_EQ(numbers.size(), left.size());
    EXPECT_EQ(contents(numbers), left);
    for (const auto& [key, number] : plain)
      ASSERT_EQ(numbers.get(key), number % 3 == 0 ? NumberMap::kFree : number / 3);
  }
}

TEST(OpenMap, EmptyHasNothing) {
  const NumberMap numbers;
  EXPECT_EQ(numbers.get(0), NumberMap::kFree);
  EXPECT_EQ(numbers.get(pair_key(1, 2)), NumberMap::kFree);
  EXPECT_EQ(numbers.size(), 0u);
}

struct Text {
  char letters[4] = {};
  bool operator==(const Text&) const = default;
};
uint64_t same_hash(const Text&) { return 7; }

// The worst hash there is.
TEST(OpenMap, AllKeysInOnePlace) {
  OpenMap<Text, uint64_t, UINT64_MAX, same_hash> counts;
  for (unsigned i = 0; i < 600; ++i) ++counts.at({{char('a' + i % 20), char('a' + i % 15)}}, 0);
  EXPECT_EQ(counts.size(), 60u);
  counts.each([](const Text&, uint64_t count) { EXPECT_EQ(count, 10u); });
}

}  // namespace
}  // namespace vestige
