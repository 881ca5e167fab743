// Rounds at the end of lists: against a search that tries every length, and through a form's bytes.
#include "spmd/literal_rounds.h"

#include <gtest/gtest.h>

#include <random>

#include "spmd/form_bytes.h"

namespace vestige::spmd {
namespace {

LiteralRounds found(const std::vector<uint64_t>& numbers) {
  RoundSearch search;
  for (const uint64_t number : numbers) search.add(number);
  return search.found();
}

// Of all lengths, the one that repeats most; the shortest of them.
LiteralRounds tried(const std::vector<uint64_t>& numbers) {
  LiteralRounds best;
  for (uint64_t length = 1; length < numbers.size(); ++length) {
    uint64_t repeated = 0;
    while (repeated + length < numbers.size() &&
           numbers[numbers.size() - 1 - repeated] ==
               numbers[numbers.size() - 1 - repeated - length])
      ++repeated;
    if (repeated >= std::max(length, RoundSearch::kWindow) && repeated > best.repeated)
      best = {length, repeated};
  }
  return best;
}

struct Rounds {
  uint64_t before, length, times, rest, alphabet;
};

std::vector<uint64_t> make(const Rounds& how, std::mt19937_64& random) {
  std::vector<uint64_t> numbers, round;
  for (uint64_t i = 0; i < how.before; ++i) numbers.push_back(random() % how.alphabet);
  for (uint64_t i = 0; i < how.length; ++i) round.push_back(random() % how.alphabet);
  for (uint64_t i = 0; i < how.length * how.times + how.rest; ++i)
    numbers.push_back(round[i % how.length]);
  return numbers;
}

TEST(LiteralRounds, AreThoseOfASearchThatTriesAll) {
  std::mt19937_64 random(5);
  int with = 0;
  for (int i = 0; i < 300; ++i) {
    const uint64_t length = 1 + random() % 900;
    const Rounds how{random() % 700, length, random() % 9, random() % length,
                     std::array<uint64_t, 3>{2, 16, 1 << 30}[i % 3]};
    const std::vector<uint64_t> numbers = make(how, random);
    const LiteralRounds all = tried(numbers), ours = found(numbers);
    // What is found is right; it is found when it is there three times and a window.
    if (ours.length != 0) {
      EXPECT_GE(ours.repeated, ours.length);
      EXPECT_LE(ours.repeated, all.repeated);
      for (uint64_t n = numbers.size() - ours.repeated; n < numbers.size(); ++n)
        ASSERT_EQ(numbers[n], numbers[n - ours.length]);
    }
    const uint64_t least = 3 * (std::max(how.before, how.length) + RoundSearch::kWindow);
    if (numbers.size() >= how.before + least + how.length) {
      EXPECT_EQ(ours, all) << how.before << ' ' << how.length << ' ' << numbers.size();
      ++with;
    }
  }
  EXPECT_GT(with, 60);
}

TEST(LiteralRounds, AreNoneWhereTheLastNumberDiffers) {
  std::mt19937_64 random(6);
  std::vector<uint64_t> numbers = make({100, 300, 20, 0, 1 << 20}, random);
  EXPECT_NE(found(numbers).length, 0u);
  numbers.back() += 1;
  EXPECT_EQ(found(numbers).length, 0u);
}

// Long stretches of one number within a round hide the round behind shorter ones: these end where
// the stretch does.
TEST(LiteralRounds, AreFoundBehindStretches) {
  std::mt19937_64 random(8);
  std::vector<uint64_t> round(700, 8), numbers;
  for (size_t i = 0; i < 400; ++i) round[i] = random();
  for (int time = 0; time < 12; ++time) numbers.insert(numbers.end(), round.begin(), round.end());
  EXPECT_EQ(found(numbers), (LiteralRounds{700, 7700}));
}

// Sweeps over the same index array: the file does not grow with them.
TEST(LiteralRounds, CostNothingInAFile) {
  std::mt19937_64 random(9);
  std::vector<uint64_t> sweep(3000);
  for (uint64_t& address : sweep) address = 8 * (random() % 100000);
  std::vector<size_t> sizes;
  for (const uint64_t sweeps : {1, 4, 40}) {
    std::vector<uint64_t> addresses;
    for (uint64_t i = 0; i < sweeps; ++i)
      addresses.insert(addresses.end(), sweep.begin(), sweep.end());
    Form form;
    form.threads.resize(1);
    for (uint64_t statement = 1; statement < 4; ++statement) {
      std::vector<uint64_t> moved = addresses;
      if (statement == 3) moved.resize(moved.size() - 7);
      for (uint64_t& address : moved) address += 1000000 * statement;
      Stream& stream =
          form.threads[0].streams[StreamId{Contexts::kRoot, StreamKind::address, statement, 0}];
      stream.literals.push_back(pack_literals(moved, moved[0]));
      stream.literal_base = moved[0];
    }
    const Bytes bytes = encode_form(form);
    const auto back = decode_form(bytes);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(encode_form(*back), bytes);
    for (const auto& [id, stream] : form.threads[0].streams)
      EXPECT_EQ(back->threads[0].streams.at(id).literals, stream.literals);
    sizes.push_back(bytes.size());
  }
  EXPECT_GT(sizes[0], 5000u);
  EXPECT_LT(sizes[2], sizes[0] + 400);
  EXPECT_LE(sizes[2], sizes[1] + 20);
}

}  // namespace
}  // namespace vestige::spmd
