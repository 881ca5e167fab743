#include "spmd/stream.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace vestige::spmd {
namespace {

// A thread that goes through nests of loops and says one number at each place. The plain twin of a
// folded stream is the list of those numbers.
class Nest {
 public:
  // Trips of the loops, given the indices of those around; values, given all.
  using Trips = std::function<uint64_t(size_t level, const std::vector<uint64_t>&)>;
  using Value = std::function<uint64_t(const std::vector<uint64_t>&)>;

  template <class Visit>
  static void walk(Position& position, size_t levels, const Trips& trips, Visit visit) {
    std::vector<uint64_t> at;
    go(position, levels, trips, visit, at);
  }

 private:
  template <class Visit>
  static void go(Position& position, size_t levels, const Trips& trips, Visit& visit,
                 std::vector<uint64_t>& at) {
    if (at.size() == levels) {
      visit(position.node(), at);
      return;
    }
    const uint64_t count = trips(at.size(), at);
    if (count == 0) return;
    position.enter_loop({ContextKey::Kind::loop, static_cast<uint32_t>(at.size()), 1});
    at.push_back(0);
    for (uint64_t i = 0; i < count; ++i) {
      at.back() = i;
      go(position, levels, trips, visit, at);
      if (i + 1 < count) position.iterate();
    }
    at.pop_back();
    position.leave();
  }
};

// Folds, reads back, compares; gives what it folded to.
Stream check(size_t levels, const Nest::Trips& trips, const Nest::Value& value) {
  Contexts contexts;
  StreamFolder folder;
  {
    Position position(contexts);
    position.enter({ContextKey::Kind::activation, 0, 1}, 0);
    Nest::walk(position, levels, trips, [&](uint32_t node, const std::vector<uint64_t>& at) {
      folder.append(value(at), position, node);
    });
  }
  Stream stream = folder.finish();
  StreamReader reader(stream);
  Position position(contexts);
  position.enter({ContextKey::Kind::activation, 0, 1}, 0);
  bool same = true;
  Nest::walk(position, levels, trips, [&](uint32_t node, const std::vector<uint64_t>& at) {
    const uint64_t ahead = reader.ahead(position, node);
    const uint64_t promised = ahead ? reader.value(at.back()) : 0;
    const uint64_t got = reader.next(position, node);
    same &= got == value(at) && (!ahead || promised == got);
  });
  EXPECT_TRUE(same);
  EXPECT_FALSE(reader.failed());
  EXPECT_TRUE(reader.at_end());
  return stream;
}

TEST(Stream, RectangularNestsAreOneStretch) {
  const Stream stream = check(
      3, [](size_t level, const auto&) { return std::vector<uint64_t>{5, 7, 9}[level]; },
      [](const auto& at) { return 4096 + 800 * at[0] - 16 * at[1] + 8 * at[2]; });
  EXPECT_EQ(stream.sections.size(), 1u);
  EXPECT_TRUE(stream.sections[0].is_event());
  EXPECT_TRUE(stream.literals.empty());
}

TEST(Stream, TriangularNestsAreOneStretch) {
  for (const bool growing : {false, true}) {
    const Stream stream = check(
        3,
        [&](size_t level, const auto& at) -> uint64_t {
          if (level == 0) return 12;
          return growing ? at[level - 1] : 11 - at[0];
        },
        [](const auto& at) { return 100 * at[0] + 3 * at[1] + at[2]; });
    EXPECT_EQ(stream.sections.size(), 1u) << growing;
    EXPECT_TRUE(stream.literals.empty());
  }
}

TEST(Stream, WhatRepeatsWithOtherBasesFolds) {
  // Rows of pointers: the base of each second row is elsewhere, at a steady pace.
  const Stream stream = check(
      2, [](size_t level, const auto&) { return level ? 6 : 400; },
      [](const auto& at) { return (at[0] % 2 ? 1 << 20 : 0) + 4096 * (at[0] / 2) + 8 * at[1]; });
  EXPECT_LE(stream.sections.size(), 3u);
  EXPECT_TRUE(stream.literals.empty());
}

TEST(Stream, IrregularNumbersAreKeptAsTheyAre) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> numbers(300'000);
  for (uint64_t& number : numbers) number = random();
  const Stream stream = check(
      2, [](size_t level, const auto&) { return level ? 3 : 100'000; },
      [&](const auto& at) { return numbers[at[0] * 3 + at[1]]; });
  EXPECT_FALSE(stream.literals.empty());
}

TEST(Stream, RandomNestsComeBack) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    const size_t levels = 1 + random() % 4;
    std::vector<int64_t> base(levels), slope(levels), factor(levels);
    for (size_t l = 0; l < levels; ++l) {
      base[l] = int64_t(random() % 6);
      slope[l] = int64_t(random() % 3) - 1;
      factor[l] = int64_t(random() % 64) - 32;
    }
    const uint64_t noise = random() % 3 ? 0 : 1 + random() % 20;
    const auto noisy = [noise](uint64_t hash) { return noise && hash % noise == 0; };
    check(
        levels,
        [&](size_t level, const auto& at) -> uint64_t {
          int64_t trips = base[level];
          if (level) trips += slope[level] * int64_t(at[level - 1]);
          return trips < 0 ? 0 : uint64_t(trips);
        },
        [&](const auto& at) {
          uint64_t value = 5000, hash = 1;
          for (size_t l = 0; l < levels; ++l) {
            value += uint64_t(factor[l]) * at[l];
            hash = (hash + at[l]) * 0x9e3779b97f4a7c15;
          }
          return noisy(hash >> 40) ? hash >> 50 : value;
        });
  }
}

// Numbers of many iterations at once, where they continue what there is, against one by one.
TEST(Stream, ExtendsAsIfOneByOne) {
  std::mt19937 random(3);
  int extended = 0;
  for (int round = 0; round < 300; ++round) {
    Contexts contexts;
    StreamFolder plain, quick;
    Position position(contexts);
    position.enter({ContextKey::Kind::activation, 0, 1}, 0);
    for (uint64_t outer = 0, value = random() % 100; outer < 20; ++outer) {
      position.enter_loop({ContextKey::Kind::loop, 0, 1});
      const uint32_t node = position.node();
      for (int part = 0; part < 3; ++part) {
        const uint64_t step = random() % 3 * 8 - 8, count = 1 + random() % 5;
        if (random() % 4 == 0) value = random() % 1000;
        const bool at_once = quick.extend(value, step, count, position, node);
        extended += at_once;
        for (uint64_t i = 0; i < count; ++i, value += step, position.iterate()) {
          plain.append(value, position, node);
          if (!at_once) quick.append(value, position, node);
        }
      }
      position.leave();
    }
    const Stream a = plain.finish(), b = quick.finish();
    ASSERT_EQ(a.sections.size(), b.sections.size());
    for (size_t i = 0; i < a.sections.size(); ++i) {
      ASSERT_EQ(a.sections[i].count, b.sections[i].count);
      ASSERT_EQ(a.sections[i].event, b.sections[i].event);
    }
    ASSERT_EQ(a.literals, b.literals);
  }
  EXPECT_GT(extended, 100);
}

}  // namespace
}  // namespace vestige::spmd
