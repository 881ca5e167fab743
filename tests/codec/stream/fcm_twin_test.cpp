// The bidirectional FCM against its plain twin, and against itself walked the other way.
#include <gtest/gtest.h>

#include "base/checksum.h"
#include "paper_fcm.h"
#include "shapes.h"

namespace vestige {
namespace {

template <unsigned N>
uint64_t right_entry(const PaperFcm& paper, const FcmWalk<N>& walk) {
  // Every entry: T or F, and what each F displaced.
  size_t misses = 0;
  for (size_t i = 0; i < paper.fr.size(); ++i) {
    if (walk.right_missed(i) == paper.fr[i].hit) return i + 1;
    if (!paper.fr[i].hit && walk.right_displaced()[misses++] != paper.fr[i].displaced) return i + 1;
  }
  return misses == walk.right_displaced().size() ? 0 : paper.fr.size() + 1;
}

// Everything the paper's state has, the walk has: windows, entries, tables. Where the walk's slot
// is vacant, the paper's holds the number that the slot's next use will be given.
template <unsigned N>
void expect_same(const PaperFcm& paper, const FcmWalk<N>& walk, const Stream& numbers) {
  const size_t position = walk.position();
  ASSERT_EQ(paper.fr.size(), position);
  ASSERT_EQ(walk.window().newest(), paper.u.back());
  ASSERT_EQ(walk.window().oldest(), paper.u.front());
  ASSERT_EQ(right_entry<N>(paper, walk), 0u);
  for (size_t i = 0; i < paper.bl.size(); ++i)
    ASSERT_EQ(walk.vacates(position + i), !paper.bl[i].hit) << "entry " << position + i;
  for (size_t slot = 0; slot < walk.right_table().size(); ++slot) {
    const auto found = paper.right.find(slot);
    ASSERT_EQ(walk.right_table()[slot], found == paper.right.end() ? 0 : found->second);
  }
  // The next use of each slot, from the numbers themselves.
  std::map<size_t, uint64_t> next;
  std::deque<uint64_t> window = paper.u;
  for (size_t i = position; i < numbers.size(); ++i) {
    next.try_emplace(paper.left_slot(window), numbers[i]);
    window.pop_front();
    window.push_back(numbers[i]);
  }
  for (size_t slot = 0; slot < walk.left_table().size(); ++slot) {
    const uint64_t held = walk.left_table()[slot];
    const auto found = paper.left.find(slot);
    if (found == paper.left.end()) {
      ASSERT_EQ(held, walk.vacant());  // never used
    } else if (held == walk.vacant()) {
      ASSERT_TRUE(next.contains(slot));
      ASSERT_EQ(found->second, next[slot]);
    } else {
      ASSERT_EQ(held, found->second);
    }
  }
}

template <unsigned N>
uint64_t state_hash(const FcmWalk<N>& walk) {
  ByteWriter out;
  out.u64(walk.position());
  out.u64(walk.window().hash());
  out.u64(walk.fetched());
  for (const uint64_t number : walk.left_table()) out.u64(number);
  for (const uint64_t number : walk.right_table()) out.u64(number);
  for (const uint64_t number : walk.right_displaced()) out.u64(number);
  for (size_t i = 0; i < walk.position(); ++i)
    out.u8(static_cast<uint8_t>(walk.right_missed(i) | walk.fetches(i) << 1));
  return checksum(out.buffer());
}

template <unsigned N>
void compare_step_by_step(Random& random, const Stream& numbers) {
  const Bytes bytes = encode_fcm(numbers, N);
  FcmWalk<N> walk;
  ASSERT_TRUE(walk.load(bytes, numbers.size()));
  PaperFcm paper(numbers, N, walk.left_table().size(), walk.right_table().size());
  expect_same<N>(paper, walk, numbers);
  uint64_t value = 0;
  const auto step = [&](bool forward) {
    if (forward) {
      ASSERT_EQ(walk.forward({&value, 1}), 1u);
      ASSERT_EQ(value, numbers[walk.position() - 1]);
      paper.forward();
    } else {
      ASSERT_EQ(walk.backward({&value, 1}), 1u);
      ASSERT_EQ(value, numbers[walk.position()]);
      paper.backward();
    }
    expect_same<N>(paper, walk, numbers);
  };
  while (walk.position() < numbers.size()) ASSERT_NO_FATAL_FAILURE(step(true));
  ASSERT_EQ(walk.forward({&value, 1}), 0u);
  while (walk.position() > 0) ASSERT_NO_FATAL_FAILURE(step(false));
  ASSERT_EQ(walk.backward({&value, 1}), 0u);
  for (int i = 0; i < 60; ++i) {
    const bool forward = random() % 5 < 3;
    if (forward ? walk.position() < numbers.size() : walk.position() > 0)
      ASSERT_NO_FATAL_FAILURE(step(forward));
  }
}

TEST(FcmTwin, SameStateAsThePaperAtEveryStep) {
  Random random(1);
  for (int round = 0; round < 8; ++round)
    for (const Shape& shape : shapes()) {
      SCOPED_TRACE(shape.name);
      const Stream numbers = shape.make(random, 1 + random() % 90);
      ASSERT_NO_FATAL_FAILURE(compare_step_by_step<1>(random, numbers));
      ASSERT_NO_FATAL_FAILURE(compare_step_by_step<2>(random, numbers));
      ASSERT_NO_FATAL_FAILURE(compare_step_by_step<3>(random, numbers));
    }
}

template <unsigned N>
void compare_directions(Random& random, const Stream& numbers) {
  FcmWalk<N> walk;
  ASSERT_TRUE(walk.load(encode_fcm(numbers, N), numbers.size()));
  std::vector<uint64_t> hashes = {state_hash<N>(walk)};
  uint64_t value = 0;
  while (walk.forward({&value, 1}) == 1) hashes.push_back(state_hash<N>(walk));
  ASSERT_EQ(hashes.size(), numbers.size() + 1);
  while (walk.backward({&value, 1}) == 1)
    ASSERT_EQ(state_hash<N>(walk), hashes[walk.position()]) << "position " << walk.position();
  // In strides of any length, either way.
  std::vector<uint64_t> buffer(numbers.size());
  for (int i = 0; i < 40; ++i) {
    const auto part = std::span(buffer).first(random() % (numbers.size() + 1));
    random() % 2 ? walk.forward(part) : walk.backward(part);
    ASSERT_EQ(state_hash<N>(walk), hashes[walk.position()]);
  }
}

TEST(FcmTwin, TheStateDoesNotDependOnTheWay) {
  Random random(2);
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const Stream numbers = shape.make(random, 300);
    ASSERT_NO_FATAL_FAILURE(compare_directions<1>(random, numbers));
    ASSERT_NO_FATAL_FAILURE(compare_directions<2>(random, numbers));
    ASSERT_NO_FATAL_FAILURE(compare_directions<3>(random, numbers));
  }
}

TEST(FcmTwin, ATinySegmentIsTiny) {
  EXPECT_LE(encode_fcm(Stream{100, 200, 300}, 2).size(), 9u);
  EXPECT_LE(encode_fcm(Stream(60'000, 7), 3).size(), 16u);
}

}  // namespace
}  // namespace vestige
