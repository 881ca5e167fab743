#include "query/rows/transfer_source.h"

#include "query/rows/row_source.h"
#include "vestige/values.h"

namespace vestige {

TransferSource::TransferSource(const Trace& trace, const Windows& windows)
    : windows_(windows), set_(trace, all_library_calls(trace)) {}

void TransferSource::begin(uint32_t thread, size_t window) {
  thread_ = thread;
  next_window_ = window;
  before_ = true;
  inside_ = false;
}

Result<bool> TransferSource::read(std::vector<Transfer>& transfers, uint64_t last_time) {
  transfers.clear();
  out_ = &transfers;
  while (transfers.empty()) {
    if (inside_ && evaluation_->evaluator().time() >= last_time) return false;
    if (!inside_) {
      const auto all = windows_.of(thread_);
      if (next_window_ >= all.size() || all[next_window_].first_time > last_time) return false;
      const auto opened = open_window(last_time != UINT64_MAX);
      if (!opened) return std::unexpected(opened.error());
      if (!*opened) return false;
    }
    const auto paths = evaluation_->run(1 << 8);
    if (!paths) return std::unexpected(paths.error());
    inside_ = *paths > 0;
  }
  return !transfers.empty();
}

// `every`: a call may come back several windows behind its own, which make no such calls.
Result<bool> TransferSource::open_window(bool every) {
  if (none()) return false;
  for (const size_t count = windows_.of(thread_).size(); next_window_ < count;) {
    const size_t window = next_window_++;
    const auto makes = window_matters(windows_, set_, thread_, window);
    if (!makes) return std::unexpected(makes.error());
    if (!std::exchange(before_, *makes) && !*makes && !every) continue;
    if (evaluation_ && evaluated_ == thread_) {
      if (auto gone = windows_.go_to(*evaluation_, window); !gone)
        return std::unexpected(std::move(gone.error()));
    } else {
      auto evaluation = windows_.begin(thread_, window);
      if (!evaluation) return std::unexpected(std::move(evaluation.error()));
      evaluation_.emplace(std::move(*evaluation));
      evaluated_ = thread_;
      evaluation_->evaluator().observe(*this, std::vector<bool>(set_.bits().size()));
    }
    return inside_ = true;
  }
  return false;
}

}  // namespace vestige
