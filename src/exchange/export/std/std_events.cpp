// A recording as the text that trace-based race detectors read (docs/threads.md).
//
// Locks are locks. What orders by other means has no word in that format, but a thread's creation
// and its join order both what other detectors compute and what they may reorder. So an edge is a
// thread of its own without events: who gives makes it, who takes joins it. Slots of deferred tasks
// (tasks.h) are threads too.
#include <algorithm>
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

// Which strand each thread is in, and whether that is a task that uses memory of its thread's own.
class Strands {
 public:
  explicit Strands(const Trace& trace) : now_(trace.threads().size()) {
    for (uint32_t t = 0; t < now_.size(); ++t) now_[t].strand = t;
  }
  void operation(const Operation& op) {
    Now& now = now_[op.thread];
    now.strand = op.next_strand;
    now.in_task = op.tasks != nullptr && op.tasks->in_task(op.thread, now.task);
    tasks_ = op.tasks;
  }
  uint32_t of(uint32_t thread) const { return now_[thread].strand; }
  const TaskNumber& task(uint32_t thread) const { return now_[thread].task; }
  bool uses_own(const Reference& reference) const {
    if (!now_[reference.thread].in_task) return false;
    return std::ranges::any_of(tasks_->own_memory(), [&](const OwnMemory& own) {
      return own.thread == reference.thread && reference.address < own.end &&
             reference.address + (reference.bytes - 1) >= own.first;
    });
  }

 private:
  struct Now {
    uint32_t strand = 0;
    bool in_task = false;
    TaskNumber task;
  };
  std::vector<Now> now_;
  const TaskStrands* tasks_ = nullptr;
};

// The tasks that do.
class OwnUsers final : public EventVisitor {
 public:
  explicit OwnUsers(const Trace& trace) : strands_(trace) {}
  bool access(uint64_t, const Reference& reference) override {
    if (strands_.uses_own(reference)) found.insert(strands_.task(reference.thread));
    return true;
  }
  bool operation(const Operation& op) override {
    strands_.operation(op);
    return true;
  }
  std::set<TaskNumber> found;

 private:
  Strands strands_;
};

class StdWriter final : public EventVisitor {
 public:
  StdWriter(const Trace& trace, const ExportOptions& options, const Pieces& pieces,
            std::unordered_set<uint64_t> givers, uint64_t first_edge, ExportReport& report,
            const ExportTarget& write)
      : trace_(trace),
        options_(options),
        pieces_(pieces),
        givers_(std::move(givers)),
        first_edge_(first_edge),
        strands_(trace),
        report_(report),
        write_(write),
        atomic_(atomic_statements(trace)),
        lives_(trace.processes().size()),
        cursors_(trace.threads().size()) {}

  bool access(uint64_t, const Reference& reference) override {
    if (atomic_[reference.statement_id] || strands_.uses_own(reference)) return true;
    const uint32_t process = trace_.threads()[reference.thread].process;
    const char kind = reference.kind == Reference::Kind::read ? 'r' : 'w';
    pieces_.each(process, reference.address, reference.bytes, [&](uint64_t address, uint64_t) {
      if (options_.shared_only && !pieces_.shared(process, address)) return;
      thread(strands_.of(reference.thread));
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
    strands_.operation(op);
    if (op.role == Operation::Role::none && op.behind.empty() && op.behind_next.empty() && !gives)
      return true;
    const uint64_t place = place_of(op);
    for (const uint64_t index : op.behind) event(op.strand, "join(T", edge(index), place);
    if (op.role == Operation::Role::forks) event(op.strand, "fork(T", op.other, place);
    if (op.role == Operation::Role::joins) event(op.strand, "join(T", op.other, place);
    if (op.role == Operation::Role::acquires)
      for (const uint32_t lock : op.locks) event(op.strand, "acq(L", lock, place);
    if (op.role == Operation::Role::releases)
      for (size_t i = op.locks.size(); i-- > 0;) event(op.strand, "rel(L", op.locks[i], place);
    if (gives) event(op.strand, "fork(T", edge(op.index), place);
    for (const uint64_t index : op.behind_next) event(op.next_strand, "join(T", edge(index), place);
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
    const auto [at, fresh] = edges_.try_emplace(index, first_edge_ + edges_.size());
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
  const ExportOptions& options_;
  const Pieces& pieces_;
  const std::unordered_set<uint64_t> givers_;
  const uint64_t first_edge_;
  Strands strands_;
  ExportReport& report_;
  const ExportTarget& write_;
  const std::vector<bool> atomic_;
  std::vector<Lives> lives_;  // by process
  std::vector<std::unique_ptr<PathCursor>> cursors_;
  std::unordered_map<uint64_t, uint64_t> edges_;
  std::string text_;
};

}  // namespace

Result<ExportReport> export_std(const Trace& trace, const ExportOptions& options,
                                const ExportTarget& write) {
  const auto pieces = Pieces::read(trace);
  if (!pieces) return std::unexpected(pieces.error());
  OperationOptions wanted{.tasks = true, .rewrites = pieces->rewrites()};
  OwnUsers users(trace);
  auto operations = OperationReader::open(trace, wanted);
  if (!operations) return std::unexpected(std::move(operations.error()));
  uint64_t strands = trace.threads().size();
  while (const Operation* operation = operations->next())
    strands = std::max<uint64_t>(strands, operation->next_strand + 1);
  if (operations->error()) return std::unexpected(*operations->error());
  if (strands > trace.threads().size()) {
    if (auto read = read_events(trace, wanted, users); !read)
      return std::unexpected(std::move(read.error()));
    wanted.own_users = std::move(users.found);
  }
  std::unordered_set<uint64_t> givers;
  operations = OperationReader::open(trace, wanted);
  if (!operations) return std::unexpected(std::move(operations.error()));
  while (const Operation* operation = operations->next()) {
    givers.insert(operation->behind.begin(), operation->behind.end());
    givers.insert(operation->behind_next.begin(), operation->behind_next.end());
    strands = std::max<uint64_t>(strands, operation->next_strand + 1);
  }
  if (operations->error()) return std::unexpected(*operations->error());
  ExportReport report;
  StdWriter writer(trace, options, *pieces, std::move(givers), strands, report, write);
  const auto counts = read_events(trace, wanted, writer);
  if (!counts) return std::unexpected(counts.error());
  writer.flushed();
  report.unknown = counts->unknown;
  return report;
}

}  // namespace vestige
