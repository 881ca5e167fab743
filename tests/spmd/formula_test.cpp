// Formulas: what they are made from comes back, and what is none is refused.
#include "spmd/formula.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace vestige::spmd {
namespace {

using Truth = std::function<int64_t(const Point&)>;

const std::vector<std::pair<int64_t, int64_t>> kRuns = {{2, 14}, {3, 20}, {4, 20},
                                                        {4, 30}, {5, 33}, {2, 48}};

std::vector<Point> points_of(const std::vector<std::pair<int64_t, int64_t>>& runs) {
  std::vector<Point> out;
  for (const auto& [threads, size] : runs)
    for (int64_t t = 0; t < threads; ++t) out.push_back({0, t, 1, threads, size});
  return out;
}

// The formula found from the runs, at every thread of a larger one; nothing when none is found.
std::optional<std::vector<int64_t>> predict(const Truth& truth, bool* checked = nullptr) {
  const std::vector<Point> seen = points_of(kRuns), wanted = points_of({{7, 100}});
  std::vector<Point> all = seen;
  all.insert(all.end(), wanted.begin(), wanted.end());
  const Terms terms(all);
  std::vector<std::vector<Wide>> rows;
  for (const Point& point : seen) rows.push_back(terms.values(point));
  std::vector<Sample> samples;
  std::vector<uint64_t> numbers;
  size_t configuration = 0;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (i > 0 && seen[i].thread == 0) ++configuration;
    samples.push_back({&rows[i], configuration});
    numbers.push_back(static_cast<uint64_t>(truth(seen[i])));
  }
  const auto formula = find_formula(terms, samples, numbers);
  if (!formula) return std::nullopt;
  if (checked) *checked = formula->checked;
  std::vector<int64_t> out;
  for (const Point& point : wanted) {
    const auto number = formula->at(terms.values(point));
    if (!number) return std::nullopt;
    out.push_back(static_cast<int64_t>(*number));
  }
  return out;
}

// OpenMP's static schedule, by giving out one after the other.
int64_t begin_of(const Point& p) {
  int64_t begin = 0;
  for (int64_t t = 0; t < p.thread; ++t) begin += p.size / p.threads + (t < p.size % p.threads);
  return begin;
}

TEST(Formulas, ComeBack) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 8; ++round) {
    const int64_t a = static_cast<int64_t>(random() % (1ul << 40)),
                  b = static_cast<int64_t>(random() % 200) - 100,
                  c = static_cast<int64_t>(random() % 64) + 1;
    const std::vector<Truth> truths = {
        [&](const Point&) { return a; },
        [&](const Point& p) { return a + b * p.size; },
        [&](const Point& p) { return a + b * p.size + c * p.size * p.size; },
        [&](const Point& p) { return a + c * p.thread; },
        [&](const Point& p) { return a + c * begin_of(p); },
        [&](const Point& p) { return a + 8 * p.size * begin_of(p) + b * p.size; },
        [&](const Point& p) { return p.size * (p.size - 1) / 2 + b; },
        [&](const Point& p) {
          return (p.thread + 1) * p.size / p.threads - p.thread * p.size / p.threads;
        },
        [&](const Point& p) { return a + c * p.threads; },
    };
    for (size_t i = 0; i < truths.size(); ++i) {
      bool checked = false;
      const auto got = predict(truths[i], &checked);
      ASSERT_TRUE(got) << i;
      EXPECT_TRUE(checked) << i;
      const std::vector<Point> wanted = points_of({{7, 100}});
      for (size_t k = 0; k < wanted.size(); ++k)
        EXPECT_EQ((*got)[k], truths[i](wanted[k])) << i << ", thread " << k;
    }
  }
}

TEST(Formulas, NoneIsRefused) {
  std::mt19937_64 random(5);
  EXPECT_FALSE(predict([&](const Point&) { return static_cast<int64_t>(random() % 1000); }));
  EXPECT_FALSE(predict([](const Point& p) { return p.size * p.size % 7 + p.thread * p.thread; }));
  // Half of an odd size is no whole number: 33 was seen.
  EXPECT_FALSE(predict([](const Point& p) { return p.size / 2; }));
}

TEST(Formulas, FewConfigurationsCheckNothing) {
  const std::vector<Point> points = {{0, 0, 1, 1, 10}, {0, 0, 1, 1, 20}, {0, 0, 1, 1, 50}};
  const Terms terms(points);
  std::vector<std::vector<Wide>> rows;
  for (const Point& point : points) rows.push_back(terms.values(point));
  const std::vector<Sample> samples = {{&rows[0], 0}, {&rows[1], 1}};
  const auto formula = find_formula(terms, samples, std::vector<uint64_t>{100, 180});
  ASSERT_TRUE(formula);
  EXPECT_FALSE(formula->checked);
  EXPECT_EQ(formula->at(rows[2]), 420u);
}

}  // namespace
}  // namespace vestige::spmd
