// Hot data streams: a grammar of the addresses of each thread, and hot subpaths on it.
//
// The references are read once. Of every kMarkEvery-th the time is kept, so that the first
// occurrences of what was found can be read again: the statements that made them, and when.
#include <algorithm>
#include <string>

#include "codec/sequitur/grammar_builder.h"
#include "query/hot/hot_subpaths.h"
#include "query/rows/reference_source.h"
#include "vestige/hot.h"

namespace vestige {

namespace {

constexpr size_t kBuilderBytes = size_t{64} << 20;
constexpr size_t kMostBytes = size_t{768} << 20;  // of finished grammars
constexpr uint64_t kMarkEvery = 1 << 16;
// Between two threads. No address: those are 47 bits, and a line's is a multiple of its size.
constexpr uint64_t kBorder = UINT64_MAX;

size_t bytes_of(const sequitur::PlainGrammar& grammar) {
  // A terminal costs more when it is numbered again, in a table of all parts.
  return grammar.symbols.size() * 4 + grammar.ends.size() * 4 + grammar.runs.size() * 16 +
         grammar.terminals.size() * 64;
}

class HotStreamQuery {
 public:
  HotStreamQuery(const Trace& trace, ReferenceSource source, const HotStreamOptions& options)
      : trace_(trace), source_(std::move(source)), options_(options) {}

  Result<HotStreams> run() {
    std::vector<uint32_t> threads = source_.threads();
    if (options_.thread) std::erase_if(threads, [&](uint32_t t) { return t != *options_.thread; });
    if (threads.empty())
      return fail(ErrorKind::unsupported, trace_.file() + ": no values of thread " +
                                              thread_name(trace_, *options_.thread) +
                                              " were recorded");
    for (const uint32_t t : threads) total_ += trace_.threads()[t].paths;
    for (const uint32_t t : threads)
      if (auto read = read_thread(t); !read) return std::unexpected(std::move(read.error()));
    const uint64_t unknown = source_.unknown();
    auto report = search();
    if (!report) return std::unexpected(std::move(report.error()));
    auto out = answer(*report);
    if (out) out->unknown = unknown;
    return out;
  }

 private:
  // A reference that can be gone to: it is the first one of its path.
  struct Mark {
    uint64_t place = 0;  // in the stream of all threads
    uint64_t time = 0;
    uint32_t thread = 0;
  };

  uint64_t value_of(const TimedReference& timed) const {
    const uint64_t address = timed.reference.address;
    return address - address % options_.line_bytes;
  }

  Result<void> read_thread(uint32_t thread) {
    if (auto begun = source_.seek(thread, 0); !begun) return begun;
    const uint64_t done = done_, first = trace_.threads()[thread].first_time;
    uint64_t last_time = UINT64_MAX, next_mark = length_;
    std::vector<TimedReference> piece;
    std::vector<uint64_t> values;
    while (true) {
      if (auto read = source_.read(piece); !read) return read;
      if (piece.empty()) break;
      values.clear();
      for (const TimedReference& timed : piece) {
        if (timed.time != last_time && length_ >= next_mark) {
          marks_.push_back({length_, timed.time, thread});
          next_mark = length_ + kMarkEvery;
        }
        last_time = timed.time;
        values.push_back(value_of(timed));
        ++length_;
      }
      builder_.append(values);
      if (builder_.bytes() >= kBuilderBytes)
        if (auto kept = keep(); !kept) return kept;
      done_ = done + (last_time - first);
      if (options_.progress) options_.progress(std::min(done_, total_), total_);
    }
    done_ = done + trace_.threads()[thread].paths;
    builder_.append(std::span(&kBorder, 1));
    ++length_;
    ++borders_;
    return keep();
  }

  Result<void> keep() {
    grammars_.push_back(builder_.finish());
    bytes_ += bytes_of(grammars_.back());
    if (bytes_ > kMostBytes)
      return fail(ErrorKind::unsupported,
                  trace_.file() +
                      ": the addresses repeat too little to be kept in memory; take "
                      "one thread, or cache lines instead of addresses");
    return {};
  }

  Result<HotSubpathReport> search() const {
    std::vector<const sequitur::PlainGrammar*> parts;
    for (const sequitur::PlainGrammar& grammar : grammars_) parts.push_back(&grammar);
    HotSubpathOptions search;
    search.min_length = options_.min_length;
    search.max_length = options_.max_length;
    search.share = options_.share;
    search.top = options_.top;
    return find_hot_subpaths(
        parts,
        [](uint64_t value) {
          return value == kBorder ? TerminalFacts{0, true} : TerminalFacts{1, false};
        },
        search);
  }

  Result<HotStreams> answer(const HotSubpathReport& report) {
    HotStreams out;
    out.references = length_ - borders_;
    out.threshold = report.threshold;
    out.found = report.found;
    std::vector<size_t> order;
    for (const HotSubpath& subpath : report.subpaths) {
      order.push_back(out.streams.size());
      HotStream& stream = out.streams.emplace_back();
      stream.addresses = subpath.terminals;
      stream.occurrences = subpath.occurrences;
      stream.cost = subpath.cost;
      if (report.weight > 0)
        stream.share = static_cast<double>(stream.cost) / static_cast<double>(report.weight);
    }
    std::ranges::sort(order, {}, [&](size_t i) { return report.subpaths[i].first; });
    for (const size_t i : order)
      if (auto seen = see(report.subpaths[i].first, out.streams[i]); !seen)
        return std::unexpected(std::move(seen.error()));
    return out;
  }

  // Reads an occurrence again. Those asked for come by rising place, so the piece that was read
  // last often holds the next one too.
  Result<void> see(uint64_t first, HotStream& stream) {
    const auto behind = std::ranges::upper_bound(marks_, first, {}, &Mark::place);
    const Mark& mark = *(behind - 1);  // the stream begins with one
    if (piece_.empty() || place_ > first || place_ < mark.place) {
      if (auto begun = source_.seek(mark.thread, mark.time); !begun) return begun;
      if (auto read = source_.read(piece_); !read) return read;
      place_ = mark.place;
    }
    stream.thread = mark.thread;
    while (!piece_.empty()) {
      const size_t had = stream.statement_ids.size();
      for (size_t i = had; i < stream.addresses.size(); ++i) {
        const uint64_t at = first + i - place_;
        if (at >= piece_.size()) break;
        if (i == 0) stream.time = piece_[at].time;
        stream.statement_ids.push_back(piece_[at].reference.statement_id);
      }
      if (stream.statement_ids.size() == stream.addresses.size()) break;
      place_ += piece_.size();
      if (auto read = source_.read(piece_); !read) return read;
    }
    return {};
  }

  const Trace& trace_;
  ReferenceSource source_;
  const HotStreamOptions& options_;
  sequitur::GrammarBuilder builder_;
  std::vector<sequitur::PlainGrammar> grammars_;
  size_t bytes_ = 0;
  uint64_t length_ = 0, borders_ = 0;  // references and borders; borders among them
  uint64_t done_ = 0, total_ = 0;      // paths
  std::vector<Mark> marks_;
  std::vector<TimedReference> piece_;  // what see() read last
  uint64_t place_ = 0;                 // of its first reference
};

}  // namespace

Result<HotStreams> hot_data_streams(const Trace& trace, const HotStreamOptions& options) {
  if (options.line_bytes == 0) return fail(ErrorKind::usage, "a line has at least one byte");
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(std::move(source.error()));
  return HotStreamQuery(trace, std::move(*source), options).run();
}

}  // namespace vestige
