// The variables of the source, and what they were when.
//
//     auto asked = vestige::find_variable(trace, "total@main");
//     auto history = vestige::VariableCursor::open(trace, *asked, {});
//     while (const vestige::VariableRow* row = history->next())
//       use(row->line, vestige::value_text(row->value));
//     if (history->error()) …
//
// Names, types and places come from the debug information of the recorded program. A variable that
// the optimizer keeps in registers is followed through the bindings it left (program.h); one in
// memory through every access to its bytes, by any function.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/api.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

struct VariableRef {
  uint32_t function = 0;  // Trace::functions()
  uint32_t variable = 0;  // Function::variables
  bool operator==(const VariableRef&) const = default;
};

// A variable as it was declared.
struct SourceVariable {
  std::string name;
  std::string scope;  // linkage name of the function it was written in; empty: of none
  std::string file;   // as recorded; may be empty
  uint32_t line = 0;
  std::string type;
  uint32_t parameter = 0;  // from 1; 0: not a parameter
  bool global = false;     // lives as long as the process, or its thread; a static local too
  bool followed = false;   // there is a binding, or it is global
  // Where the compiler put it: one for each function that it was inlined into or that names it.
  std::vector<VariableRef> copies;
};

// All of the trace, by file, line and name; with `where` only those that NAME@WHERE may mean.
std::vector<SourceVariable> source_variables(const Trace& trace, std::string_view where = {});

// What a user asked for: variables of one name in one function, and the part of them that is meant.
struct VariableQuestion {
  std::string text;
  std::vector<SourceVariable> variables;
  std::string part;  // ".x[3]"; empty: all of it
};
// "NAME[@WHERE]". NAME may end in members and elements: "point.x", "table[3]". WHERE is a function
// as find_functions takes it, or a file by its whole name or its last components, either with :LINE
// of the declaration. None: ErrorKind::missing. Variables of several functions:
// ErrorKind::usage, the message lists them.
Result<VariableQuestion> find_variable(const Trace& trace, std::string_view text);

// The name of the variable through which a load, a store, an atomic operation or a copy (its
// destination) gets its address, as far as the code tells: "a" of a[i][j], of *a and of
// a->next->size. Empty when no variable is known.
std::string address_variable(const Function& function, uint32_t statement);

// ---- values -------------------------------------------------------------------------------------

struct VariableValue {
  enum class Kind : uint8_t {
    unknown,    // not recorded, or it cannot be derived
    integer,    // `bits`, signed; of more than 64: `text`
    natural,    // `bits`, unsigned; the same
    boolean,    // `bits`
    character,  // `bits`, signed
    number,     // `number`
    address,    // `bits`
    named,      // an enumerator: `bits`, `text`
    string,     // an array of characters: `text`
    record,     // parts
    array,      // parts
    opaque,     // of a type that is not shown
  };
  Kind kind = Kind::unknown;
  uint64_t bits = 0;  // sign-extended where signed
  double number = 0;
  std::string name;  // of the member it is
  std::string text;
  std::vector<VariableValue> parts;
  bool cut = false;     // there are more parts
  std::string because;  // unknown: why, as in "written by read()"; never empty then
};
// "5", "97 'a'", "true", "0x7ffc10", "RED", "{x = 1, y = 2}"; "?" for what is not known.
std::string value_text(const VariableValue& value);

// ---- history ------------------------------------------------------------------------------------

struct VariableRow {
  enum class How : uint8_t {
    assigned,  // stored to, or bound to a value other than the one it had
    seen,      // a load shows a value that something unrecorded wrote, or that was there before
    lost,      // the optimizer dropped it: nothing is known from here on
    unknown,   // it changed to something that is not known
  };
  uint32_t thread = 0;
  uint64_t instance = 0;  // among the thread's rows, from 1
  uint64_t time = 0;      // of the path
  uint32_t variable = 0;  // VariableQuestion::variables
  VariableRef copy;
  uint64_t depth = 0;    // locals: activations below the one it belongs to
  uint64_t entered = 0;  // locals: time at which that began; 0: not known
  // The statement that stores or loads, or before which the value holds.
  uint32_t function = 0;      // Trace::functions()
  uint32_t statement = 0;     // Function::statements
  bool before = false;        // the value holds already before that statement
  uint32_t location = kNone;  // of `function`: where it happened, as well as that is known
  uint32_t line = 0;
  How how = How::assigned;
  std::string part;     // of the variable, that changed: ".x", "[3]"; empty: all of it
  VariableValue value;  // of that part, afterwards
};

struct VariableOptions {
  uint32_t thread = kNone;  // kNone: all, one after the other
  uint64_t from = 1;        // the first row of each thread that is given
  uint64_t count = UINT64_MAX;
};

// Every change, in the order of time. A binding that repeats the value is none; an assignment that
// repeats it is one, as far as the optimizer left it. Owned by one thread; must not outlive the
// Trace.
class VariableCursor {
 public:
  // ErrorKind::unsupported when the trace has no values; ErrorKind::usage for a thread without.
  static Result<VariableCursor> open(const Trace& trace, const VariableQuestion& question,
                                     const VariableOptions& options);
  VariableCursor(VariableCursor&&) noexcept;
  VariableCursor& operator=(VariableCursor&&) noexcept;
  ~VariableCursor();

  // The next row, or nullptr at the end, at the count limit, or when error() is set. Valid until
  // the next call.
  const VariableRow* next();
  const Error* error() const;
  // How many rows the count limit left out, as far as `paths` more paths tell; complete: there are
  // no others.
  struct More {
    uint64_t rows = 0;
    bool complete = true;
  };
  More more(uint64_t paths);

 private:
  struct VESTIGE_LOCAL State;
  explicit VariableCursor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- at one time --------------------------------------------------------------------------------

// An execution of a statement.
struct ExecutionQuestion {
  uint32_t function = 0;                            // Trace::functions()
  uint32_t statement = 0;                           // Function::statements
  std::optional<uint64_t> instance = std::nullopt;  // in its thread, from 1; none: the last
  uint32_t thread = kNone;  // kNone: the first that has executed it, so often
};
struct Execution {
  uint32_t thread = 0, function = 0, statement = 0;
  uint64_t time = 0;
  uint64_t instance = 0;
};
// ErrorKind::missing when there is no such execution. Reads the paths of all threads once.
Result<std::vector<Execution>> find_executions(const Trace& trace,
                                               const std::vector<ExecutionQuestion>& questions);

// What the variables of an activation were just before one of its statements was executed.
struct VariablesAt {
  Execution at;
  uint64_t depth = 0;    // activations below
  uint64_t entered = 0;  // time at which the activation began; 0: not known
  struct Known {
    SourceVariable variable;
    VariableValue value;
  };
  // Parameters and locals by declaration, then the globals of the function's file.
  std::vector<Known> variables;
};
// For each of them. Bytes are known from what recorded code stored and copied, from what library
// functions did whose effects follow from what they were given, and from what recorded code read
// next when nothing was written in between. `name`, as find_variable takes it: only variables of
// that name, of any function, and that part of them; ErrorKind::missing when there is none. Threads
// are evaluated once each, to their end. ErrorKind::unsupported when the trace has no values.
Result<std::vector<VariablesAt>> variables_at(const Trace& trace,
                                              const std::vector<Execution>& executions,
                                              std::string_view name = {});

}  // namespace vestige
VESTIGE_API_END
