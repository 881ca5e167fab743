// Frequent values. They are counted in a table; when that grows past kMostKept, the counting starts
// again with a table for each of several parts of all possible values, one reading per part.
#include <algorithm>
#include <tuple>

#include "base/open_map.h"
#include "vestige/values.h"

namespace vestige {

namespace {

constexpr size_t kMostKept = 2 << 20;  // 96 MiB
constexpr uint64_t kMostParts = 1 << 10;

struct ValueKey {
  uint64_t bits = 0;
  uint8_t kind = 0, width = 0;  // width 0: unknown
  bool operator==(const ValueKey&) const = default;
};

uint64_t hash_of(const ValueKey& key) {
  uint64_t hash = (key.bits ^ (uint64_t{key.width} << 32 | key.kind)) * 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
  return hash ^ hash >> 32;
}

// A value is looked up for every row of the trace.
using CountTable = OpenMap<ValueKey, uint64_t, UINT64_MAX, hash_of>;

bool before(const ValueCount& a, const ValueCount& b) {
  const auto order = [](const ValueCount& v) {
    return std::tuple(~v.count, v.value.has_value(), v.value.value_or(0), v.type.kind, v.type.bits);
  };
  return order(a) < order(b);
}

void add(const CountTable& counts, size_t most, std::vector<ValueCount>& top) {
  counts.each([&](const ValueKey& key, uint64_t count) {
    ValueCount row;
    row.type = {static_cast<ValueType::Kind>(key.kind), key.width};
    if (key.width) row.value = key.bits;
    row.count = count;
    top.push_back(row);
    if (top.size() / 4 < most + 256) return;
    std::ranges::sort(top, before);
    top.resize(std::min(most, top.size()));
  });
  std::ranges::sort(top, before);
  top.resize(std::min(most, top.size()));
}

}  // namespace

Result<std::vector<ValueCount>> top_values(const Trace& trace,
                                           const std::vector<StatementRef>& statements,
                                           std::optional<uint32_t> thread, size_t most,
                                           bool of_addresses) {
  ColumnOptions options;
  options.statements = statements;
  options.thread = thread;
  options.values = !of_addresses;
  options.addresses = of_addresses;
  options.statement_ids = !of_addresses;
  std::vector<ValueType> types;  // by #ID
  for (const StatementRef& ref : statements) {
    const uint64_t id = statement_id(trace, ref);
    if (types.size() <= id) types.resize(id + 1);
    types[id] = value_type(trace.functions()[ref.function], ref.statement);
  }
  const uint8_t known = of_addresses ? ColumnPiece::kAddress : ColumnPiece::kValue;

  for (uint64_t parts = 1;; parts *= 4) {
    std::vector<ValueCount> top;
    bool fits = true;
    for (uint64_t part = 0; part < parts && fits; ++part) {
      CountTable counts;
      const auto read = read_columns(trace, options, [&](const ColumnPiece& piece) {
        for (size_t i = 0; i < piece.known.size(); ++i) {
          ValueKey key;
          if (piece.known[i] & known) {
            const ValueType type = of_addresses ? ValueType{ValueType::Kind::pointer, 64}
                                                : types[piece.statement_ids[i]];
            key = {of_addresses ? piece.addresses[i] : piece.values[i],
                   static_cast<uint8_t>(type.kind), type.bits};
          }
          if (((hash_of(key) >> 40) & (parts - 1)) == part) ++counts.at(key, 0);
        }
        return fits = counts.size() <= kMostKept || parts == kMostParts;
      });
      if (!read) return std::unexpected(read.error());
      add(counts, most, top);
    }
    if (fits) return top;
  }
}

}  // namespace vestige
