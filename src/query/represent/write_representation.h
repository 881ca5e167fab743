// How a trace in another form becomes a file.
#pragma once

#include <string>
#include <utility>

#include "store/writer.h"
#include "vestige/trace.h"

namespace vestige {

inline std::unexpected<Error> represents_already(const Trace& trace) {
  return fail(ErrorKind::unsupported,
              trace.file() +
                  ": it is a representation already; make another from the recording that it was "
                  "made from");
}

// `write(writer)` writes all of it and gives a report, which gets the size of the file. What is not
// written whole is not left behind.
template <class Write>
auto write_representation(const std::string& file, const Write& write)
    -> decltype(write(std::declval<StoreWriter&>())) {
  auto writer = StoreWriter::create(file);
  if (!writer) return std::unexpected(std::move(writer.error()));
  auto report = write(*writer);
  if (!report) {
    writer->discard();
    return report;
  }
  const auto written = Trace::open(file);
  if (!written) return std::unexpected(written.error());
  report->file_bytes = written->file_bytes();
  return report;
}

}  // namespace vestige
