#include "report.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "command_line.h"

namespace vestige::cli {
namespace {

// One write per sentence: the target may be writing to the same terminal.
void print(std::string_view prefix, std::string_view sentence) {
  std::string line = fmt::format("{}{}", prefix, sentence);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void report_error(std::string_view sentence) { print("vestige: ", sentence); }
void report_note(std::string_view sentence) { print("vestige: note: ", sentence); }

int report(const Error& error) {
  report_error(error.message);
  switch (error.kind) {
    case ErrorKind::usage:
      return kWrongUse;
    case ErrorKind::corrupt:
    case ErrorKind::unsupported:
    case ErrorKind::missing:
      return kBadTrace;
    case ErrorKind::io:
      return kIo;
  }
  return kIo;
}

int report_trace(const Error& error) {
  const int code = report(error);
  return code == kIo ? kBadTrace : code;
}

int report_name(const Error& error) {
  const int code = report(error);
  return error.kind == ErrorKind::missing ? kWrongUse : code;
}

int report_conversion(const Error& error) {
  if (error.kind == ErrorKind::io && error.message.ends_with(std::strerror(EPIPE))) return kDone;
  return report(error);
}

}  // namespace vestige::cli
