// A recording as the text that trace-based race detectors read (docs/threads.md).
//
// Locks are locks. What orders by other means has no word in that format, but a thread's creation and
// its join order both what other detectors compute and what they may reorder. So an edge is a thread
// of its own without events: who gives makes it, who takes joins it.
#include <charconv>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "query/threads/events.h"
#include "query/threads/lives.h"
#include "query/threads/pieces.h"
#include "vestige/export.h"

namespace vestige {

using namespace threads;

namespace {

constexpr size_t kPieceBytes = 1 << 18;

class StdWriter final : public EventVisitor {
 public:
  StdWriter(const Trace& trace, const StdExportOptions& options, const Pieces& pieces,
            std::unordered_set<uint64_t> givers, StdExportReport& report,
            const std::function<bool(std::string_view)>& write)
      : trace_(trace),
        options_(options),
        pieces_(pieces),
        givers_(std::move(givers)),
        report_(report),
        write_(write),
        atomic_(atomic_statements(trace)),
        lives_(trace.processes().size()),
        cursors_(trace.threads().size()) {}

  bool access(uint64_t, const Reference& reference) override {
    if (atomic_[reference.statement_id]) return true;
    const uint32_t process = trace_.threads()[reference.thread].process;
    const char kind = reference.kind == Reference::Kind::read ? 'r' : 'w';
    pieces_.each(reference.address, reference.bytes, [&](uint64_t address, uint64_t) {
      if (options_.shared_only && !pieces_.shared(address)) return;
      thread(reference.thread);
      text_ += kind;
      text_ += "(V";
      number(address, 16);
      const uint64_t life = lives_[process].at(address);
      if (life != 0 || process != 0) text_ += '.', number(life);
      if (process != 0) text_ += '.', number(process);
      text_ += ")|";
      end(reference.statement_id);
      ++report_.accesses;
    });
    return flushed(kPieceBytes);
  }

  bool operation(const Operation& op) override {
    if (op.sync.kind == SyncKind::allocated)
      lives_[trace_.threads()[op.thread].process].begin(op.sync.object, op.sync.other);
    const bool gives = givers_.contains(op.index);
    if (op.role == Operation::Role::none && op.behind.empty() && !gives) return true;
    const uint64_t place = place_of(op);
    for (const uint64_t index : op.behind) event(op.thread, "join(T", edge(index), place);
    if (op.role == Operation::Role::forks) event(op.thread, "fork(T", op.other, place);
    if (op.role == Operation::Role::joins) event(op.thread, "join(T", op.other, place);
    if (op.role == Operation::Role::acquires)
      for (const uint32_t lock : op.locks) event(op.thread, "acq(L", lock, place);
    if (op.role == Operation::Role::releases)
      for (size_t i = op.locks.size(); i-- > 0;) event(op.thread, "rel(L", op.locks[i], place);
    if (gives) event(op.thread, "fork(T", edge(op.index), place);
    return flushed(kPieceBytes);
  }

  bool flushed(size_t most = 0) {
    if (text_.size() <= most) return true;
    const bool goes_on = write_(text_);
    text_.clear();
    return goes_on;
  }

 private:
  void number(uint64_t value, int base = 10) {
    char digits[20];
    const auto done = std::to_chars(digits, digits + sizeof digits, value, base);
    text_.append(digits, done.ptr);
  }
  void thread(uint32_t t) {
    text_ += 'T';
    number(t);
    text_ += '|';
  }
  void end(uint64_t place) {
    number(place);
    text_ += '\n';
    ++report_.events;
  }
  void event(uint32_t t, std::string_view what, uint64_t target, uint64_t place) {
    thread(t);
    text_ += what;
    number(target);
    text_ += ")|";
    end(place);
  }
  // The number of the thread that stands for what an operation gave.
  uint64_t edge(uint64_t index) {
    const auto [at, fresh] = edges_.try_emplace(index, trace_.threads().size() + edges_.size());
    report_.edges += fresh;
    return at->second;
  }
  // #ID of the statement that did it; 0 when that is not known.
  uint64_t place_of(const Operation& op) {
    auto& cursor = cursors_[op.sync.thread];
    if (!cursor) {
      auto walk = trace_.walk(op.sync.thread);
      if (!walk) return 0;
      cursor = std::make_unique<PathCursor>(std::move(*walk));
    }
    if (op.sync.time == 0 || !cursor->seek(op.sync.time)) return 0;
    const Path& path = cursor->path();
    const Function& function = trace_.functions()[path.function];
    if (path.segments.empty()) return 0;
    const Segment& last = function.segments[path.segments.back()];
    return uint64_t{function.first_statement} + last.first_statement +
           (last.statement_count == 0 ? 0 : last.statement_count - 1);
  }

  const Trace& trace_;
  const StdExportOptions& options_;
  const Pieces& pieces_;
  const std::unordered_set<uint64_t> givers_;
  StdExportReport& report_;
  const std::function<bool(std::string_view)>& write_;
  const std::vector<bool> atomic_;
  std::vector<Lives> lives_;  // by process
  std::vector<std::unique_ptr<PathCursor>> cursors_;
  std::unordered_map<uint64_t, uint64_t> edges_;
  std::string text_;
};

}  // namespace

Result<StdExportReport> export_std(const Trace& trace, const StdExportOptions& options,
                                   const std::function<bool(std::string_view)>& write) {
  const auto pieces = Pieces::read(trace);
  if (!pieces) return std::unexpected(pieces.error());
  std::unordered_set<uint64_t> givers;
  auto operations = OperationReader::open(trace, {});
  if (!operations) return std::unexpected(std::move(operations.error()));
  while (const Operation* operation = operations->next())
    givers.insert(operation->behind.begin(), operation->behind.end());
  if (operations->error()) return std::unexpected(*operations->error());
  StdExportReport report;
  StdWriter writer(trace, options, *pieces, std::move(givers), report, write);
  const auto counts = read_events(trace, {}, writer);
  if (!counts) return std::unexpected(counts.error());
  writer.flushed();
  report.unknown = counts->unknown;
  return report;
}

}  // namespace vestige
