// Descriptors of a recording, made while it is recorded.
//
//     vestige::LiveFold fold(options.output);
//     options.written = [&](auto... what) { fold.written(what...); };
//     auto summary = vestige::record(options);
//     auto descriptors = fold.finish();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "vestige/api.h"
#include "vestige/spmd.h"

VESTIGE_API_BEGIN
namespace vestige {

// A thread of its own reads the file behind the recorder. What it cannot do meanwhile (a library or
// a process comes later, a process was forked) is done at the end; the result is the same.
class LiveFold {
 public:
  // Where most of what a program does follows no fixed steps, folding it takes many times what
  // recording it takes, and the descriptors are hardly smaller than the recording. Folding that can
  // be put off: the recording has the same references, and is folded when it is wanted.
  enum class Irregular : uint8_t { fold, put_off };
  explicit LiveFold(std::string recording, Irregular irregular = Irregular::fold);
  ~LiveFold();
  LiveFold(const LiveFold&) = delete;

  // For RecordOptions::written, which calls it on one thread.
  void written(uint32_t thread, uint64_t time, uint64_t bytes);
  // The recording is complete.
  Result<Descriptors> finish();
  // The same; nothing: folding is put off, as Irregular::put_off allows.
  Result<std::optional<Descriptors>> finish_if_it_pays();
  // Behind finish(): how many were folded before it, and not once more in it.
  uint64_t paths_meanwhile() const;

 private:
  struct VESTIGE_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace vestige
VESTIGE_API_END
