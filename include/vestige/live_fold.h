// Descriptors of a recording, made while it is recorded.
//
//     vestige::LiveFold fold(options.output);
//     options.written = [&](auto... what) { fold.written(what...); };
//     auto summary = vestige::record(options);
//     auto descriptors = fold.finish();
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "vestige/api.h"
#include "vestige/spmd.h"

VESTIGE_API_BEGIN
namespace vestige {

// A thread of its own reads the file behind the recorder. What it cannot do meanwhile (a library or
// a process comes later, a process was forked) is done at the end; the result is the same.
class LiveFold {
 public:
  explicit LiveFold(std::string recording);
  ~LiveFold();
  LiveFold(const LiveFold&) = delete;

  // For RecordOptions::written, which calls it on one thread.
  void written(uint32_t thread, uint64_t time, uint64_t bytes);
  // The recording is complete.
  Result<Descriptors> finish();
  uint64_t paths_meanwhile() const;  // how many were folded before finish()

 private:
  struct VESTIGE_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace vestige
VESTIGE_API_END
