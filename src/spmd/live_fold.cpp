#include "vestige/live_fold.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/quiet_thread.h"
#include "spmd/fold_trace.h"
#include "trace/state.h"

namespace vestige {

using namespace spmd;

struct LiveFold::State {
  const std::string recording;
  const Irregular irregular;

  std::mutex mutex;  // guards what follows
  std::condition_variable wake;
  std::map<uint32_t, uint64_t> news;  // thread → time
  uint64_t bytes = 0;
  bool ending = false;

  // The worker's until it has ended.
  std::optional<Trace> trace;
  std::unique_ptr<TraceFold> fold;
  TraceFold::Irregular seen;  // by folds that were begun
  bool gave_up = false;
  static constexpr uint64_t kMostLost = 1 << 24;
  uint64_t paths = 0, lost = 0;
  std::thread worker;

  State(std::string file, Irregular irregular) : recording(std::move(file)), irregular(irregular) {}
  ~State() { end(); }

  void end() {
    {
      const std::scoped_lock lock(mutex);
      ending = true;
    }
    wake.notify_one();
    if (worker.joinable()) worker.join();
  }
  void work() {
    while (!gave_up) {
      std::map<uint32_t, uint64_t> now;
      uint64_t whole = 0;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return ending || !news.empty(); });
        if (ending) break;
        now.swap(news);
        whole = bytes;
      }
      gave_up = !follow(now, whole) && !begin_anew();
    }
    if (fold) paths = fold->paths();
  }
  bool follow(const std::map<uint32_t, uint64_t>& now, uint64_t whole) {
    if (!trace) {
      auto opened = Trace::follow(recording, whole);
      if (!opened) return false;
      trace.emplace(std::move(*opened));
      auto begun = TraceFold::open(*trace, {});
      if (!begun) return false;
      fold = std::move(*begun);
      if (irregular == Irregular::put_off) fold->stop_where_irregular(seen);
    } else if (const auto grown = trace->catch_up(whole); !grown || !*grown) {
      return false;
    }
    for (const auto& [thread, time] : now)
      if (thread < trace->threads().size() && !fold->go_on_until(thread, time)) return false;
    return true;
  }
  // Something came that changes what was known. At the beginning that is usual, and little is lost.
  bool begin_anew() {
    if (fold) {
      lost += fold->paths();
      seen = fold->irregular();
    }
    fold.reset();
    trace.reset();
    return lost < kMostLost;
  }
  static Result<std::optional<Form>> finish(TraceFold& fold, bool all) {
    if (!all) return fold.finish_if_it_pays();
    auto form = fold.finish();
    if (!form) return std::unexpected(form.error());
    return std::optional(std::move(*form));
  }
  // An error: the recording is to be folded as it is.
  Result<std::optional<Form>> complete(const Trace& whole, bool all) {
    const auto grown = gave_up || !fold ? false : trace->catch_up(UINT64_MAX);
    if (!grown || !*grown ||
        trace->state().store.rows().size() != whole.state().store.rows().size())
      return fail(ErrorKind::unsupported, "it was not followed");
    return finish(*fold, all);
  }
  Result<std::optional<Form>> fold_anew(const Trace& whole, bool all) const {
    auto begun = TraceFold::open(whole, {});
    if (!begun) return std::unexpected(begun.error());
    if (irregular == Irregular::put_off)
      (*begun)->stop_where_irregular(fold ? fold->irregular() : seen);
    return finish(**begun, all);
  }
  Result<std::optional<Descriptors>> finish(bool all);
};

Result<std::optional<Descriptors>> LiveFold::State::finish(bool all) {
  end();
  const auto whole = Trace::open(recording);
  if (!whole) return std::unexpected(whole.error());
  auto form = complete(*whole, all);
  if (!form) {
    paths = 0;
    form = fold_anew(*whole, all);
  }
  if (!form) return std::unexpected(form.error());
  if (!*form) return std::nullopt;
  return Descriptors::of(std::move(**form), whole->file());
}

LiveFold::LiveFold(std::string recording, Irregular irregular)
    : state_(std::make_unique<State>(std::move(recording), irregular)) {}
LiveFold::~LiveFold() = default;

void LiveFold::written(uint32_t thread, uint64_t time, uint64_t bytes) {
  if (time == 0) return;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->news[thread] = time;
    state_->bytes = bytes;
  }
  if (!state_->worker.joinable())
    state_->worker = quiet_thread([state = state_.get()] { state->work(); });
  state_->wake.notify_one();
}

Result<Descriptors> LiveFold::finish() {
  auto folded = state_->finish(true);
  if (!folded) return std::unexpected(folded.error());
  return std::move(**folded);
}

Result<std::optional<Descriptors>> LiveFold::finish_if_it_pays() { return state_->finish(false); }

uint64_t LiveFold::paths_meanwhile() const { return state_->paths; }

}  // namespace vestige
