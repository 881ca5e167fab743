// Columns: windows are evaluated on all cores and handed on in order.
//
// A task is a window of a thread, or the whole of a thread when its rows need those of other
// windows (statements that are not prompt), or are kept as rows (a stored WET). Workers take tasks
// in order. Finished pieces wait in the queue of their task: at most kMostWaiting of the task that
// is read, and of all others together; their workers wait then. The first task that is not done
// always has a worker and is the one that is read, so the reader never waits for a worker that
// waits.
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "query/rows/row_source.h"
#include "trace/windows/wet_segments.h"
#include "vestige/values.h"

namespace vestige {

namespace {

constexpr size_t kPieceRows = 1 << 16;
constexpr uint64_t kSomePaths = 64;
constexpr size_t kMostWaiting = 24;
constexpr size_t kMostSpare = 8;

struct ColumnTask {
  uint32_t thread = 0;
  size_t window = 0;  // the only one, or the first of all when `whole`
  bool whole = false;
  std::deque<ColumnPiece> ready;
  bool done = false;
  std::optional<Error> error;
};

class PieceBuilder final : public EvaluationObserver {
 public:
  PieceBuilder(const Trace& trace, const ColumnOptions& options)
      : functions_(trace.functions()), options_(options) {
    begin({});
  }
  PieceBuilder(const PieceBuilder&) = delete;
  PieceBuilder& operator=(const PieceBuilder&) = delete;
  // Between pieces.
  void set_thread(uint32_t thread) { piece_.thread = thread_ = thread; }
  AccessLog* access_log() override { return &log_; }
  void drain() override {
    const auto count = static_cast<size_t>(log_.next - log_entries_.data());
    log_.next = log_entries_.data();
    if (count == 0) return;
    if (room_ - rows_ < count) make_room(2 * room_ + count);
    std::memset(known_ + rows_, ColumnPiece::kValue | ColumnPiece::kAddress, count);
    const auto fill = [&](auto* column, auto&& of) {
      if (!column) return;
      for (size_t i = 0; i < count; ++i) column[rows_ + i] = of(log_entries_[i]);
    };
    fill(values_, [](const AccessLog::Entry& entry) { return entry.value; });
    fill(addresses_, [](const AccessLog::Entry& entry) { return entry.address; });
    fill(ids_, [this](const AccessLog::Entry& entry) {
      return functions_[entry.function].first_statement + entry.statement;
    });
    fill(times_, [](const AccessLog::Entry& entry) { return entry.time; });
    rows_ += count;
  }
  void see(const Observation& row) override {
    drain();
    if (rows_ == room_) make_room(2 * room_);
    const size_t at = rows_++;
    known_[at] = static_cast<uint8_t>((row.has_value ? ColumnPiece::kValue : 0) |
                                      (row.has_address ? ColumnPiece::kAddress : 0));
    if (values_) values_[at] = row.has_value ? row.value : 0;
    if (addresses_) addresses_[at] = row.has_address ? row.address : 0;
    if (ids_) ids_[at] = functions_[row.function].first_statement + row.statement;
    if (times_) times_[at] = row.time;
  }
  size_t rows() const { return rows_ + static_cast<size_t>(log_.next - log_entries_.data()); }
  // The piece; the next one is built in the memory of `spare`.
  ColumnPiece take(ColumnPiece spare) {
    drain();
    make_room(rows_);
    ColumnPiece taken = std::move(piece_);
    begin(std::move(spare));
    return taken;
  }

 private:
  void begin(ColumnPiece spare) {
    piece_ = std::move(spare);
    piece_.thread = thread_;
    // Room as for the piece before: a window may have few rows.
    make_room(std::clamp<size_t>(rows_ + rows_ / 8, 1024, kPieceRows + 1024));
    rows_ = 0;
  }
  // All columns that are wanted have this many rows.
  void make_room(size_t rows) {
    const auto set = [&](bool wanted, auto& column) {
      if (wanted) column.resize(rows);
      return wanted ? column.data() : nullptr;
    };
    known_ = set(true, piece_.known);
    values_ = set(options_.values, piece_.values);
    addresses_ = set(options_.addresses, piece_.addresses);
    ids_ = set(options_.statement_ids, piece_.statement_ids);
    times_ = set(options_.times, piece_.times);
    room_ = rows;
  }
  const std::vector<Function>& functions_;
  const ColumnOptions& options_;
  uint32_t thread_ = 0;
  ColumnPiece piece_;
  size_t rows_ = 0, room_ = 0;
  uint8_t* known_ = nullptr;
  uint64_t *values_ = nullptr, *addresses_ = nullptr, *times_ = nullptr;  // null: not wanted
  uint32_t* ids_ = nullptr;
  std::array<AccessLog::Entry, 512> log_entries_;
  AccessLog log_{log_entries_.data(), log_entries_.data() + log_entries_.size()};
};

class ColumnReader {
 public:
  ColumnReader(const Trace& trace, const Windows& windows, const ColumnOptions& options)
      : trace_(trace), windows_(windows), options_(options), set_(trace, options.statements) {
    for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
      if (options.thread && *options.thread != thread) continue;
      const size_t count = windows.of(thread).size();
      const bool whole = !set_.prompt() || is_wet(trace.state());
      for (size_t window = 0; window < (whole ? std::min<size_t>(count, 1) : count); ++window) {
        ColumnTask& task = tasks_.emplace_back();
        task.thread = thread;
        task.window = window;
        task.whole = whole;
      }
    }
  }

  Result<void> read(const std::function<bool(const ColumnPiece&)>& take) {
    const size_t workers =
        std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), tasks_.size());
    if (workers <= 1) return read_alone(take);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < workers; ++i) {
      try {
        threads.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        break;
      }
    }
    if (threads.empty()) return read_alone(take);
    Result<void> result = hand_on(take);
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads) thread.join();
    return result;
  }

 private:
  // Memory is handed round: fresh pages for each piece would cost as much as filling them.
  ColumnPiece spare_piece() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    ColumnPiece piece = std::move(spare_.back());
    spare_.pop_back();
    return piece;
  }
  void keep_spare(ColumnPiece piece) {
    const std::lock_guard lock(mutex_);
    if (spare_.size() < kMostSpare) spare_.push_back(std::move(piece));
  }

  // What a worker keeps from task to task: what was compiled for one is of use to the next.
  struct Bench {
    explicit Bench(const ColumnReader& reader) : builder(reader.trace_, reader.options_) {}
    PieceBuilder builder;
    uint32_t thread = kNone;
    std::optional<WindowEvaluation> evaluation;
  };

  // Gives the task's pieces to `give` until that says no.
  template <class Give>
  Result<void> evaluate(Bench& bench, const ColumnTask& task, const Give& give) {
    bench.builder.set_thread(task.thread);
    if (task.whole) return evaluate_thread(bench.builder, task, give);
    const auto matters = window_matters(windows_, set_, task.thread, task.window);
    if (!matters) return std::unexpected(matters.error());
    if (!*matters) return {};
    if (auto opened = open_window(bench, task); !opened) return opened;
    while (true) {
      const auto paths = bench.evaluation->run(kSomePaths);
      const bool last = !paths || *paths == 0;
      if (bench.builder.rows() > 0 && (last || bench.builder.rows() >= kPieceRows))
        if (!give(bench.builder.take(spare_piece()))) return {};
      if (!paths) return std::unexpected(paths.error());
      if (last) return {};
    }
  }

  // An exception must not leave a thread.
  template <class Give>
  Result<void> evaluate_safely(Bench& bench, const ColumnTask& task, const Give& give) {
    try {
      return evaluate(bench, task, give);
    } catch (const std::bad_alloc&) {
      return fail(ErrorKind::io, trace_.file() + ": there is not enough memory to evaluate it");
    }
  }

  Result<void> open_window(Bench& bench, const ColumnTask& task) {
    if (bench.thread == task.thread && bench.evaluation)
      return windows_.go_to(*bench.evaluation, task.window);
    bench.evaluation.reset();
    auto evaluation = windows_.begin(task.thread, task.window);
    if (!evaluation) return std::unexpected(std::move(evaluation.error()));
    bench.evaluation.emplace(std::move(*evaluation));
    bench.evaluation->evaluator().observe_only(bench.builder, set_.bits());
    bench.thread = task.thread;
    return {};
  }

  template <class Give>
  Result<void> evaluate_thread(PieceBuilder& builder, const ColumnTask& task, const Give& give) {
    auto rows = open_rows(trace_, windows_, set_, {.thread = task.thread});
    if (!rows) return std::unexpected(std::move(rows.error()));
    std::vector<Observation> some;
    while (true) {
      some.clear();
      const auto read = (*rows)->read(some);
      for (const Observation& row : some) builder.see(row);
      if (!read || !*read || builder.rows() >= kPieceRows)
        if (builder.rows() > 0 && !give(builder.take(spare_piece()))) return {};
      if (!read) return std::unexpected(read.error());
      if (!*read) return {};
    }
  }

  Result<void> read_alone(const std::function<bool(const ColumnPiece&)>& take) {
    bool wanted = true;
    Bench bench(*this);
    for (const ColumnTask& task : tasks_) {
      auto done = evaluate(bench, task, [&](ColumnPiece piece) {
        wanted = take(piece);
        keep_spare(std::move(piece));
        return wanted;
      });
      if (!done || !wanted) return done;
    }
    return {};
  }

  void work() {
    Bench bench(*this);
    while (true) {
      ColumnTask* taken = nullptr;
      {
        const std::lock_guard lock(mutex_);
        if (stop_ || next_task_ == tasks_.size()) return;
        taken = &tasks_[next_task_++];
      }
      ColumnTask& task = *taken;
      auto done = evaluate_safely(bench, task, [&](ColumnPiece piece) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] {
          return stop_ || (&task == read_ ? task.ready.size() : waiting_) < kMostWaiting;
        });
        task.ready.push_back(std::move(piece));
        ++waiting_;
        lock.unlock();
        wake_.notify_all();
        return !stop_;
      });
      {
        const std::lock_guard lock(mutex_);
        task.done = true;
        if (!done) task.error = std::move(done.error());
      }
      wake_.notify_all();
    }
  }

  Result<void> hand_on(const std::function<bool(const ColumnPiece&)>& take) {
    for (ColumnTask& task : tasks_) {
      std::unique_lock lock(mutex_);
      read_ = &task;
      wake_.notify_all();
      while (true) {
        wake_.wait(lock, [&] { return task.done || !task.ready.empty(); });
        if (task.ready.empty()) break;
        ColumnPiece piece = std::move(task.ready.front());
        task.ready.pop_front();
        --waiting_;
        lock.unlock();
        wake_.notify_all();
        if (!take(piece)) return {};
        keep_spare(std::move(piece));
        lock.lock();
      }
      if (task.error) return std::unexpected(*task.error);
    }
    return {};
  }

  const Trace& trace_;
  const Windows& windows_;
  const ColumnOptions& options_;
  const StatementSet set_;
  std::deque<ColumnTask> tasks_;
  std::mutex mutex_;
  std::condition_variable wake_;
  size_t next_task_ = 0;
  const ColumnTask* read_ = nullptr;
  size_t waiting_ = 0;  // pieces, in all
  std::vector<ColumnPiece> spare_;
  std::atomic<bool> stop_ = false;
};

}  // namespace

Result<void> read_columns(const Trace& trace, const ColumnOptions& options,
                          const std::function<bool(const ColumnPiece&)>& take) {
  const auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(windows.error());
  return ColumnReader(trace, *windows, options).read(take);
}

}  // namespace vestige
