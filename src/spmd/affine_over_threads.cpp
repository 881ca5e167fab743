#include "spmd/affine_over_threads.h"

#include <algorithm>
#include <numeric>

namespace vestige::spmd {

namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

// How often the distance is in the difference; nothing when that is no whole number.
std::optional<uint64_t> divide(uint64_t difference, uint64_t distance) {
  if (distance == 0) return std::nullopt;
  if (distance == UINT64_MAX) return -difference;  // the one case in which division may overflow
  const auto a = static_cast<int64_t>(difference), b = static_cast<int64_t>(distance);
  if (a % b != 0) return std::nullopt;
  return static_cast<uint64_t>(a / b);
}

uint64_t size_of(uint64_t difference) {
  return static_cast<int64_t>(difference) < 0 ? -difference : difference;
}

void add_term(AffineOverThreads& across, uint32_t label, uint64_t b) {
  if (b == 0) return;
  (across.terms[0].label == 0 ? across.terms[0] : across.terms[1]) = {label + 1, b};
}

void number_places(std::vector<uint32_t>& of, std::vector<uint32_t>& list) {
  list = of;
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  for (uint32_t& value : of)
    value = static_cast<uint32_t>(std::ranges::lower_bound(list, value) - list.begin());
}

}  // namespace

void Placement::add(uint32_t rank, uint32_t number) {
  rank_.push_back(rank);
  number_.push_back(number);
}

void Placement::finish() {
  number_places(rank_, ranks_);
  number_places(number_, numbers_);
}

uint32_t Placement::keys(Domain domain) const {
  return domain == Domain::thread ? threads()
         : domain == Domain::rank ? static_cast<uint32_t>(ranks_.size())
                                  : static_cast<uint32_t>(numbers_.size());
}

Label Placement::builtin(uint32_t label) const {
  Label out;
  const bool by_number = label == kNumberLabel || label == kOddLabel;
  out.domain = by_number ? Domain::number : label == kRankLabel ? Domain::rank : Domain::thread;
  for (uint32_t key = 0; key < keys(out.domain); ++key) {
    out.keys.push_back(key);
    out.values.push_back(label == kNumberLabel ? numbers_[key]
                         : label == kOddLabel  ? numbers_[key] % 2
                         : label == kRankLabel ? ranks_[key]
                                               : key);
  }
  return out;
}

Labels::Labels(const Placement& placement) : placement_(placement) {
  for (uint32_t label = 0; label < kFirstTable; ++label) {
    labels_.push_back(placement.builtin(label));
    places_.push_back(labels_.back().keys);
    units_.push_back(1);
  }
}

std::optional<uint64_t> Labels::value_of(const Label& label, uint32_t thread) const {
  const std::vector<uint32_t>& places = places_[static_cast<size_t>(&label - labels_.data())];
  const uint32_t place = places[placement_.key(label.domain, thread)];
  if (place == kNowhere) return std::nullopt;
  return label.values[place];
}

std::optional<AffineOverThreads> Labels::fit_one(uint32_t number, const Column& column) const {
  return fit_two(0, 0, number, column);
}

// slope × label `along` + something × label `other` + a constant.
std::optional<AffineOverThreads> Labels::fit_two(uint32_t along, uint64_t slope, uint32_t other,
                                                 const Column& column) const {
  const Label &first = labels_[along], &second = labels_[other];
  const auto rest = [&](size_t i) {
    if (slope == 0) return column.values[i];
    return column.values[i] - slope * value_of(first, column.threads[i]).value_or(0);
  };
  const auto origin = value_of(second, column.threads[0]);
  if (!origin) return std::nullopt;
  std::optional<uint64_t> b;
  for (size_t i = 0; i < column.threads.size(); ++i) {
    const auto here = value_of(second, column.threads[i]);
    if (!here) return std::nullopt;
    if (!b && *here != *origin) {
      b = divide(rest(i) - rest(0), *here - *origin);
      if (!b) return std::nullopt;
    }
    if (rest(i) - rest(0) != b.value_or(0) * (*here - *origin)) return std::nullopt;
  }
  if (b.value_or(0) == 0 && slope == 0) return std::nullopt;
  AffineOverThreads out;
  out.a = rest(0) - b.value_or(0) * *origin;
  add_term(out, along, slope);
  add_term(out, other, b.value_or(0));
  return out;
}

// How values move along a label among threads with the same rank (or number): the same way
// everywhere, or nothing.
std::optional<uint64_t> Labels::slope_within(Domain within, uint32_t along,
                                             const Column& column) const {
  std::vector<size_t> first(placement_.keys(within), SIZE_MAX);
  std::optional<uint64_t> slope;
  for (size_t i = 0; i < column.threads.size(); ++i) {
    size_t& of = first[placement_.key(within, column.threads[i])];
    if (of == SIZE_MAX) {
      of = i;
      continue;
    }
    const uint64_t difference = column.values[i] - column.values[of];
    const uint64_t distance = *value_of(labels_[along], column.threads[i]) -
                              *value_of(labels_[along], column.threads[of]);
    if (!slope) slope = divide(difference, distance);
    if (!slope || difference != *slope * distance) return std::nullopt;
  }
  return slope.value_or(0);
}

uint32_t Labels::make(Domain domain, const Column& column, uint64_t& b) {
  Label label{domain, {}, {}};
  std::vector<uint64_t> by_key(placement_.keys(domain), 0);
  std::vector<bool> known(by_key.size(), false);
  for (size_t i = 0; i < column.threads.size(); ++i) {
    const uint32_t key = placement_.key(domain, column.threads[i]);
    by_key[key] = column.values[i];
    known[key] = true;
  }
  std::vector<uint32_t> places(by_key.size(), kNowhere);
  for (uint32_t key = 0; key < by_key.size(); ++key) {
    if (!known[key]) continue;
    places[key] = static_cast<uint32_t>(label.keys.size());
    label.keys.push_back(key);
    label.values.push_back(by_key[key]);
  }
  const uint64_t origin = label.values[0];
  b = 0;
  for (const uint64_t value : label.values) b = std::gcd(b, size_of(value - origin));
  for (uint64_t& value : label.values) {
    // The common divisor may be 2^63: its sign does not matter there.
    const uint64_t size = size_of(value - origin) / b;
    value = static_cast<int64_t>(value - origin) < 0 ? -size : size;
  }
  labels_.push_back(std::move(label));
  units_.push_back(b);
  places_.push_back(std::move(places));
  return static_cast<uint32_t>(labels_.size() - 1);
}

// A table that leaves little of these values: alignment makes blocks near the same base lie at
// slightly different distances from it.
std::optional<uint32_t> Labels::nearly(Domain domain, const Column& column) const {
  constexpr uint64_t kMuchLess = 1 << 12;
  const auto spread = [&](const auto& value) {
    int64_t low = 0, high = 0;
    for (size_t i = 0; i < column.threads.size(); ++i) {
      const auto difference = static_cast<int64_t>(value(i) - value(0));
      low = std::min(low, difference);
      high = std::max(high, difference);
    }
    return static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  };
  const uint64_t all = spread([&](size_t i) { return column.values[i]; });
  for (uint32_t label = kFirstTable; label < labels_.size(); ++label) {
    const Label& table = labels_[label];
    if (table.domain != domain || !std::ranges::all_of(column.threads, [&](uint32_t thread) {
          return value_of(table, thread).has_value();
        }))
      continue;
    const uint64_t rest = spread([&](size_t i) {
      return column.values[i] - units_[label] * *value_of(table, column.threads[i]);
    });
    if (rest < all / kMuchLess) return label;
  }
  return std::nullopt;
}

AffineOverThreads Labels::fit(const ThreadSet& threads, std::span<const uint64_t> values) {
  if (std::ranges::all_of(values, [&](uint64_t value) { return value == values[0]; }))
    return {values[0], {}};
  const Column column{threads, values};
  const auto within_rank = slope_within(Domain::rank, kNumberLabel, column);
  const auto within_number = slope_within(Domain::number, kRankLabel, column);
  if (within_rank)
    if (auto across = fit_two(kNumberLabel, *within_rank, kRankLabel, column)) return *across;
  if (auto across = fit_one(kPlaceLabel, column)) return *across;
  for (uint32_t label = kFirstTable; label < labels_.size(); ++label) {
    const Domain domain = labels_[label].domain;
    if (domain == Domain::rank && !within_rank) continue;
    if (domain == Domain::number && !within_number) continue;
    const auto across = domain == Domain::rank ? fit_two(kNumberLabel, *within_rank, label, column)
                        : domain == Domain::number
                            ? fit_two(kRankLabel, *within_number, label, column)
                            : fit_one(label, column);
    if (across) return *across;
  }
  // What is left of the values when the regular part is taken away.
  std::vector<uint64_t> rest(values.begin(), values.end());
  Domain domain = Domain::thread;
  AffineOverThreads out;
  const auto take = [&](uint32_t along, uint64_t slope) {
    for (size_t i = 0; i < rest.size(); ++i)
      rest[i] -= slope * *value_of(labels_[along], threads[i]);
    add_term(out, along, slope);
  };
  // The fewer values, the better; among as many, that of threads' numbers in one rank.
  if (within_number &&
      (!within_rank || placement_.keys(Domain::number) > placement_.keys(Domain::rank))) {
    domain = Domain::number;
    take(kRankLabel, *within_number);
  } else if (within_rank) {
    domain = Domain::rank;
    take(kNumberLabel, *within_rank);
  }
  if (out.terms[0].label == 0)
    if (const auto other = nearly(domain, {threads, rest})) take(*other, units_[*other]);
  if (out.terms[1].label == 0)
    if (const auto odd = fit_one(kOddLabel, {threads, rest})) {
      out.a = odd->a;
      add_term(out, kOddLabel, odd->terms[0].b);
      return out;
    }
  out.a = rest[0];
  uint64_t b = 0;
  const uint32_t label = make(domain, {threads, rest}, b);
  out.a -= b * *value_of(labels_[label], threads[0]);
  add_term(out, label, b);
  return out;
}

}  // namespace vestige::spmd
