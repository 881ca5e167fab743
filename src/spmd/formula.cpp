#include "spmd/formula.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace vestige::spmd {

namespace {

constexpr int kWays = 3;
constexpr Wide kMostDivisor = 64;

// Where the part of one of `many` begins when `all` is divided.
int64_t share_begin(int64_t all, int64_t many, int64_t one, int way) {
  if (all <= 0 || many <= 0 || one <= 0) return 0;
  if (one >= many) return all;
  switch (way) {
    case 0:  // as OpenMP's static schedule does: the first ones get one more
      return one * (all / many) + std::min(one, all % many);
    case 1:  // all × one / many
      return static_cast<int64_t>(static_cast<Wide>(all) * one / many);
    default: {  // parts of the same length, rounded up; the last one gets less
      const int64_t part = (all + many - 1) / many;
      return static_cast<int64_t>(std::min<Wide>(static_cast<Wide>(part) * one, all));
    }
  }
}

Wide gcd_of(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// An equation: the coefficients of some terms, and what they make.
using Equation = std::vector<Wide>;

void shorten(Equation& equation) {
  Wide common = 0;
  for (const Wide number : equation) common = gcd_of(common, number);
  if (common > 1)
    for (Wide& number : equation) number /= common;
}

// Takes the term at `pivot` out of the equation. False: the numbers get too large.
bool eliminate(Equation& equation, const Equation& by, size_t pivot) {
  const Wide a = by[pivot], b = equation[pivot];
  if (b == 0) return true;
  for (size_t i = 0; i < equation.size(); ++i) {
    Wide left, right;
    if (__builtin_mul_overflow(equation[i], a, &left) || __builtin_mul_overflow(by[i], b, &right) ||
        __builtin_sub_overflow(left, right, &equation[i]))
      return false;
  }
  shorten(equation);
  return true;
}

}  // namespace

Wide Terms::value(const Kind& kind, const Point& point) {
  Wide value = 1;
  const Share& share = kind.share;
  const bool of_rank = share.among == Among::ranks;
  int64_t all = point.size + share.extra;
  const int64_t many = of_rank ? point.ranks : point.threads - share.workers;
  const int64_t one = of_rank ? point.rank : point.thread - share.workers;
  int way = share.way;
  if (share.among == Among::threads_of_rank) {
    all = share_begin(all, point.ranks, point.rank + 1, way) -
          share_begin(all, point.ranks, point.rank, way);
    way = 0;
  }
  switch (kind.what) {
    case Kind::What::one:
      break;
    case Kind::What::thread:
      value = point.thread;
      break;
    case Kind::What::rank:
      value = point.rank;
      break;
    case Kind::What::threads:
      value = point.threads;
      break;
    case Kind::What::ranks:
      value = point.ranks;
      break;
    case Kind::What::begin:
      value = share_begin(all, many, one, way);
      break;
    case Kind::What::length:
      value = one < 0 ? 0 : share_begin(all, many, one + 1, way) - share_begin(all, many, one, way);
      break;
  }
  for (int i = 0; i < kind.power; ++i) value *= point.size;
  return value;
}

void Terms::add(const Kind& kind, std::span<const Point> points, std::vector<uint16_t>& to,
                bool again) {
  std::vector<Wide> values;
  for (const Point& point : points) values.push_back(value(kind, point));
  if (std::ranges::all_of(values, [&](Wide v) { return v == values[0]; })) return;
  if (const auto seen = std::ranges::find(seen_, values); seen != seen_.end()) {
    if (again) to.push_back(static_cast<uint16_t>(seen - seen_.begin()));
    return;
  }
  to.push_back(static_cast<uint16_t>(kinds_.size()));
  kinds_.push_back(kind);
  seen_.push_back(std::move(values));
}

Terms::Terms(std::span<const Point> points) {
  using What = Kind::What;
  std::vector<uint16_t> common;
  for (const Kind& kind :
       {Kind{What::one, {}, 1}, Kind{What::thread, {}, 0}, Kind{What::rank, {}, 0},
        Kind{What::threads, {}, 0}, Kind{What::ranks, {}, 0}, Kind{What::one, {}, 2},
        Kind{What::thread, {}, 1}, Kind{What::rank, {}, 1}, Kind{What::one, {}, 3}})
    add(kind, points, common);
  std::vector<std::vector<uint16_t>> shares;
  for (const int extra : {0, -1, -2, 1})
    for (const Among among : {Among::threads, Among::ranks})
      for (const int workers : {0, 1})
        for (int way = 0; way < kWays; ++way) {
          if (among == Among::ranks && workers != 0) continue;
          const Share share{among, workers, extra, way};
          auto& of = shares.emplace_back();
          for (const int power : {0, 1, 2})
            for (const What what : {What::begin, What::length})
              add({what, share, power}, points, of);
        }
  if (std::ranges::any_of(points, [](const Point& p) { return p.ranks > 1 && p.threads > 1; }))
    for (int way = 0; way < kWays; ++way) {
      auto& of = shares.emplace_back();
      for (const Among among : {Among::ranks, Among::threads_of_rank})
        for (const int power : {0, 1})
          for (const What what : {What::begin, What::length})
            add({what, {among, 0, 0, way}, power}, points, of, true);
      std::erase_if(of, [&](uint16_t term) { return term < common.size(); });
    }
  sets_.push_back({});
  for (const uint16_t a : common) sets_.push_back({a});
  for (const auto& of : shares)
    for (const uint16_t a : of) sets_.push_back({a});
  for (size_t i = 0; i < common.size(); ++i)
    for (size_t j = 0; j < i; ++j) sets_.push_back({common[j], common[i]});
  for (const auto& of : shares)
    for (size_t i = 0; i < of.size(); ++i) {
      for (const uint16_t a : common) sets_.push_back({a, of[i]});
      for (size_t j = 0; j < i; ++j) sets_.push_back({of[j], of[i]});
    }
  for (size_t i = 0; i < common.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      for (size_t k = 0; k < j; ++k) sets_.push_back({common[k], common[j], common[i]});
      for (const auto& of : shares)
        for (const uint16_t a : of) sets_.push_back({common[j], common[i], a});
    }
  for (const auto& of : shares)
    for (size_t i = 0; i < of.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        for (const uint16_t a : common) sets_.push_back({a, of[j], of[i]});
}

std::vector<Wide> Terms::values(const Point& point) const {
  std::vector<Wide> out;
  for (const Kind& kind : kinds_) out.push_back(value(kind, point));
  return out;
}

std::optional<uint64_t> Formula::at(std::span<const Wide> values) const {
  Wide sum = constant;
  for (size_t i = 0; i < terms.size(); ++i) {
    Wide part;
    if (__builtin_mul_overflow(factors[i], values[terms[i]], &part) ||
        __builtin_add_overflow(sum, part, &sum))
      return std::nullopt;
  }
  if (sum % divisor != 0) return std::nullopt;
  sum /= divisor;
  if (sum < INT64_MIN || sum > INT64_MAX) return std::nullopt;
  return static_cast<uint64_t>(static_cast<int64_t>(sum));
}

namespace {

// Whether a constant and factors of these terms can be told from the other configurations.
bool is_determined(const std::vector<uint16_t>& terms, std::span<const Sample> samples,
                   size_t without) {
  const std::vector<Wide>* first = nullptr;
  std::vector<std::pair<size_t, Equation>> solved;
  for (const Sample& sample : samples) {
    if (sample.configuration == without) continue;
    if (!first) first = sample.terms;
    Equation equation;
    for (const uint16_t term : terms) equation.push_back((*sample.terms)[term] - (*first)[term]);
    shorten(equation);
    for (const auto& [pivot, by] : solved)
      if (!eliminate(equation, by, pivot)) return false;
    const auto lead = std::ranges::find_if(equation, [](Wide v) { return v != 0; });
    if (lead == equation.end()) continue;
    const auto at = static_cast<size_t>(lead - equation.begin());
    solved.emplace_back(at, std::move(equation));
  }
  return first && solved.size() == terms.size();
}

// The formula with these terms, if it is one.
std::optional<Formula> try_terms(const std::vector<uint16_t>& terms,
                                 std::span<const Sample> samples,
                                 std::span<const uint64_t> numbers) {
  const size_t n = terms.size();
  std::vector<std::pair<size_t, Equation>> solved;  // which term leads each
  const auto number = [&](size_t i) { return static_cast<Wide>(static_cast<int64_t>(numbers[i])); };
  for (size_t r = 1; r < samples.size(); ++r) {
    Equation equation;
    for (const uint16_t term : terms)
      equation.push_back((*samples[r].terms)[term] - (*samples[0].terms)[term]);
    equation.push_back(number(r) - number(0));
    shorten(equation);
    for (const auto& [pivot, by] : solved)
      if (!eliminate(equation, by, pivot)) return std::nullopt;
    const size_t lead = static_cast<size_t>(
        std::ranges::find_if(equation.begin(), equation.end() - 1, [](Wide v) { return v != 0; }) -
        equation.begin());
    if (lead == n) {
      if (equation[n] != 0) return std::nullopt;
      continue;
    }
    for (auto& [pivot, by] : solved)
      if (!eliminate(by, equation, lead)) return std::nullopt;
    solved.emplace_back(lead, std::move(equation));
  }
  if (solved.size() != n) return std::nullopt;
  Formula out;
  out.terms = terms;
  out.factors.resize(n);
  // Over the least common divisor of all.
  for (const auto& [pivot, by] : solved) {
    const Wide below = (by[pivot] < 0 ? -by[pivot] : by[pivot]) / gcd_of(by[pivot], by[n]);
    out.divisor = out.divisor / gcd_of(out.divisor, below) * below;
    if (out.divisor > kMostDivisor) return std::nullopt;
  }
  for (const auto& [pivot, by] : solved) out.factors[pivot] = out.divisor * by[n] / by[pivot];
  out.constant = out.divisor * number(0);
  for (size_t i = 0; i < n; ++i) out.constant -= out.factors[i] * (*samples[0].terms)[terms[i]];
  std::set<size_t> configurations;
  for (const Sample& sample : samples) configurations.insert(sample.configuration);
  out.checked = std::ranges::all_of(
      configurations, [&](size_t without) { return is_determined(terms, samples, without); });
  return out;
}

}  // namespace

std::optional<Formula> find_formula(const Terms& terms, std::span<const Sample> samples,
                                    std::span<const uint64_t> numbers) {
  if (std::ranges::all_of(numbers, [&](uint64_t v) { return v == numbers[0]; })) {
    Formula out;
    out.constant = static_cast<Wide>(static_cast<int64_t>(numbers[0]));
    out.checked = std::ranges::any_of(samples, [&](const Sample& sample) {
      return sample.configuration != samples[0].configuration;
    });
    return out;
  }
  for (const auto& set : terms.sets())
    if (auto found = try_terms(set, samples, numbers)) return found;
  return std::nullopt;
}

}  // namespace vestige::spmd
