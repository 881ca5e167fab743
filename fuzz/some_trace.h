// A trace for targets that need one beside their bytes.
#pragma once

#include <unistd.h>

#include "fuzz.h"
#include "trace/index/recording.h"
#include "vestige/trace.h"

namespace vestige {

inline const Trace& some_trace() {
  static const Trace trace = [] {
    const auto recording =
        windows_test::record_random({.seed = 3, .threads = 1, .paths = 100, .throws = 0.05});
    auto opened = Trace::open(recording.path);
    require(opened.has_value(), "no trace");
    unlink(recording.path.c_str());
    return std::move(*opened);
  }();
  return trace;
}

}  // namespace vestige
