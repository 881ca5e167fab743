#include <algorithm>
#include <map>
#include <set>

#include "query/variables/global_names.h"
#include "vestige/sync_chart.h"

namespace vestige {

bool sync_gives(SyncKind kind) {
  switch (kind) {
    case SyncKind::mutex_unlock:
    case SyncKind::rwlock_unlock:
    case SyncKind::spin_unlock:
    case SyncKind::cond_wait:
    case SyncKind::cond_signal:
    case SyncKind::cond_broadcast:
    case SyncKind::barrier_arrive:
    case SyncKind::sem_post:
    case SyncKind::once_done:
    case SyncKind::thread_create:
    case SyncKind::omp_give:
    case SyncKind::mpi_send:
    case SyncKind::mpi_arrive:
    case SyncKind::mpi_unlock:
    case SyncKind::descriptor_give:
    case SyncKind::atomic_store:
      return true;
    default:
      return false;
  }
}

bool sync_takes(SyncKind kind) {
  switch (kind) {
    case SyncKind::mutex_lock:
    case SyncKind::read_lock:
    case SyncKind::write_lock:
    case SyncKind::spin_lock:
    case SyncKind::cond_wake:
    case SyncKind::barrier_leave:
    case SyncKind::sem_wait:
    case SyncKind::once:
    case SyncKind::thread_join:
    case SyncKind::omp_take:
    case SyncKind::mpi_receive:
    case SyncKind::mpi_leave:
    case SyncKind::mpi_lock:
    case SyncKind::descriptor_take:
    case SyncKind::atomic_load:
      return true;
    default:
      return false;
  }
}

namespace {

class Drawing {
 public:
  Drawing(const Trace& trace, const SyncChartOptions& options)
      : trace_(trace), options_(options), names_(trace) {}

  Result<SyncChart> draw() {
    // How many there are, and how many rows they make.
    uint64_t rows = 0;
    if (auto read = each([&](uint64_t, const SyncOperation& op, uint64_t) {
          ++chart_.operations;
          rows += op.thread != last_;
          last_ = op.thread;
          threads_.insert(op.thread);
        });
        !read)
      return std::unexpected(std::move(read.error()));
    chart_.threads.assign(threads_.begin(), threads_.end());
    const uint64_t most = std::max<uint64_t>(1, options_.most_rows);
    chart_.collapsed = rows > most;
    const uint64_t per_row = (chart_.operations + most - 1) / most;
    uint64_t number = 0;
    last_ = kNone;
    if (auto read = each([&](uint64_t order, const SyncOperation& op, uint64_t message) {
          const bool fresh = chart_.collapsed ? number % per_row == 0 : op.thread != last_;
          ++number;
          last_ = op.thread;
          if (fresh) chart_.rows.push_back({order, order, {}});
          add(chart_.rows.back(), order, op, message);
        });
        !read)
      return std::unexpected(std::move(read.error()));
    return std::move(chart_);
  }

 private:
  // Calls use(order, operation, which message of its object it is).
  template <class Use>
  Result<void> each(const Use& use) {
    auto order = SyncOrderCursor::open(trace_);
    if (!order) return std::unexpected(std::move(order.error()));
    std::map<std::pair<uint64_t, bool>, uint64_t> messages;  // by object, in or out
    uint64_t place = 0;
    while (order->next()) {
      const SyncOperation& op = order->operation();
      ++place;
      const bool gives = sync_gives(op.kind);
      uint64_t message = 0;
      if (gives || sync_takes(op.kind)) message = ++messages[{op.object, gives}];
      if (place >= options_.first && place <= options_.last) use(place, op, message);
    }
    if (order->error()) return std::unexpected(*order->error());
    return {};
  }

  void add(SyncChart::Row& row, uint64_t order, const SyncOperation& op, uint64_t message) {
    row.last = order;
    auto cell = std::ranges::lower_bound(row.cells, op.thread, {}, &SyncChart::Cell::thread);
    if (cell == row.cells.end() || cell->thread != op.thread)
      cell = row.cells.insert(cell, {op.thread, 0, 0, 0, {}});
    ++cell->operations;
    cell->gives += sync_gives(op.kind);
    cell->takes += sync_takes(op.kind);
    if (chart_.collapsed) return;
    std::string text(sync_kind_name(op.kind));
    if (op.kind == SyncKind::mpi_send) text += " to " + std::to_string(op.result);
    if (op.kind == SyncKind::mpi_receive) text += " from " + std::to_string(op.result);
    if (op.kind == SyncKind::mpi_lock || op.kind == SyncKind::mpi_unlock ||
        op.kind == SyncKind::mpi_access)
      text += " at " + std::to_string(op.result);
    if (is_message(op.kind) && op.kind > SyncKind::mpi_receive && message_tag(op.other) != 0)
      text += " (" +
              std::string(mpi_function_name(static_cast<MpiFunction>(message_tag(op.other)))) + ")";
    if (op.object != 0) text += " " + name_of(op);
    if (message != 0) text += (sync_gives(op.kind) ? " !" : " ?") + std::to_string(message);
    if (cell->texts.size() < 2)
      cell->texts.push_back(std::move(text));
    else
      cell->texts.back() = std::move(text);
  }

  // The variable; others are numbered as they come.
  const std::string& name_of(const SyncOperation& op) {
    auto [at, fresh] = named_.try_emplace(op.object);
    if (fresh) {
      std::string name = names_.at(op.object, 1);
      name = name.substr(0, name.find(".__"));
      at->second = name.empty() ? "#" + std::to_string(++unnamed_) : name;
    }
    return at->second;
  }

  const Trace& trace_;
  const SyncChartOptions& options_;
  const races::GlobalNames names_;
  SyncChart chart_;
  std::set<uint32_t> threads_;
  uint32_t last_ = kNone;
  std::map<uint64_t, std::string> named_;
  uint64_t unnamed_ = 0;
};

}  // namespace

Result<SyncChart> sync_chart(const Trace& trace, const SyncChartOptions& options) {
  return Drawing(trace, options).draw();
}

}  // namespace vestige
