// Numbers as functions of thread and rank: whatever the values are, what is fitted gives them back,
// and it takes no table where none is needed.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "spmd/affine_over_threads.h"
#include "spmd/table_bytes.h"

namespace vestige::spmd {
namespace {

Placement place(uint32_t ranks, uint32_t threads) {
  Placement placement;
  for (uint32_t r = 0; r < ranks; ++r)
    for (uint32_t t = 0; t < threads; ++t) placement.add(r, t);
  placement.finish();
  return placement;
}

// The naive twin of the decoder: the label's value looked up in its list.
uint64_t value_of(const Placement& placement, const Label& label, uint32_t thread) {
  for (size_t i = 0; i < label.keys.size(); ++i)
    if (label.keys[i] == placement.key(label.domain, thread)) return label.values[i];
  ADD_FAILURE() << "the label has no value for thread " << thread;
  return 0;
}

void expect_gives(const Placement& placement, const Labels& labels, const AffineOverThreads& across,
                  const ThreadSet& threads, const std::vector<uint64_t>& values) {
  for (size_t i = 0; i < threads.size(); ++i) {
    uint64_t value = across.a;
    for (const Term& term : across.terms)
      if (term.label)
        value += term.b * value_of(placement, labels.all()[term.label - 1], threads[i]);
    EXPECT_EQ(value, values[i]) << "thread " << threads[i];
  }
}

using Rule = std::function<uint64_t(uint32_t rank, uint32_t number)>;

// How many tables there are after these rules, and that all are given back.
size_t tables_after(uint32_t ranks, uint32_t numbers, const std::vector<Rule>& rules) {
  const Placement placement = place(ranks, numbers);
  Labels labels(placement);
  ThreadSet threads;
  for (uint32_t t = 0; t < ranks * numbers; ++t) threads.push_back(t);
  for (const Rule& rule : rules) {
    std::vector<uint64_t> values;
    for (const uint32_t t : threads) values.push_back(rule(t / numbers, t % numbers));
    expect_gives(placement, labels, labels.fit(threads, values), threads, values);
  }
  return labels.all().size() - kFirstTable;
}

TEST(AffineOverThreads, FunctionsOfRankAndThreadNeedNoTable) {
  for (const uint32_t ranks : {1, 2, 3, 7, 16})
    for (const uint32_t numbers : {1, 2, 3, 5, 8})
      EXPECT_EQ(
          tables_after(ranks, numbers,
                       {[](uint32_t, uint32_t) { return 5; },
                        [](uint32_t r, uint32_t) { return 7 - 3 * uint64_t{r}; },
                        [](uint32_t, uint32_t t) { return uint64_t{1} << 40 | 1000 * t; },
                        [](uint32_t r, uint32_t t) { return 10 - uint64_t{4096} * r + 8 * t; },
                        [&](uint32_t r, uint32_t t) { return 64 * (r * numbers + t); }}),
          0u)
          << ranks << " × " << numbers;
}

TEST(AffineOverThreads, BasesOfRanksTakeOneTable) {
  const auto base = [](uint32_t r) { return 0x7f0000000000 + uint64_t{r} * r * 4096; };
  EXPECT_EQ(tables_after(8, 4,
                         {[&](uint32_t r, uint32_t t) { return base(r) + 1024 * t; },
                          [&](uint32_t r, uint32_t t) { return base(r) - 8 * t; },
                          [&](uint32_t r, uint32_t) { return base(r) + 16; },
                          [&](uint32_t r, uint32_t) { return 3 - 2 * base(r); }}),
            1u);
}

TEST(AffineOverThreads, BasesOfStacksTakeOneTable) {
  const auto base = [](uint32_t t) { return 0x7ffff0000000 - uint64_t{t} * t * 8192; };
  EXPECT_EQ(tables_after(8, 4,
                         {[&](uint32_t, uint32_t t) { return base(t); },
                          [&](uint32_t r, uint32_t t) { return base(t) + 48 * r; },
                          [&](uint32_t, uint32_t t) { return base(t) + 16; }}),
            1u);
}

TEST(AffineOverThreads, FitsAndMakesLabels) {
  const Placement placement = place(1, 6);
  Labels labels(placement);
  const ThreadSet all = {0, 1, 2, 3, 4, 5};
  const AffineOverThreads number = labels.fit(all, std::vector<uint64_t>{9, 12, 15, 18, 21, 24});
  EXPECT_EQ(number.terms[0].label, 1 + kNumberLabel);
  EXPECT_EQ(number.terms[0].b, 3u);
  const AffineOverThreads first = labels.fit(all, std::vector<uint64_t>{100, 60, 80, 0, 20, 40});
  EXPECT_EQ(first.terms[0].label, 1 + kFirstTable);
  // The same order of things, another scale, and a part of the threads.
  const AffineOverThreads scaled = labels.fit({1, 3, 4}, std::vector<uint64_t>{13, 10, 11});
  EXPECT_EQ(scaled.terms[0].label, 1 + kFirstTable);
  EXPECT_EQ(labels.all().size(), kFirstTable + 1);
  EXPECT_EQ(labels.fit({2, 3}, std::vector<uint64_t>{7, 7}).terms[0].label, 0u);
}

TEST(AffineOverThreads, RestsOfOtherTables) {
  const Placement placement = place(1, 5);
  Labels labels(placement);
  const ThreadSet all = {0, 1, 2, 3, 4};
  const std::vector<uint64_t> bases = {0x7fff0000, 0x6fff0000, 0x5fef0000, 0x50000000, 0x40000000};
  labels.fit(all, bases);
  std::vector<uint64_t> near;
  for (size_t i = 0; i < all.size(); ++i) near.push_back(bases[i] + 64 * (i % 3 == 1));
  const AffineOverThreads across = labels.fit(all, near);
  expect_gives(placement, labels, across, all, near);
  EXPECT_EQ(across.terms[0].label, 1 + kFirstTable);
  EXPECT_EQ(labels.all().back().values, (std::vector<uint64_t>{0, 1, 0, 0, 1}));
  // Every second thread: that needs no table.
  const size_t tables = labels.all().size();
  for (size_t i = 0; i < all.size(); ++i) near[i] = bases[i] + 64 * (i % 2);
  const AffineOverThreads odd = labels.fit(all, near);
  expect_gives(placement, labels, odd, all, near);
  EXPECT_EQ(odd.terms[1].label, 1 + kOddLabel);
  EXPECT_EQ(labels.all().size(), tables);
}

TEST(AffineOverThreads, TablesAsBytes) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> values{0};
    const uint64_t steps[3] = {random(), random() % 100, -random() % 9000};
    // Any order of a few steps, or two that alternate with pages between them now and then.
    for (size_t i = 0; values.size() < static_cast<size_t>(round); ++i) {
      const uint64_t any = random() % 9 == 0 ? random() >> random() % 64 : steps[random() % 3];
      const uint64_t jump = random() % 9 == 0 ? (random() % 2000 - 1000) * 4096 : 0;
      values.push_back(values.back() + (round % 2 ? any : steps[1 + i % 2] + jump));
    }
    ByteWriter out;
    put_table(values, out);
    const Bytes bytes = out.take();
    ByteReader in(bytes);
    std::vector<uint64_t> back;
    ASSERT_TRUE(get_table(in, values.size(), back));
    EXPECT_EQ(back, values);
    EXPECT_EQ(in.remaining(), 0u);
    ByteReader cut(ByteView(bytes).first(bytes.size() - 1));
    back.clear();
    EXPECT_FALSE(get_table(cut, values.size(), back));
  }
}

// Bases of libomp's stacks: two distances, and arenas between.
TEST(AffineOverThreads, JumpsDoNotDisturbWhatAlternates) {
  std::vector<uint64_t> values{0};
  for (uint64_t i = 1; i < 64; ++i)
    values.push_back(values.back() - 65599 - i % 2 - (i % 20 == 7 ? 32 * 17122 : 0));
  ByteWriter out;
  put_table(values, out);
  // The first, two distances, then a run before each of the three jumps and behind the last, two
  // bytes and four each.
  EXPECT_LE(out.size(), 2u + 2 * 5 + 4 * 2 + 3 * 4);
}

TEST(AffineOverThreads, AnyNumbersOfAnySet) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    Placement placement;
    uint32_t rank = 0;
    const auto ranks = static_cast<uint32_t>(1 + random() % 5);
    for (uint32_t r = 0; r < ranks; ++r) {
      rank += static_cast<uint32_t>(1 + random() % 3);
      for (uint32_t t = 0, n = static_cast<uint32_t>(1 + random() % 4); t < n; ++t)
        placement.add(rank, 2 * t);
    }
    placement.finish();
    Labels labels(placement);
    for (int column = 0; column < 10; ++column) {
      ThreadSet threads;
      for (uint32_t t = 0; t < placement.threads(); ++t)
        if (random() % 3 != 0) threads.push_back(t);
      if (threads.empty()) continue;
      std::vector<uint64_t> values;
      const uint64_t a = random(), b = random() % 9, c = random() % 9;
      const uint64_t noise = random() % 4;  // 0: none
      for (const uint32_t t : threads)
        values.push_back(a + b * placement.key(Domain::rank, t) +
                         c * placement.key(Domain::number, t) +
                         (noise == 0   ? 0
                          : noise == 1 ? random() % 2 << 63
                          : noise == 2 ? random() % 3
                                       : random()));
      expect_gives(placement, labels, labels.fit(threads, values), threads, values);
    }
  }
}

}  // namespace
}  // namespace vestige::spmd
