// The bidirectional last-n against a plain twin: a list moved about, entries swapped as the cursor
// passes.
#include <gtest/gtest.h>

#include "codec/stream/bidirectional/last_walk.h"
#include "shapes.h"

namespace vestige {
namespace {

struct LastEntry {
  size_t place = 0;  // of a hit
  uint64_t value =
      0;  // of a miss: right of the cursor the one to come, left of it the one displaced
  bool hit = true;
};

class PlainLast {
 public:
  PlainLast(const Stream& numbers, unsigned places) {
    for (unsigned k = 0; k < places; ++k) table.push_back(k);
    const Stream start = table;
    for (const uint64_t number : numbers) {
      LastEntry entry;
      while (entry.place < places && table[entry.place] != number) ++entry.place;
      entry.hit = entry.place < places;
      entry.value = number;
      entries.push_back(entry);
      bring(number, entry.hit ? entry.place : places - 1);
    }
    table = start;
  }
  uint64_t forward() {
    LastEntry& entry = entries[at++];
    const size_t place = entry.hit ? entry.place : table.size() - 1;
    const uint64_t number = entry.hit ? table[place] : entry.value;
    entry.value = table[place];
    bring(number, place);
    return number;
  }
  uint64_t backward() {
    LastEntry& entry = entries[--at];
    const uint64_t number = table.front();
    table.erase(table.begin());
    const size_t place = entry.hit ? entry.place : table.size();
    table.insert(table.begin() + static_cast<ptrdiff_t>(place), entry.hit ? number : entry.value);
    entry.value = number;
    return number;
  }
  Stream displaced() const {
    Stream out;
    for (size_t i = 0; i < at; ++i)
      if (!entries[i].hit) out.push_back(entries[i].value);
    return out;
  }
  Stream table;
  std::vector<LastEntry> entries;
  size_t at = 0;

 private:
  void bring(uint64_t number, size_t from) {
    table.erase(table.begin() + static_cast<ptrdiff_t>(from));
    table.insert(table.begin(), number);
  }
};

void expect_same(const PlainLast& plain, const LastWalk& walk) {
  ASSERT_EQ(walk.position(), plain.at);
  for (unsigned k = 0; k < plain.table.size(); ++k) ASSERT_EQ(walk.table(k), plain.table[k]);
  const Stream displaced(walk.displaced().begin(), walk.displaced().end());
  ASSERT_EQ(displaced, plain.displaced());
}

TEST(LastTwin, SameTableAndEntriesAtEveryStep) {
  Random random(3);
  for (int round = 0; round < 12; ++round)
    for (const Shape& shape : shapes())
      for (const unsigned places : {2u, 4u, 8u}) {
        SCOPED_TRACE(shape.name);
        const Stream numbers = shape.make(random, 1 + random() % 150);
        LastWalk walk(places);
        ASSERT_TRUE(walk.load(encode_last(numbers, places), numbers.size()));
        PlainLast plain(numbers, places);
        uint64_t value = 0;
        const auto step = [&](bool forward) {
          if (forward) {
            ASSERT_EQ(walk.forward({&value, 1}), 1u);
            ASSERT_EQ(value, numbers[plain.at]);
            ASSERT_EQ(plain.forward(), value);
          } else {
            ASSERT_EQ(walk.backward({&value, 1}), 1u);
            ASSERT_EQ(plain.backward(), value);
            ASSERT_EQ(value, numbers[plain.at]);
          }
          expect_same(plain, walk);
        };
        while (plain.at < numbers.size()) ASSERT_NO_FATAL_FAILURE(step(true));
        while (plain.at > 0) ASSERT_NO_FATAL_FAILURE(step(false));
        for (int i = 0; i < 100; ++i) {
          const bool forward = random() % 5 < 3;
          if (forward ? plain.at < numbers.size() : plain.at > 0)
            ASSERT_NO_FATAL_FAILURE(step(forward));
        }
      }
}

// Going eight at a time must leave what going one at a time leaves.
TEST(LastTwin, StridesOfAnyLength) {
  Random random(4);
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const Stream numbers = shape.make(random, 1000);
    LastWalk by_one(4), by_many(4);
    const Bytes bytes = encode_last(numbers, 4);
    ASSERT_TRUE(by_one.load(bytes, numbers.size()));
    ASSERT_TRUE(by_many.load(bytes, numbers.size()));
    Stream buffer(numbers.size());
    for (int i = 0; i < 60; ++i) {
      const auto part = std::span(buffer).first(random() % 100);
      const size_t begin = by_many.position();
      uint64_t value = 0;
      if (random() % 2) {
        const size_t n = by_many.forward(part);
        for (size_t k = 0; k < n; ++k) {
          by_one.forward({&value, 1});
          ASSERT_EQ(part[k], numbers[begin + k]);
        }
      } else {
        const size_t n = by_many.backward(part);
        for (size_t k = 0; k < n; ++k) {
          by_one.backward({&value, 1});
          ASSERT_EQ(part[k], numbers[begin - 1 - k]);
        }
      }
      ASSERT_EQ(by_one.position(), by_many.position());
      for (unsigned k = 0; k < 4; ++k) ASSERT_EQ(by_one.table(k), by_many.table(k));
    }
  }
}

}  // namespace
}  // namespace vestige
