#include "query/represent/kept_references.h"

#include <algorithm>
#include <unordered_map>

#include "base/sort_stably.h"
#include "query/represent/executions.h"
#include "query/represent/kept_streams.h"
#include "vestige/query.h"
#include "vestige/represent.h"
#include "vestige/values.h"

namespace vestige {

namespace {

// One statement's accesses: those that it reads and those that it writes.
struct KeptStatement {
  uint64_t id = 0;
  Reference::Kind kind = Reference::Kind::read;  // of one that does both at the same place: modify
  std::optional<KeptAccessFeed> reads, writes;
  bool reads_timed = false, writes_timed = false;
  // The next ones of those that have times; none: at the end.
  std::optional<KeptAccess> next_read, next_write;
};

class KeptReferences final : public threads::AccessSource {
 public:
  KeptReferences(const Trace& trace, uint32_t thread, PathCursor cursor)
      : trace_(trace), thread_(thread), cursor_(std::move(cursor)), addressed_(trace) {
    cursor_.skip_damage();
  }

  Result<void> load() {
    auto kept = kept_accesses(trace_, thread_);
    if (!kept) return std::unexpected(std::move(kept.error()));
    kept_ = std::move(*kept);
    for (const KeptStream& stream : kept_.streams) {
      auto feed = KeptAccessFeed::open(stream, decoded_);
      if (!feed) return std::unexpected(std::move(feed.error()));
      if (stream.library) {
        if (auto read = read_library(stream, *feed); !read) return read;
        continue;
      }
      if (statements_.empty() || statements_.back().id != stream.statement_id) {
        KeptStatement& statement = statements_.emplace_back();
        statement.id = stream.statement_id;
        statement.kind = kind_of(stream.statement_id);
        numbers_[stream.statement_id] = statements_.size() - 1;
      }
      KeptStatement& statement = statements_.back();
      auto& into = stream.write ? statement.writes : statement.reads;
      into.emplace(std::move(*feed));
      (stream.write ? statement.writes_timed : statement.reads_timed) = !stream.by_execution;
      if (!stream.by_execution)
        step(*into, stream.write ? statement.next_write : statement.next_read);
    }
    sort_stably(library_, {}, [](const Late& one) {
      return std::pair(one.back, one.entry.reference.kind != Reference::Kind::read);
    });
    return {};
  }

  Result<void> read(std::vector<TimedReference>& out) override {
    constexpr size_t kSome = 1 << 14;
    out.clear();
    while (out.size() < kSome && cursor_.next()) {
      const auto [at, fresh] = by_path_.try_emplace(&cursor_.path());
      if (fresh)
        for (const uint32_t id : addressed_.of(cursor_.path()))
          if (const auto found = numbers_.find(id); found != numbers_.end())
            at->second.push_back(found->second);
      for (const size_t number : at->second) give(statements_[number], out);
      if (short_)
        return fail(ErrorKind::corrupt, trace_.file() + ": thread " + std::to_string(thread_) +
                                            " executes more than it has addresses");
    }
    if (cursor_.error()) return std::unexpected(*cursor_.error());
    return {};
  }
  Result<const LibraryEntry*> peek_library(uint64_t until) override {
    if (at_ == library_.size() || library_[at_].entry.until > until) return nullptr;
    return &library_[at_].entry;
  }
  void next_library() override { ++at_; }
  uint64_t unknown() const override { return kept_.unknown; }

 private:
  struct Late {
    uint64_t back = 0;  // the path behind the call
    LibraryEntry entry;
  };

  Reference::Kind kind_of(uint64_t id) const {
    const auto ref = *statement_by_id(trace_, id);
    const Op op = trace_.functions()[ref.function].statements[ref.statement].op;
    if (op == Op::cmpxchg || op == Op::atomic_rmw) return Reference::Kind::modify;
    return op == Op::load ? Reference::Kind::read : Reference::Kind::write;
  }

  Result<void> read_library(const KeptStream& stream, KeptAccessFeed& feed) {
    const auto kind = stream.write ? Reference::Kind::write : Reference::Kind::read;
    for (KeptAccess access; feed.next(access);) {
      // Of a read that lies at the call, the call came back with the next path.
      const uint64_t back =
          !stream.write && access.until == access.time ? access.time + 1 : access.until;
      library_.push_back({back,
                          {access.time,
                           access.until,
                           {kind, thread_, stream.statement_id, access.address, access.bytes}}});
    }
    if (const Error* error = feed.error()) return std::unexpected(*error);
    return {};
  }

  static void step(KeptAccessFeed& feed, std::optional<KeptAccess>& next) {
    if (!feed.next(next.emplace())) next.reset();
  }
  // The access of this execution, if there is one.
  bool take(std::optional<KeptAccessFeed>& feed, bool timed, std::optional<KeptAccess>& next,
            KeptAccess& access) {
    if (!feed) return false;
    if (!timed) {
      short_ |= !feed->next(access);
      return !short_;
    }
    if (!next || next->time != cursor_.time()) return false;
    access = *next;
    step(*feed, next);
    return true;
  }
  void give(KeptStatement& statement, std::vector<TimedReference>& out) {
    KeptAccess access;
    const auto put = [&](Reference::Kind kind) {
      out.push_back({cursor_.time(), {kind, thread_, statement.id, access.address, access.bytes}});
    };
    const bool read = take(statement.reads, statement.reads_timed, statement.next_read, access);
    const bool modifies = statement.kind == Reference::Kind::modify;
    if (read && !modifies) put(Reference::Kind::read);
    if (take(statement.writes, statement.writes_timed, statement.next_write, access))
      put(modifies ? Reference::Kind::modify : Reference::Kind::write);
  }

  const Trace& trace_;
  const uint32_t thread_;
  PathCursor cursor_;
  AddressedStatements addressed_;
  KeptAccesses kept_;
  AddressFeed::Decoded decoded_;
  std::vector<KeptStatement> statements_;
  std::unordered_map<uint64_t, size_t> numbers_;  // by #ID
  std::unordered_map<const Path*, std::vector<size_t>> by_path_;
  std::vector<Late> library_;
  size_t at_ = 0;
  bool short_ = false;
};

}  // namespace

Result<void> need_kept_references(const Trace& trace) {
  const auto form = representation_of(trace);
  if (form == Representation::cor)
    return fail(ErrorKind::unsupported,
                trace.file() +
                    ": a cor holds control flow and no accesses; ask the recording, or a cdr of it "
                    "(vestige represent --as cdr)");
  if (form == Representation::dor)
    return fail(ErrorKind::unsupported,
                trace.file() +
                    ": a dor does not say which statement an access is of; ask the recording, or a "
                    "cdr of it (vestige represent --as cdr)");
  if (const auto kept = kept_threads(trace); !kept) return std::unexpected(kept.error());
  return {};
}

Result<std::unique_ptr<threads::AccessSource>> open_kept_references(const Trace& trace,
                                                                    uint32_t thread) {
  if (auto known = need_kept_references(trace); !known) return std::unexpected(known.error());
  const auto kept = kept_threads(trace);
  if (!kept) return std::unexpected(kept.error());
  if (!(*kept)[thread]) return nullptr;
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  auto references = std::make_unique<KeptReferences>(trace, thread, std::move(*cursor));
  if (auto loaded = references->load(); !loaded) return std::unexpected(loaded.error());
  return references;
}

}  // namespace vestige
