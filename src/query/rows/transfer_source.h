// What calls of library functions read and wrote in one thread, in order, piece by piece.
//
// Only windows that make such calls are evaluated, and the one behind each: a call may come back
// there.
//
// One owner thread.
#pragma once

#include <optional>
#include <vector>

#include "query/rows/statement_set.h"
#include "trace/eval/observer.h"
#include "trace/windows/windows.h"

namespace vestige {

class TransferSource final : public EvaluationObserver {
 public:
  // The trace and windows must outlive it. Not movable: the evaluator points to it.
  TransferSource(const Trace& trace, const Windows& windows);
  TransferSource(const TransferSource&) = delete;
  TransferSource& operator=(const TransferSource&) = delete;

  bool none() const { return set_.functions().empty(); }
  // Starts anew, in this window of this thread.
  void begin(uint32_t thread, size_t window = 0);
  // Replaces `transfers` by the next ones, at least one; false: there are no more up to the path of
  // this time. Some may be of later paths.
  Result<bool> read(std::vector<Transfer>& transfers, uint64_t last_time = UINT64_MAX);

  void see(const Observation&) override {}
  void transfer(const Transfer& transfer) override { out_->push_back(transfer); }

 private:
  Result<bool> open_window(bool every);

  const Windows& windows_;
  const StatementSet set_;
  uint32_t thread_ = 0;
  size_t next_window_ = 0;
  bool before_ = true;  // the window before makes such calls, or was not looked at
  bool inside_ = false;
  std::optional<WindowEvaluation> evaluation_;
  uint32_t evaluated_ = kNone;  // the thread that evaluation is of
  std::vector<Transfer>* out_ = nullptr;
};

}  // namespace vestige
