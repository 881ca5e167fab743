// Arrays that lie partly in a file, with pages so small that they do.
#include <gtest/gtest.h>

#include <random>

#include "base/spill_sort.h"

namespace vestige {
namespace {

struct Item {
  uint64_t key = 0;
  uint32_t number = 0;
  bool operator==(const Item&) const = default;
};
using Small = SpillArray<Item, 2, 3>;  // three pages of four

TEST(SpillArray, GrowsByBlankItems) {
  std::mt19937_64 random(5);
  Small array;
  std::vector<Item> twin;
  for (int round = 0; round < 200; ++round) {
    const uint64_t more = random() % 40;
    array.grow(more);
    twin.resize(twin.size() + more);
    for (int step = 0; step < 50 && !twin.empty(); ++step) {
      const uint64_t at = random() % twin.size();
      if (step % 3 == 0) array[at] = twin[at] = {random(), static_cast<uint32_t>(step)};
      ASSERT_EQ(array.at(at), twin[at]);
    }
    if (random() % 2 == 0 && twin.size() % 4 == 0) {
      array.append({7, 7});
      twin.push_back({7, 7});
    }
  }
  for (size_t i = 0; i < twin.size(); ++i) ASSERT_EQ(array.at(i), twin[i]);
}

TEST(SpillArray, IsLikeAVector) {
  std::mt19937_64 random(1);
  Small array;
  std::vector<Item> twin;
  for (uint32_t step = 0; step < 20'000; ++step) {
    const uint64_t kind = random() % 8;
    if (twin.empty() || kind < 2) {
      const Item item{random(), step};
      array.append(item) = item;
      twin.push_back(item);
    } else {
      // Mostly near the end, as slices use it.
      const uint64_t far =
          kind < 6 ? random() % std::min<size_t>(twin.size(), 9) : random() % twin.size();
      const uint64_t at = twin.size() - 1 - far;
      ASSERT_EQ(array.at(at), twin[at]);
      if (kind % 2 == 0) array[at].key = twin[at].key = random();
    }
  }
  ASSERT_EQ(array.size(), twin.size());
  Small moved = std::move(array);
  for (size_t i = twin.size(); i-- > 0;) ASSERT_EQ(moved.at(i), twin[i]);
  EXPECT_FALSE(moved.failed());
}

TEST(SpillArray, KeepsAllWhereNoFileCanBe) {
  const char* before = getenv("TMPDIR");
  const std::string kept = before ? before : "";
  setenv("TMPDIR", "/nosuchfolder", 1);
  Small array;
  for (uint32_t i = 0; i < 1000; ++i) array.append({i, i});
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(array.at(i), (Item{i, i}));
  EXPECT_FALSE(array.failed());
  if (before)
    setenv("TMPDIR", kept.c_str(), 1);
  else
    unsetenv("TMPDIR");
}

TEST(SpillSort, SortsRunsAndMergesThem) {
  std::mt19937_64 random(2);
  const auto less = [](const Item& a, const Item& b) {
    return std::pair(a.key, a.number) < std::pair(b.key, b.number);
  };
  for (const size_t size : {0, 1, 5, 6, 7, 300, 301}) {
    Small array;
    std::vector<Item> twin;
    for (uint32_t i = 0; i < size; ++i) {
      twin.push_back({random() % 50, i});
      array.append(twin.back());
    }
    std::sort(twin.begin(), twin.end(), less);
    Small sorted = spill_sorted(std::move(array), less, 6);
    ASSERT_EQ(sorted.size(), size);
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(sorted.at(i), twin[i]) << size;
  }
}

}  // namespace
}  // namespace vestige
