// Questions about a trace, answered as values: nothing here prints.
//
//     using vestige::WalkCursor, vestige::WalkLevel;
//     auto walk = WalkCursor::open(trace, {.thread = 0, .level = WalkLevel::block});
//     while (const vestige::WalkRow* row = walk->next()) use(*row);
//     if (walk->error()) …                         // the bytes further on are damaged
//
// Also: how users name things (threads, functions, statements, places in time) and how things are
// named to users (locations, events).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/api.h"
#include "vestige/detail/wide.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// ---- walk -------------------------------------------------------------------------------------

enum class WalkLevel : uint8_t {
  path,       // one row per path
  block,      // one row per block begun; a block that goes on behind a call is not listed again
  statement,  // one row per statement executed, pseudo statements left out
};

// Where a walk begins. TIME and sync name a path: forwards the first row is the first of that path,
// backwards the last of that path.
struct WalkFrom {
  enum class Kind : uint8_t { start, end, time, sync };
  Kind kind = Kind::start;
  uint64_t number = 0;  // time: the time; sync: K, the path that ends in the K-th sync operation
};
// "start", "end", "sync:K" or a time. A usage error otherwise. K and times count from 1.
Result<WalkFrom> parse_walk_from(std::string_view text);

struct WalkOptions {
  uint32_t thread = 0;  // index into Trace::threads(); see find_thread
  WalkLevel level = WalkLevel::block;
  std::optional<WalkFrom> from = std::nullopt;  // none: start, or end when going back
  bool back = false;
  uint64_t count = UINT64_MAX;  // rows at most, event rows included
  // Statement rows have values and addresses, where they were recorded.
  bool values = false;
};

// One row. Pointers and views point into the Trace, except `event` and `text`, which are valid
// until the next call of WalkCursor::next().
struct WalkRow {
  enum class Kind : uint8_t { path, block, statement, event };
  Kind kind = Kind::path;
  uint32_t thread = 0;
  uint64_t time = 0;           // of the path; events: paths completed before it
  uint32_t depth = 0;          // activations below this one; events: activations on the stack
  uint32_t function = kNone;   // index into Trace::functions(); kNone for events
  uint32_t block = kNone;      // Function::blocks; path rows: of the path's first segment
  uint32_t statement = kNone;  // statement rows: Function::statements
  uint64_t statement_id = 0;   // statement rows: #ID
  // Statement rows, where they are known: bits of the result, or of what is stored (values.h);
  // where it loads or stores. Of a call that comes back more than kWalkHorizon paths later there is
  // no value.
  std::optional<uint64_t> value, address;
  WideRef wide;                // a value that is not simple
  const Path* path = nullptr;  // the path the row belongs to; nullptr for events
  std::string_view file;       // of the first located statement; empty when none is
  uint32_t line = 0, column = 0;
  uint32_t location = kNone;          // Function::locations of the same, for location_text
  const TraceEvent* event = nullptr;  // event rows
  std::string text;                   // event rows: event_text
};

inline constexpr uint64_t kWalkHorizon = 1 << 20;

// A lazy sequence of rows. Backwards gives exactly the rows of the walk forwards, reversed, events
// included. Owned by one thread; must not outlive the Trace.
class WalkCursor {
 public:
  // Fails on a thread that does not exist, a time or sync operation outside of the thread (the
  // message says what there is), or damage at the starting point.
  static Result<WalkCursor> open(const Trace& trace, const WalkOptions& options);
  WalkCursor(WalkCursor&&) noexcept;
  WalkCursor& operator=(WalkCursor&&) noexcept;
  ~WalkCursor();

  // The next row, or nullptr at the end, at the count limit, or when error() is set.
  const WalkRow* next();
  const Error* error() const;
  // Whether the count limit ended the walk while there was more ("… more").
  bool more();

 private:
  struct VESTIGE_LOCAL State;
  explicit WalkCursor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- how users name things ----------------------------------------------------------------------

// "RANK.THREAD" (process index, and number of the thread within that process, both from 0) or a
// number (index into Trace::threads()). Gives the index into Trace::threads().
Result<uint32_t> find_thread(const Trace& trace, std::string_view text);
std::string thread_name(const Trace& trace, uint32_t thread);  // "RANK.THREAD"

// A function by its exact name, its demangled name, or its demangled name without arguments (and,
// of a template's instance, without the type of its result). The index into Trace::functions().
// None: ErrorKind::missing, with near names. Several: ErrorKind::usage, the message lists the
// candidates.
Result<uint32_t> find_function(const Trace& trace, std::string_view name);
// All that the name stands for, in table order; empty when none.
std::vector<uint32_t> find_functions(const Trace& trace, std::string_view name);

struct StatementRef {
  uint32_t function = 0;   // index into Trace::functions()
  uint32_t statement = 0;  // Function::statements
  bool operator==(const StatementRef&) const = default;
};
// `#ID`, `FN:BLOCK.INDEX` (block as `3` or `B3`; index within the block, from 0) or
// `file.c:LINE[:COLUMN]` (file by its whole name or its last components). Ambiguity:
// ErrorKind::usage, the message lists candidates.
Result<StatementRef> find_statement(const Trace& trace, std::string_view text);
// The one among them of which `wanted` says yes. `what` names what the others lack.
Result<StatementRef> find_statement(const Trace& trace, std::string_view text,
                                    bool (*wanted)(const Function&, uint32_t statement),
                                    std::string_view what);
// All that the text stands for, for queries that take sets; fails when there is none.
Result<std::vector<StatementRef>> find_statements(const Trace& trace, std::string_view text);
uint64_t statement_id(const Trace& trace, StatementRef statement);
std::optional<StatementRef> statement_by_id(const Trace& trace, uint64_t id);

// ---- how things are named to users --------------------------------------------------------------

std::string demangle(std::string_view name);  // unchanged when it is not a mangled name
std::string block_name(uint32_t block);       // "B3"
std::string statement_name(const Trace& trace, StatementRef statement);  // "main:B3.0"

// Where a statement is in the source (Function::locations). The optimizer leaves statements without
// a place when it moves them: such a one is where its result is used first, or where the nearest
// statement of its block is. kNone when nothing tells.
uint32_t place_of(const Function& function, uint32_t statement);
// "bzip2.c:120:5 (inlined into main at bzip2.c:300)", the whole chain, files by their last
// component (`full_paths`: as recorded). Empty for kNone.
std::string location_text(const Function& function, uint32_t location, bool full_paths = false);
// The location of the block's first statement that has one; kNone when none does.
uint32_t block_location(const Function& function, uint32_t block);
// "bzip2.c:88"; empty when unknown.
std::string function_place(const Function& function);

// The event's kind as one stable word ("fatal_signal"), for JSON.
std::string_view event_name(TraceEvent::Kind kind);
// The event in plain words: "SIGSEGV at pc 0x…, in block B7 of parse (parse.c:88)".
std::string event_text(const Trace& trace, const TraceEvent& event);
std::string signal_name(uint64_t signal);  // "SIGSEGV"
// The event a thread died of, when it did.
Result<std::optional<TraceEvent>> fatal_event(const Trace& trace, uint32_t thread);
// "exited with status 1", "was killed by SIGSEGV" …
std::string end_text(EndReason reason, int32_t status);

}  // namespace vestige
VESTIGE_API_END
