// Histories, columns, counts and runs against their naive twins, on random programs.
#include <gtest/gtest.h>

#include <algorithm>

#include "query/recorded_twin.h"
#include "query/rows/row_source.h"

namespace vestige::sketch {
namespace {

// Some without an index, others with windows of few paths or many.
uint64_t windows_of(uint64_t seed) { return seed % 3 == 0 ? 0 : seed % 3 == 1 ? 300 : 2000; }

std::string text(const HistoryRow& row) {
  const auto number = [](const std::optional<uint64_t>& v) {
    return v ? std::to_string(*v) : "unknown";
  };
  return std::to_string(row.thread) + " " + std::to_string(row.statement.function) + "." +
         std::to_string(row.statement.statement) + " instance " + std::to_string(row.instance) +
         " time " + std::to_string(row.time) + " value " + number(row.value) + " address " +
         number(row.address);
}

void expect_same(const std::vector<HistoryRow>& found, const std::vector<HistoryRow>& expected) {
  for (size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
    ASSERT_EQ(text(found[i]), text(expected[i])) << "row " << i;
  ASSERT_EQ(found.size(), expected.size());
}

std::vector<HistoryRow> read_history(const Trace& trace, const HistoryOptions& options) {
  auto history = HistoryCursor::open(trace, options);
  EXPECT_TRUE(history) << history.error().message;
  std::vector<HistoryRow> rows;
  while (const HistoryRow* row = history->next()) rows.push_back(*row);
  EXPECT_EQ(history->error(), nullptr);
  return rows;
}

// A set to ask for: one statement, all loads, everything with a value, everything with an address.
std::vector<StatementRef> some_statements(const Trace& trace, std::mt19937_64& random) {
  switch (random() % 5) {
    case 0:
      return all_loads(trace);
    case 1:
      return all_values(trace);
    case 2:
      return all_addresses(trace);
    default: {
      const auto f = static_cast<uint32_t>(random() % trace.functions().size());
      const size_t count = trace.functions()[f].statements.size();
      return {{f, static_cast<uint32_t>(random() % count)}};
    }
  }
}

TEST(HistoryCursor, EqualsTheNaiveTwin) {
  uint64_t rows_seen = 0, unknown = 0;
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const RecordedTwin twin = record_random(seed, 1 + seed % 2, windows_of(seed));
    for (int i = 0; i < 8; ++i) {
      HistoryOptions options;
      options.statements = some_statements(*twin.trace, random);
      if (random() % 2) options.from = 1 + random() % 40;
      if (random() % 2) options.count = random() % 50;
      if (random() % 2) options.thread = static_cast<uint32_t>(random() % twin.threads.size());
      std::vector<HistoryRow> expected = twin.rows(options.statements);
      std::erase_if(expected, [&](const HistoryRow& row) {
        return row.instance < options.from || (options.thread && row.thread != *options.thread);
      });
      if (expected.size() > options.count) expected.resize(options.count);
      const auto found = read_history(*twin.trace, options);
      expect_same(found, expected);
      if (HasFatalFailure()) return;
      rows_seen += found.size();
      unknown += std::ranges::count_if(found, [](const HistoryRow& r) { return !r.value; });
    }
  }
  EXPECT_GT(rows_seen, 10'000u);
  EXPECT_GT(unknown, 100u);
}

// The same when next to nothing may be held back, so that late results are looked up.
TEST(HistoryCursor, LooksUpWhatComesLate) {
  uint64_t rows_seen = 0, windows_seen = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RecordedTwin twin = record_random(seed, 1, windows_of(seed));
    const auto windows = Windows::open(*twin.trace);
    ASSERT_TRUE(windows);
    windows_seen += windows->of(0).size();
    const std::vector<StatementRef> statements = all_values(*twin.trace);
    const StatementSet set(*twin.trace, statements);
    const std::vector<HistoryRow> expected = twin.rows(statements);
    for (const size_t held : {0, 7, 100}) {
      RowRange range;
      range.most_held = held;
      range.far = held / 4;
      auto source = open_rows(*twin.trace, *windows, set, range);
      ASSERT_TRUE(source);
      std::vector<Observation> rows;
      while (true) {
        const auto read = (*source)->read(rows);
        ASSERT_TRUE(read) << read.error().message;
        if (!*read) break;
      }
      ASSERT_EQ(rows.size(), expected.size());
      for (size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i].time, expected[i].time);
        ASSERT_EQ(rows[i].statement, expected[i].statement.statement);
        ASSERT_EQ(rows[i].has_value, expected[i].value.has_value()) << text(expected[i]);
        if (rows[i].has_value) ASSERT_EQ(rows[i].value, *expected[i].value) << text(expected[i]);
      }
      rows_seen += rows.size();
    }
  }
  EXPECT_GT(rows_seen, 10'000u);
  EXPECT_GT(windows_seen, 10u);
}

// One byte is wrong: what is still answered is right, and what is not is an error.
TEST(HistoryCursor, DamageGivesRightValuesOrAnError) {
  uint64_t refused = 0, cut_short = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const RecordedTwin twin = record_random(seed, 2);
    const std::vector<StatementRef> statements = all_values(*twin.trace);
    const std::vector<HistoryRow> expected = twin.rows(statements);
    const Bytes whole = synthetic::read_file(twin.trace->file());
    std::mt19937_64 random(seed);
    for (int i = 0; i < 25; ++i) {
      Bytes bytes = whole;
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 + random() % 255);
      const std::string file = synthetic::temporary_name();
      synthetic::write_file(file, bytes);
      const auto trace = Trace::open(file);
      auto history = trace ? HistoryCursor::open(*trace, {.statements = statements})
                           : Result<HistoryCursor>(std::unexpected(trace.error()));
      if (!history) {
        EXPECT_FALSE(history.error().message.empty());
        ++refused;
        continue;
      }
      size_t at = 0;
      while (const HistoryRow* row = history->next()) {
        ASSERT_LT(at, expected.size());
        ASSERT_EQ(text(*row), text(expected[at++])) << "seed " << seed << " variant " << i;
      }
      ASSERT_TRUE(history->error() || at == expected.size()) << "seed " << seed << " variant " << i;
      cut_short += history->error() != nullptr;
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(cut_short, 20u);
}

TEST(Columns, EqualTheNaiveTwin) {
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const RecordedTwin twin = record_random(seed, 1 + seed % 3, windows_of(seed));
    for (int i = 0; i < 4; ++i) {
      ColumnOptions options;
      options.statements = some_statements(*twin.trace, random);
      options.addresses = options.statement_ids = options.times = true;
      const std::vector<HistoryRow> expected = twin.rows(options.statements);
      size_t at = 0;
      const auto read = read_columns(*twin.trace, options, [&](const ColumnPiece& piece) {
        for (size_t r = 0; r < piece.known.size(); ++r, ++at) {
          if (at >= expected.size()) return false;
          const HistoryRow& row = expected[at];
          EXPECT_EQ(piece.thread, row.thread);
          EXPECT_EQ(piece.times[r], row.time);
          EXPECT_EQ(piece.statement_ids[r], statement_id(*twin.trace, row.statement));
          EXPECT_EQ((piece.known[r] & ColumnPiece::kValue) != 0, row.value.has_value());
          EXPECT_EQ((piece.known[r] & ColumnPiece::kAddress) != 0, row.address.has_value());
          EXPECT_EQ(piece.values[r], row.value.value_or(0));
          EXPECT_EQ(piece.addresses[r], row.address.value_or(0));
        }
        return true;
      });
      ASSERT_TRUE(read) << read.error().message;
      ASSERT_EQ(at, expected.size());
      if (HasFailure()) return;
    }
  }
}

TEST(TopValues, EqualTheNaiveTwin) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const RecordedTwin twin = record_random(seed, 2, windows_of(seed));
    const auto statements = some_statements(*twin.trace, random);
    std::map<std::tuple<bool, uint64_t, uint8_t, uint8_t>, uint64_t> counts;
    for (const HistoryRow& row : twin.rows(statements)) {
      const ValueType type =
          value_type(twin.trace->functions()[row.statement.function], row.statement.statement);
      if (row.value)
        ++counts[{true, *row.value, static_cast<uint8_t>(type.kind), type.bits}];
      else
        ++counts[{false, 0, 0, 0}];
    }
    const auto all = top_values(*twin.trace, statements, std::nullopt, SIZE_MAX / 8);
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), counts.size());
    EXPECT_TRUE(std::ranges::is_sorted(*all, std::greater{}, &ValueCount::count));
    for (const ValueCount& row : *all)
      EXPECT_EQ(row.count, (counts[{row.value.has_value(), row.value.value_or(0),
                                    static_cast<uint8_t>(row.type.kind), row.type.bits}]));
    const auto few = top_values(*twin.trace, statements, std::nullopt, 3);
    ASSERT_TRUE(few);
    ASSERT_EQ(few->size(), std::min<size_t>(3, all->size()));
    for (size_t i = 0; i < few->size(); ++i) EXPECT_EQ((*few)[i].count, (*all)[i].count);
  }
}

// The addresses a run stands for, in order.
void unfold(const AddressRun& run, size_t level, uint64_t start, std::vector<uint64_t>& addresses) {
  for (uint64_t i = 0; i < run.levels[level].count; ++i) {
    const uint64_t at = start + i * static_cast<uint64_t>(run.levels[level].stride);
    if (level == 0)
      addresses.push_back(at);
    else
      unfold(run, level - 1, at, addresses);
  }
}

TEST(AddressRuns, UnfoldToTheAddresses) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RecordedTwin twin = record_random(seed, 2, windows_of(seed));
    const auto statements = all_addresses(*twin.trace);
    std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint64_t> expected, found;
    for (const HistoryRow& row : twin.rows(statements))
      if (row.address)
        expected[{row.thread, statement_id(*twin.trace, row.statement), row.instance}] =
            *row.address;
    uint64_t runs = 0;
    const auto summaries =
        fold_addresses(*twin.trace, statements, std::nullopt, [&](const AddressRun& run) {
          ++runs;
          std::vector<uint64_t> addresses;
          unfold(run, run.levels.size() - 1, run.start, addresses);
          EXPECT_EQ(addresses.size(), run.accesses());
          uint64_t instance = run.first_instance;
          for (const uint64_t address : addresses)
            found[{run.thread, statement_id(*twin.trace, run.statement), instance++}] = address;
          return true;
        });
    ASSERT_TRUE(summaries);
    ASSERT_EQ(found, expected);
    uint64_t accesses = 0, summed = 0;
    for (const RunSummary& summary : *summaries) {
      accesses += summary.accesses;
      summed += summary.runs;
    }
    EXPECT_EQ(accesses, expected.size());
    EXPECT_EQ(summed, runs);
  }
}

TEST(AddressRuns, PrefetchDistance) {
  EXPECT_EQ(prefetch_distance(0, 10), 0u);     // always the same place
  EXPECT_EQ(prefetch_distance(64, 10), 20u);   // 200 cycles are 20 instances
  EXPECT_EQ(prefetch_distance(4, 1000), 16u);  // the next line is 16 instances away
  EXPECT_EQ(prefetch_distance(-8, 50), 8u);
  EXPECT_EQ(prefetch_distance(INT64_MIN, 1e9), 1u);
}

}  // namespace
}  // namespace vestige::sketch
