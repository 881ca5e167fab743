// The values and addresses of a full recording (vestige record --what full):
//
//     auto statement = vestige::find_statement(trace, "#12");
//     auto history = vestige::HistoryCursor::open(trace, {.statements = {*statement}});
//     while (const vestige::HistoryRow* row = history->next()) use(row->instance, row->value);
//     if (history->error()) …                      // the bytes further on are damaged
//
// row by row with HistoryCursor, or in whole columns with read_columns.
//
// An instance is one execution of a statement in its thread; instances count from 1. A path
// executes a statement at most once, so thread and time identify an instance too. Rows come thread
// by thread, by time, and within a path as executed. What a call gave is known when it comes back,
// and rows behind it wait for that. Of a call that never came back, or that ended its activation (a
// tail call), the value is unknown.
//
// Only threads of which values were recorded have rows: see has_values. Without an index (index.h:
// ensure_index) everything here is slower but right.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "vestige/api.h"
#include "vestige/detail/wide.h"
#include "vestige/query.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// ---- what statements have -----------------------------------------------------------------------

// Of the statement's result; of a store, of what it stores. Bits 0: it is not simple; then
// wide_items (wide.h) tells more.
ValueType value_type(const Function& function, uint32_t statement);
// Whether it has a value, whatever its type: a result, or something it stores.
bool has_value(const Function& function, uint32_t statement);
// Whether it refers to memory: loads, stores, atomic operations, memcpy, memmove, memset.
bool has_address(const Function& function, uint32_t statement);
// Whether it calls a library function or makes a system call of which is known what it reads and
// writes (docs/recording.md). Such a call has no address of its own: see read_library_ranges.
bool has_library_ranges(const Function& function, uint32_t statement);
// Bytes it refers to; 0 when only the run tells (memcpy …), or nothing does.
uint32_t access_bytes(const Function& function, uint32_t statement);

// Where the evaluation has each statement's value from (docs/queries.md): "derived", "loaded",
// "called", "told"; empty: it has none.
std::vector<std::string_view> value_sources(const Function& function);

// Sets of statements, by rising #ID. Pseudo statements are left out.
std::vector<StatementRef> all_loads(const Trace& trace);
std::vector<StatementRef> all_values(const Trace& trace);         // that have a value
std::vector<StatementRef> all_addresses(const Trace& trace);      // that have an address
std::vector<StatementRef> all_library_calls(const Trace& trace);  // that have library ranges

// Whether values of this thread were recorded. Fails with ErrorKind::unsupported when there are
// none in the whole trace.
Result<bool> has_values(const Trace& trace, uint32_t thread);

// ---- histories ----------------------------------------------------------------------------------

struct HistoryRow {
  uint32_t thread = 0;  // index into Trace::threads()
  StatementRef statement;
  uint64_t instance = 0;
  uint64_t time = 0;  // of the path
  // Zero-extended bits; of a store: what is stored. Address: where it loads or stores; memcpy and
  // memmove: where to, and the source where from; a library call: its first range that is written,
  // or else read.
  std::optional<uint64_t> value, address, source;
  WideRef wide;  // a value that is not simple
};

struct HistoryOptions {
  std::vector<StatementRef> statements;
  std::optional<uint32_t> thread = std::nullopt;  // none: all
  uint64_t from = 1;                              // the first instance wanted of each statement
  uint64_t count = UINT64_MAX;                    // rows at most
};

// A lazy sequence of rows. Owned by one thread; must not outlive the Trace. What lies before `from`
// is skipped, not evaluated, as far as the index allows.
class HistoryCursor {
 public:
  // Fails with ErrorKind::unsupported when the trace, or the thread that was asked for, has no
  // values.
  static Result<HistoryCursor> open(const Trace& trace, const HistoryOptions& options);
  HistoryCursor(HistoryCursor&&) noexcept;
  HistoryCursor& operator=(HistoryCursor&&) noexcept;
  ~HistoryCursor();

  // The next row, valid until the next call; nullptr at the end, at the count, or when error() is
  // set.
  const HistoryRow* next();
  const Error* error() const;
  // Whether the count ended it while there was more.
  bool more();

 private:
  struct VESTIGE_LOCAL State;
  explicit HistoryCursor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- columns ------------------------------------------------------------------------------------

struct ColumnOptions {
  std::vector<StatementRef> statements;
  std::optional<uint32_t> thread = std::nullopt;  // none: all
  // The columns wanted.
  bool values = true, addresses = false, statement_ids = false, times = false;
};

// Rows of one thread that follow each other. A column that was not asked for is empty.
struct ColumnPiece {
  static constexpr uint8_t kValue = 1, kAddress = 2;  // bits of `known`

  uint32_t thread = 0;
  // 0 where unknown; values that are not simple are unknown.
  std::vector<uint64_t> values, addresses;
  std::vector<uint8_t> known;           // one per row, always
  std::vector<uint32_t> statement_ids;  // #ID
  std::vector<uint64_t> times;
};

// Every row, in the order of a HistoryCursor, in pieces of some ten thousand. `take` is called on
// the calling thread; false from it ends the reading. Windows of the trace are evaluated on all
// cores.
Result<void> read_columns(const Trace& trace, const ColumnOptions& options,
                          const std::function<bool(const ColumnPiece&)>& take);

// ---- what is frequent, what is regular
// -----------------------------------------------------------

struct ValueCount {
  ValueType type;                 // of addresses: pointer
  std::optional<uint64_t> value;  // none: unknown, or of no type that is kept
  uint64_t count = 0;
};
// The most frequent values (or addresses) of the statements, at most `most`, by falling count, then
// rising bits. Memory is bounded: where there are very many different ones, the trace is read
// several times.
Result<std::vector<ValueCount>> top_values(const Trace& trace,
                                           const std::vector<StatementRef>& statements,
                                           std::optional<uint32_t> thread, size_t most,
                                           bool of_addresses = false);

// Addresses start, start + stride, … of consecutive instances; further levels repeat what is below
// them `count` times, `stride` apart. Which addresses these are: for each level's number from 0,
// start plus the sum of number × stride; the first level changes fastest.
struct AddressRun {
  struct Level {
    int64_t stride = 0;
    uint64_t count = 1;
    bool operator==(const Level&) const = default;
  };
  uint32_t thread = 0;
  StatementRef statement;
  uint64_t first_instance = 1;
  uint64_t start = 0;
  std::vector<Level> levels;  // innermost first; never empty
  uint64_t accesses() const;
};

struct RunSummary {
  StatementRef statement;
  uint64_t accesses = 0;  // with known addresses
  uint64_t unknown = 0;
  uint64_t runs = 0;
  // The most frequent distance from one access to the next inside of runs, and how often it is.
  int64_t stride = 0;
  uint64_t stride_count = 0;
  double statements_between = 0;   // executed, on average, from one of these to the next
  uint64_t prefetch_distance = 0;  // instances ahead; 0: prefetching makes no sense
};
// How many instances ahead to prefetch: so many that kPrefetchCycles pass meanwhile, one statement
// a cycle, and at least one cache line ahead. 0 when the stride is 0.
inline constexpr uint64_t kPrefetchCycles = 200, kLineBytes = 64;
uint64_t prefetch_distance(int64_t stride, double statements_between);

// Folds the addresses of each statement, thread by thread, into runs. `take` gets each run when it
// ends; false from it ends the reading. One summary per statement that ran, by rising #ID.
Result<std::vector<RunSummary>> fold_addresses(const Trace& trace,
                                               const std::vector<StatementRef>& statements,
                                               std::optional<uint32_t> thread,
                                               const std::function<bool(const AddressRun&)>& take);

// ---- memory references --------------------------------------------------------------------------

struct Reference {
  enum class Kind : uint8_t { read, write, modify };  // the last: atomic operations
  Kind kind = Kind::read;
  uint32_t thread = 0;
  uint64_t statement_id = 0;  // #ID
  uint64_t address = 0;
  uint64_t bytes = 0;  // 0: not known
};
// Every load and store, thread by thread, in order. A memcpy or memmove reads its source, then
// writes its destination. False from `take` ends the reading. Gives how many have no known address
// and were left out. `library`: what unrecorded library functions read and wrote, too, where their
// calls came back.
Result<uint64_t> read_references(const Trace& trace, std::optional<uint32_t> thread,
                                 const std::function<bool(const Reference&)>& take,
                                 bool library = false);

// Bytes that a library function or a system call read or wrote.
struct LibraryAccess {
  enum class Kind : uint8_t {
    copy,      // each byte is one of `source`
    outside,   // what is written comes from outside of the program
    computed,  // what is written follows from what the call was given and what it read
    read,      // nothing is written
  };
  uint32_t thread = 0;
  StatementRef call;
  uint64_t time = 0;         // of the path that made the call
  uint64_t return_time = 0;  // of the path behind it: they were accessed before that
  Kind kind = Kind::read;
  std::optional<uint64_t> address, source, bytes;  // none: not known
};
std::string_view kind_name(LibraryAccess::Kind kind);
// Of all calls that came back, thread by thread, in order; a call may have several, or none. False
// from `take` ends the reading.
Result<void> read_library_ranges(const Trace& trace, std::optional<uint32_t> thread,
                                 const std::function<bool(const LibraryAccess&)>& take);

}  // namespace vestige
VESTIGE_API_END
