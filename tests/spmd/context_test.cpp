#include "vestige/context.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace vestige {
namespace {

using Tree = ContextTree<uint64_t>;

std::vector<uint64_t> serialized(const Tree& tree) {
  std::vector<uint64_t> out;
  tree.serialize([&](uint64_t number) { out.push_back(number); },
                 [](auto put, uint64_t key) { put(key); });
  return out;
}

std::optional<Tree> deserialized(const std::vector<uint64_t>& numbers) {
  size_t at = 0;
  return Tree::deserialize(
      [&]() -> std::optional<uint64_t> {
        if (at == numbers.size()) return std::nullopt;
        return numbers[at++];
      },
      [](auto get) -> std::optional<uint64_t> { return get(); });
}

TEST(Context, TheSameChainIsTheSameNode) {
  Tree tree;
  const std::array<uint64_t, 3> a = {5, 4, 1}, b = {6, 1, 1};
  const uint32_t first = tree.add(a);
  EXPECT_NE(tree.add(b), first);
  EXPECT_EQ(tree.add(a), first);
  EXPECT_EQ(tree.size(), 7u);
  EXPECT_EQ(tree.path(first), std::vector<uint64_t>(a.begin(), a.end()));
}

TEST(Context, MergeIsTheUnionWhateverTheOrder) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<uint64_t>> chains;
    for (int i = 0; i < 40; ++i) {
      std::vector<uint64_t> chain(random() % 6);
      for (uint64_t& key : chain) key = random() % 3;
      chains.push_back(chain);
    }
    Tree all, left, right;
    for (size_t i = 0; i < chains.size(); ++i) {
      all.add(chains[i]);
      (i % 2 ? left : right).add(chains[i]);
    }
    Tree other = right;
    const auto map = other.merge(left);
    for (uint32_t node = 0; node < left.size(); ++node)
      ASSERT_EQ(other.path(map[node]), left.path(node));
    left.merge(right);
    ASSERT_EQ(serialized(left), serialized(all));
    ASSERT_EQ(serialized(other), serialized(all));
    const auto back = deserialized(serialized(all));
    ASSERT_TRUE(back);
    ASSERT_EQ(serialized(*back), serialized(all));
  }
}

TEST(Context, NumbersThatAreNoTreeAreRefused) {
  EXPECT_FALSE(deserialized({}));
  EXPECT_FALSE(deserialized({1}));
  EXPECT_FALSE(deserialized({1, 1, 7}));        // up from the root
  EXPECT_FALSE(deserialized({2, 0, 7, 1, 7}));  // twice the same child
  EXPECT_TRUE(deserialized({2, 0, 7, 1, 8}));
}

}  // namespace
}  // namespace vestige
