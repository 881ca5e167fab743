// What a full recording holds besides paths, as the evaluator wants it.
#pragma once

#include <memory>
#include <optional>

#include "store/value_rows.h"
#include "trace/state.h"
#include "trace/told/inputs.h"

namespace vestige {

// Whether values of this thread were told.
Result<bool> tells_values(const Trace::State& state, uint32_t thread);

// The threads that have paths and of which values were told; ErrorKind::unsupported: none.
Result<std::vector<uint32_t>> threads_told(const Trace& trace);
// The thread whose process forked this one's; nothing when no fork made it.
std::optional<uint32_t> forked_from(const Trace& trace, uint32_t thread);

// The values told of one thread, or those given to be compared with (kChecked is off in them).
// Stops early at damage, which error() then describes. The program counts the paths of code that
// was not registered yet, the trace does not: what they told is left out, and the times behind them
// are the trace's.
class ToldValues final : public ToldValueSource {
 public:
  enum class Which : uint8_t { told, checked };
  // The state must outlive it.
  ToldValues(const Trace::State& state, uint32_t thread, Which which = Which::told)
      : state_(state), thread_(thread), checked_(which == Which::checked) {}
  bool next(ToldValue& next) override;
  const std::optional<Error>& error() const { return error_; }

 private:
  // Paths that the trace does not count: the program's times [begin, end).
  struct Uncounted {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  bool load();
  void find_uncounted();
  // Of the program's time, which rises; nothing: that path is not in the trace.
  std::optional<uint64_t> time_in_trace(uint64_t time);
  const Trace::State& state_;
  const uint32_t thread_;
  const bool checked_;
  size_t next_row_ = 0;  // among State::value_rows
  ValuesChunk chunk_;
  std::unique_ptr<ValueRowsDecoder> decoder_;
  std::vector<ToldValue> values_;
  size_t at_ = 0;
  std::optional<std::vector<Uncounted>> uncounted_;
  size_t next_uncounted_ = 0;
  uint64_t left_out_ = 0;  // paths of those that ended
  std::optional<Error> error_;
};

// By function of the trace.

}  // namespace vestige
