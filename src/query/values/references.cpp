#include "query/rows/reference_source.h"
#include "query/rows/transfer_source.h"

namespace vestige {

namespace {

using Take = std::function<bool(const Reference&)>;

// What library functions did, to be given between the references of the program itself.
class LibraryReferences {
 public:
  LibraryReferences(const Trace& trace, const Windows& windows)
      : trace_(trace), source_(trace, windows) {}

  void begin(uint32_t thread) {
    thread_ = thread;
    source_.begin(thread);
    piece_.clear();
    at_ = 0;
  }
  // Those before what the path of this time does; false: no more are wanted.
  Result<bool> give(uint64_t time, const Take& take) {
    while (true) {
      for (; at_ < piece_.size(); ++at_) {
        if (piece_[at_].time > time) return true;
        if (!give(piece_[at_], take)) return false;
      }
      at_ = 0;
      const auto read = source_.read(piece_);
      if (!read) return std::unexpected(read.error());
      if (!*read) return true;
    }
  }
  uint64_t unknown() const { return unknown_; }

 private:
  bool give(const Transfer& seen, const Take& take) {
    const uint64_t id =
        uint64_t{trace_.functions()[seen.function].first_statement} + seen.statement;
    const uint64_t bytes = seen.has_length ? seen.length : 0;
    const bool reads =
        seen.kind == LibraryRange::Kind::copy || seen.kind == LibraryRange::Kind::read;
    const bool writes = seen.kind != LibraryRange::Kind::read;
    unknown_ += (reads && !seen.has_from) + (writes && !seen.has_to);
    if (reads && seen.has_from && !take({Reference::Kind::read, thread_, id, seen.from, bytes}))
      return false;
    return !writes || !seen.has_to || take({Reference::Kind::write, thread_, id, seen.to, bytes});
  }

  const Trace& trace_;
  TransferSource source_;
  uint32_t thread_ = 0;
  std::vector<Transfer> piece_;
  size_t at_ = 0;
  uint64_t unknown_ = 0;
};

}  // namespace

Result<uint64_t> read_references(const Trace& trace, std::optional<uint32_t> thread,
                                 const Take& take, bool library) {
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(source.error());
  LibraryReferences others(trace, source->windows());
  const auto unknown = [&] { return source->unknown() + others.unknown(); };
  bool any = false;
  std::vector<TimedReference> piece;
  for (const uint32_t t : source->threads()) {
    if (thread && *thread != t) continue;
    any = true;
    if (auto begun = source->seek(t, 0); !begun) return std::unexpected(begun.error());
    others.begin(t);
    while (true) {
      if (auto read = source->read(piece); !read) return std::unexpected(read.error());
      for (const TimedReference& timed : piece) {
        if (library) {
          const auto more = others.give(timed.time, take);
          if (!more) return std::unexpected(more.error());
          if (!*more) return unknown();
        }
        if (!take(timed.reference)) return unknown();
      }
      if (!piece.empty()) continue;
      const auto more = library ? others.give(UINT64_MAX, take) : Result<bool>(true);
      if (!more) return std::unexpected(more.error());
      if (!*more) return unknown();
      break;
    }
  }
  if (thread && !any)
    return fail(ErrorKind::unsupported, trace.file() + ": no values of thread " +
                                            thread_name(trace, *thread) + " were recorded");
  return unknown();
}

}  // namespace vestige
