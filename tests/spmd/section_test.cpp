#include "vestige/section.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige {
namespace {

template <class List>
auto expand(const List& list) {
  std::vector<typename std::decay_t<decltype(*list.begin())>> out;
  for (const auto& event : list) out.push_back(event);
  return out;
}

TEST(Section, FoldsALoop) {
  SectionList<int> list;
  std::vector<int> input;
  for (int i = 0; i < 1000; ++i)
    for (const int event : {7, 9}) input.push_back(event);
  for (const int event : input) list.add(event);
  ASSERT_EQ(list.sections().size(), 1u);
  EXPECT_EQ(list.sections()[0].count, 1000u);
  EXPECT_EQ(list.sections()[0].body.size(), 2u);
  EXPECT_EQ(list.events(), input.size());
  EXPECT_EQ(expand(list), input);
}

// The nest of figure 2.3: 100 times (1000 times (b, a), d, c).
TEST(Section, FoldsTheNestOfTheThesis) {
  SectionList<char> list;
  std::vector<char> input;
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 1000; ++j) input.insert(input.end(), {'b', 'a'});
    input.insert(input.end(), {'d', 'c'});
  }
  for (const char event : input) list.add(event);
  ASSERT_EQ(list.sections().size(), 1u);
  EXPECT_EQ(list.sections()[0].count, 100u);
  ASSERT_EQ(list.sections()[0].body.size(), 3u);
  EXPECT_EQ(list.sections()[0].body[0].count, 1000u);
  EXPECT_EQ(expand(list), input);
}

using Memory = Strided<int>;
using MemoryList = SectionList<Memory, StridedEvents<int>>;

TEST(Section, FoldsStridesInNests) {
  MemoryList list;
  std::vector<Memory> input;
  for (uint64_t i = 0; i < 20; ++i)
    for (uint64_t j = 0; j < 30; ++j)
      for (uint64_t k = 0; k < 10; ++k) {
        input.push_back({1, 1000 + 800 * i + 8 * k});
        input.push_back({2, 90000 - 16 * j + 8 * k});
      }
  for (const Memory& event : input) list.add(event);
  ASSERT_EQ(list.sections().size(), 1u);
  EXPECT_EQ(list.sections()[0].count, 20u);
  EXPECT_EQ(expand(list), input);
}

TEST(Section, WhatDoesNotContinueIsKept) {
  MemoryList list;
  std::vector<Memory> input;
  for (const uint64_t value : {8, 16, 24, 25, 40, 48, 48, 0, 8}) input.push_back({1, value});
  for (const Memory& event : input) list.add(event);
  EXPECT_EQ(expand(list), input);
}

TEST(Section, TheWindowBoundsWhatFolds) {
  SectionList<int> narrow(4), wide(16);
  for (int i = 0; i < 50; ++i)
    for (int event = 0; event < 5; ++event) {
      narrow.add(event);
      wide.add(event);
    }
  EXPECT_EQ(narrow.sections().size(), 250u);
  EXPECT_EQ(wide.sections().size(), 1u);
}

TEST(Section, ListsMerge) {
  SectionList<int> a, b;
  for (int i = 0; i < 6; ++i) a.add(i % 2);
  for (int i = 0; i < 8; ++i) b.add(i % 2);
  a.add(b);
  EXPECT_EQ(a.events(), 14u);
  std::vector<int> input;
  for (int i = 0; i < 14; ++i) input.push_back(i % 2);
  EXPECT_EQ(expand(a), input);
}

TEST(Section, RandomStreamsComeBack) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    SectionList<int> equal(2 + random() % 40);
    MemoryList strided(2 + random() % 40);
    std::vector<int> numbers;
    std::vector<Memory> memory;
    const uint64_t kinds = 1 + random() % 4;
    while (numbers.size() < 300) {
      // A random nest: a few events, repeated, with a stride.
      const size_t length = 1 + random() % 4, count = random() % 9;
      std::vector<Memory> body;
      for (size_t i = 0; i < length; ++i) body.push_back({int(random() % kinds), random() % 64});
      const uint64_t stride = random() % 3 * 8;
      for (size_t i = 0; i < count; ++i)
        for (const Memory& event : body) {
          memory.push_back({event.key, event.value + i * stride});
          numbers.push_back(event.key);
        }
      if (count == 0) numbers.push_back(0);
    }
    for (const int event : numbers) equal.add(event);
    for (const Memory& event : memory) strided.add(event);
    ASSERT_EQ(expand(equal), numbers);
    ASSERT_EQ(expand(strided), memory);
    ASSERT_EQ(strided.events(), memory.size());
  }
}

TEST(Section, AnEmptyListHasNoEvents) {
  SectionList<int> list;
  EXPECT_EQ(list.begin(), list.end());
  EXPECT_EQ(list.events(), 0u);
}

}  // namespace
}  // namespace vestige
