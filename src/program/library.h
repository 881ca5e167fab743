// What calls of library functions and system calls do to memory.
//
// Unrecorded code leaves no stores behind, but which bytes strcpy or read wrote follows from what
// they were given, from what they returned, and sometimes from a length that must be measured in
// the program once the call is back. A table (library.cpp) says so for functions known by name; the
// pass puts what it says of a call into the program record (the call's attributes), so whoever
// reads a trace needs neither the table nor the name.
//
// A call has *measures*, numbers that the program tells behind it, and *ranges* of bytes. A range
// is made of terms: numbers, arguments of the call, its result, measures.
//
//   to     written, from address `to` + `offset`; none: the range is only read
//   from   copied from there, byte by byte; of a range that is only read: where it is
//   bytes  length × times + plus, but no more than `most`
//
// Ranges hold for calls that ran unrecorded code (program/derive.h, "the call edge") and came back,
// and where `when` holds of the term `tested`. One with an address of 0, or a copy onto itself, is
// no range. All that is read is read before anything is written; what is written later in the list
// lies over what is written earlier.
//
// What the table says is the whole truth of these functions as far as the program can see, but for
// few: fread may write part of an element that it does not count, strtok writes its zero where one
// may be already, a zero byte inside of a line ends what fgets is known to have written, and poll
// and select write less than their structures. Functions not in the table may write anything.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/program.h"

namespace vestige {

struct LibraryTerm {
  enum class Kind : uint8_t {
    none = 0,
    number = 1,
    argument = 2,
    result = 3,
    measure = 4
  };  // on disk
  Kind kind = Kind::none;
  uint32_t number = 0;
  bool operator==(const LibraryTerm&) const = default;
};

struct LibraryRange {
  enum class Kind : uint8_t {  // on disk
    copy = 1,                  // each byte is one of `from`
    outside = 2,               // comes from outside of the program
    computed = 3,              // from what the call was given and what it read
    read = 4,                  // nothing is written
  };
  enum class When : uint8_t { always = 0, nonzero = 1, zero = 2, at_least = 3 };  // on disk
  Kind kind = Kind::computed;
  When when = When::always;
  LibraryTerm tested;
  uint32_t bound = 0;  // at_least, as signed numbers
  LibraryTerm to, offset, from, length, times, most;
  uint32_t plus = 0;
  bool operator==(const LibraryRange&) const = default;
};

// A number that the program tells, of eight bytes, when the call is back. kUnmeasured: it cannot,
// or what it would have to look at is at address 0.
struct LibraryMeasure {
  enum class Kind : uint8_t {
    text,      // how many bytes `of` points to before a zero; at most `with`, when there is one
    appended,  // the same of `of`, less those of `with`, at most `most`
    common,   // bytes that the texts `of` and `with` have in common before they end; at most `most`
    numeral,  // length of the number written at `of`, with the space before it
    distance,   // from `with` to `of`
    word,       // the eight bytes `of` points to
    half,       // the four bytes
    allocated,  // what malloc gave for `of`; measured before the call
  };
  Kind kind = Kind::text;
  LibraryTerm of, with, most;
  uint32_t least = 0;  // not 0: only when the result, as a signed number, is at least this
};
inline constexpr uint64_t kUnmeasured = UINT64_MAX;

struct LibraryCall {
  std::vector<LibraryMeasure> measures;
  std::vector<LibraryRange> ranges;
  LibraryTerm measure(LibraryMeasure what) {
    measures.push_back(what);
    return {LibraryTerm::Kind::measure, static_cast<uint32_t>(measures.size() - 1)};
  }
};

// How the text of a format is used, by functions that have one.
struct FormatUse {
  enum class Kind : uint8_t { none, prints, scans } kind = Kind::none;
  uint32_t format = 0;   // argument
  bool outside = false;  // scans: what is scanned comes from outside
};

// A function of the table. `types`: the result's and the arguments' types as the program table
// spells them; one that has others is another function.
struct LibraryFunction {
  std::string_view name;
  // The result, then the arguments: p pointer, i integer, f floating point or anything else, v
  // nothing; '*' at the end: and any more.
  std::string_view types;
  LibraryCall call;
  FormatUse format = {};
};
const LibraryFunction* find_library_function(std::string_view name);
// A system call by number, as syscall(2) makes it; its arguments begin with the number.
const LibraryFunction* find_system_call(uint64_t number);
bool library_types_match(const LibraryFunction& function, std::span<const std::string_view> types);
// Adds the ranges that a format means.
void add_format(std::string_view format, const FormatUse& use, uint32_t arguments,
                LibraryCall& call);

// ---- in the program record ----------------------------------------------------------------------
//
// Of a call with ranges, behind the flags: how many measures, then ten numbers for each range
// (docs/format.md).

std::vector<uint32_t> library_attributes(const LibraryCall& call);

// Any more are not looked at: no function has so many.
inline constexpr uint32_t kMostMeasures = 64;
struct LibraryEffects {
  uint32_t measures = 0;
  std::vector<LibraryRange> ranges;
};
// Of a statement; no ranges when it has none, or its attributes make no sense.
LibraryEffects library_effects(const Statement& statement);
bool has_library_effects(const Statement& statement);
// The number under which a function's first measure of this call is told, where the first of
// all has `first_index`: behind its statements, arguments and their parts (PartIndices).
std::vector<uint32_t> first_measures(const Function& function,
                                     uint32_t first_index);  // by statement

}  // namespace vestige
