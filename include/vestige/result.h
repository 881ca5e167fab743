// How every fallible call of the library answers: a value, or an Error that says what is
// wrong, where, and what to do. The library never prints, exits or aborts.
//
//     auto trace = vestige::Trace::open("prog.vst");
//     if (!trace) return complain(trace.error().message);
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace vestige {

enum class ErrorKind : uint8_t {
  usage,        // the caller asked for something that makes no sense
  corrupt,      // bytes that are not what they should be
  unsupported,  // well-formed, but of a version or kind this build does not know
  io,           // the operating system refused
  missing,      // the trace does not hold what the question needs
};

struct Error {
  ErrorKind kind = ErrorKind::io;
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected<Error>(Error{kind, std::move(message)});
}

}  // namespace vestige
