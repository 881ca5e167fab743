#include "vestige/sharing.h"

#include <map>

#include "query/sharing/piece_use.h"
#include "query/sharing/stages.h"
#include "query/threads/events.h"
#include "query/threads/lives.h"
#include "query/threads/pieces.h"
#include "query/variables/global_names.h"

namespace vestige {

using namespace threads;

namespace {

constexpr size_t kMostPieces = 1 << 22;

// One life of a piece.
struct MemoryLife {
  uint32_t process = 0;
  uint64_t address = 0, bytes = 0;
  uint64_t life = 0,
           over = UINT64_MAX;  // by Lives: the one it had, and the one that put an end to it
  PieceUse use;
  uint32_t false_line = 0;
};

class SharingWatcher final : public EventVisitor {
 public:
  SharingWatcher(const Trace& trace, const Pieces& pieces, SharingReport& report)
      : trace_(trace),
        pieces_(pieces),
        report_(report),
        live_(trace.processes().size()),
        lives_(trace.processes().size()),
        stages_(trace.threads().size()) {}

  bool access(uint64_t, const Reference& reference) override {
    const uint32_t process = trace_.threads()[reference.thread].process;
    bool counted = false, lost = false;
    pieces_.each(process, reference.address, reference.bytes,
                 [&](uint64_t address, uint64_t bytes) {
                   if (!pieces_.shared(process, address)) return;
                   counted = true;
                   MemoryLife* piece = find(process, address, bytes);
                   if (piece == nullptr) {
                     lost = true;
                     return;
                   }
                   const uint32_t stage = stages_.now(reference.thread);
                   if (reference.kind != Reference::Kind::write)
                     piece->use.access(reference.thread, false, stage);
                   if (reference.kind != Reference::Kind::read)
                     piece->use.access(reference.thread, true, stage);
                 });
    report_.accesses += counted;
    report_.left_out += lost;
    return true;
  }

  // Who gives a block back does not use what is in it.
  bool frees(uint64_t, const Reference&) override { return true; }

  bool operation(const Operation& op) override {
    stages_.operation(op);
    if (op.sync.kind == SyncKind::allocated) {
      const uint32_t process = trace_.threads()[op.thread].process;
      lives_[process].begin(op.sync.object, op.sync.other);
      auto& live = live_[process];
      auto at = live.lower_bound(op.sync.object);
      while (at != live.end() && at->first < op.sync.other) {
        at->second.over = lives_[process].at(at->first);
        done_.push_back(std::move(at->second));
        at = live.erase(at);
      }
    }
    return true;
  }

  // By process, address and life.
  std::vector<MemoryLife> finish() {
    for (auto& live : live_)
      for (auto& [address, piece] : live) done_.push_back(std::move(piece));
    std::ranges::sort(done_, {}, [](const MemoryLife& piece) {
      return std::tuple(piece.process, piece.address, piece.life);
    });
    return std::move(done_);
  }
  const Stages& stages() const { return stages_; }

 private:
  MemoryLife* find(uint32_t process, uint64_t address, uint64_t bytes) {
    auto& live = live_[process];
    const auto at = live.lower_bound(address);
    if (at != live.end() && at->first == address) return &at->second;
    if (made_ == kMostPieces) return nullptr;
    ++made_;
    return &live.emplace_hint(
                    at, address,
                    MemoryLife{
                        process, address, bytes, lives_[process].at(address), UINT64_MAX, {}, 0})
                ->second;
  }

  const Trace& trace_;
  const Pieces& pieces_;
  SharingReport& report_;
  std::vector<std::map<uint64_t, MemoryLife>> live_;  // by process: by address
  std::vector<MemoryLife> done_;
  std::vector<Lives> lives_;  // by process
  Stages stages_;
  size_t made_ = 0;
};

// Whether two threads' stretches are at the same time: neither is over before the other begins in
// every schedule.
bool meet(const Stages& stages, uint32_t a, const StageRange& mine, uint32_t b,
          const StageRange& theirs) {
  return !mine.empty() && !theirs.empty() && !stages.before(a, mine.last, b, theirs.first) &&
         !stages.before(b, theirs.last, a, mine.first);
}

// Whether somebody uses `other` while `piece` is used by a thread, one of the two is written
// meanwhile, and that somebody does not use `piece` then.
bool disturbs(const Stages& stages, const PieceUse& other, const PieceUse& piece) {
  for (const PieceUse::Thread& mine : piece.threads())
    for (const PieceUse::Thread& theirs : other.threads()) {
      if (mine.thread == theirs.thread) continue;
      const auto meets = [&](const StageRange& a, const StageRange& b) {
        return meet(stages, mine.thread, a, theirs.thread, b);
      };
      if (!meets(mine.written, theirs.used) && !meets(mine.used, theirs.written)) continue;
      const auto too = std::ranges::find(piece.threads(), theirs.thread, &PieceUse::Thread::thread);
      if (too == piece.threads().end() || !meets(mine.used, too->used)) return true;
    }
  return false;
}

// A line that a piece begins or ends in: those between are its own.
struct InLine {
  uint32_t process = 0;
  uint64_t line = 0;
  uint64_t life = 0;  // of the piece
  size_t piece = 0;
  auto operator<=>(const InLine&) const = default;
};

// Those of one line are met in the order in which their lives began. At any time no more of them
// are alive than a line has bytes.
void look_at_lines(std::vector<MemoryLife>& pieces, uint32_t bytes, const Stages& stages) {
  std::vector<InLine> all;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const uint64_t first = pieces[i].address / bytes;
    const uint64_t last = (pieces[i].address + (pieces[i].bytes - 1)) / bytes;
    all.push_back({pieces[i].process, first, pieces[i].life, i});
    if (last != first) all.push_back({pieces[i].process, last, pieces[i].life, i});
  }
  std::ranges::sort(all);
  std::vector<MemoryLife*> alive;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].process != all[i - 1].process || all[i].line != all[i - 1].line)
      alive.clear();
    MemoryLife& piece = pieces[all[i].piece];
    std::erase_if(alive, [&](const MemoryLife* other) { return other->over <= piece.life; });
    const auto look = [&](MemoryLife& disturbed, const MemoryLife& by) {
      if (disturbed.false_line == 0 && disturbs(stages, by.use, disturbed.use))
        disturbed.false_line = bytes;
    };
    for (MemoryLife* other : alive) {
      look(piece, *other);
      look(*other, piece);
    }
    alive.push_back(&piece);
  }
}

SharingRow row_of(const MemoryLife& piece) {
  SharingRow row;
  row.process = piece.process;
  row.address = piece.address;
  row.bytes = piece.bytes;
  row.use = piece.use.use();
  row.advice = piece.use.advice();
  row.changes = piece.use.changes();
  row.read_between = piece.use.read_between();
  row.unread_between = piece.use.unread_between();
  row.false_line = piece.false_line;
  for (const PieceUse::Thread& thread : piece.use.threads()) {
    row.reads += thread.reads;
    row.writes += thread.writes;
    if (thread.reads > 0) row.readers.push_back(thread.thread);
    if (thread.writes > 0) row.writers.push_back(thread.thread);
  }
  std::ranges::sort(row.readers);
  std::ranges::sort(row.writers);
  return row;
}

// Whether a row goes on with this one, which lies right behind it.
bool continues(const SharingRow& row, const SharingRow& next, const races::GlobalNames& names) {
  return row.process == next.process && row.address + row.bytes == next.address &&
         row.use == next.use && row.advice == next.advice && row.false_line == next.false_line &&
         row.readers == next.readers && row.writers == next.writers &&
         names.whole(row.address) == names.whole(next.address);
}

}  // namespace

std::string_view sharing_use_name(SharingUse use) {
  switch (use) {
    case SharingUse::private_:
      return "private";
    case SharingUse::read_only:
      return "read_only";
    case SharingUse::producer_consumer:
      return "producer_consumer";
    case SharingUse::migratory:
      return "migratory";
    default:
      return "mixed";
  }
}

std::string_view sharing_advice_name(SharingAdvice advice) {
  switch (advice) {
    case SharingAdvice::update:
      return "update";
    case SharingAdvice::invalidate:
      return "invalidate";
    default:
      return "none";
  }
}

Result<SharingReport> find_sharing(const Trace& trace) {
  const auto pieces = Pieces::read(trace);
  if (!pieces) return std::unexpected(pieces.error());
  SharingReport report;
  SharingWatcher watcher(trace, *pieces, report);
  OperationOptions edges = kStageEdges;
  edges.rewrites = pieces->rewrites();
  const auto counts = read_events(trace, edges, watcher);
  if (!counts) return std::unexpected(counts.error());
  report.unknown = counts->unknown;
  std::vector<MemoryLife> all = watcher.finish();
  for (const uint32_t line : kSharingLines) look_at_lines(all, line, watcher.stages());
  const races::GlobalNames names(trace);
  for (const MemoryLife& piece : all) {
    SharingRow row = row_of(piece);
    if (row.use == SharingUse::private_) {
      report.private_bytes += row.bytes;
      if (row.false_line == 0) continue;
    }
    if (!report.rows.empty() && continues(report.rows.back(), row, names)) {
      SharingRow& last = report.rows.back();
      last.bytes += row.bytes;
      last.reads += row.reads;
      last.writes += row.writes;
      last.changes += row.changes;
      last.read_between += row.read_between;
      last.unread_between += row.unread_between;
      continue;
    }
    report.rows.push_back(std::move(row));
  }
  for (SharingRow& row : report.rows) row.variable = names.at(row.address, row.bytes);
  return report;
}

}  // namespace vestige
