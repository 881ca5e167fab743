// Hot subpaths of a trace: its whole program paths as one stream of path ids, thread after thread,
// with something in between that no subpath passes.
#include <algorithm>

#include "query/hot/hot_subpaths.h"
#include "query/hot/stream_places.h"
#include "vestige/hot.h"

namespace vestige {

namespace {

constexpr uint64_t kNoPath = UINT64_MAX;

Result<WholePaths> open_paths(const Trace& trace, const PathIndexOptions& options) {
  auto paths = WholePaths::open(trace);
  if (paths) return paths;
  if (auto built = build_path_index(trace, options); !built)
    return std::unexpected(std::move(built.error()));
  return WholePaths::open(trace);
}

// A path called from two places is two terminals there and one value here: costs are per path.
sequitur::PlainGrammar by_path(const PathGrammar& grammar) {
  sequitur::PlainGrammar out;
  for (const Terminal& terminal : grammar.terminals)
    out.terminals.push_back(terminal.path == kNone ? kNoPath : terminal.path);
  for (const RunRecord& run : grammar.runs) out.runs.push_back({run.symbol, run.count});
  out.ends.assign(grammar.ends.begin(), grammar.ends.end());
  out.symbols.assign(grammar.symbols.begin(), grammar.symbols.end());
  return out;
}

// One thread's part of the stream.
struct ThreadSpan {
  uint32_t thread = 0;
  uint64_t begin = 0, end = 0;  // terminals
};

class HotPathQuery {
 public:
  HotPathQuery(const Trace& trace, const WholePaths& paths) : trace_(trace), paths_(paths) {}

  Result<HotPaths> run(const HotPathOptions& options) {
    for (uint32_t t = 0; t < paths_.threads().size(); ++t)
      if (!options.thread || *options.thread == t) add(t);
    std::vector<const sequitur::PlainGrammar*> parts;
    for (const sequitur::PlainGrammar& grammar : grammars_) parts.push_back(&grammar);
    weigh();
    HotSubpathOptions search;
    search.min_length = options.min_length;
    search.max_length = options.max_length;
    search.share = options.share;
    search.top = options.top;
    const auto report = find_hot_subpaths(
        parts,
        [&](uint64_t value) {
          const Path* path = path_of(value);
          return TerminalFacts{path ? weight(*path) : 0, path == nullptr};
        },
        search);
    if (!report) return std::unexpected(report.error());
    return answer(*report);
  }

 private:
  void add(uint32_t thread) {
    const uint64_t begin = length_;
    for (const PathGrammar& part : paths_.threads()[thread].parts) {
      grammars_.push_back(by_path(part));
      length_ += rule_lengths(part).back();
    }
    stretches_.push_back({thread, begin, length_});
    sequitur::PlainGrammar border;
    border.terminals = {kNoPath};
    border.symbols = {0};
    border.ends = {1};
    grammars_.push_back(std::move(border));
    ++length_;
  }

  const Path* path_of(uint64_t value) const {
    return value > UINT32_MAX ? nullptr : trace_.path(static_cast<uint32_t>(value));
  }
  uint64_t weight(const Path& path) const {
    return weighed_by_ == HotWeight::statements ? path.statements : path.blocks.size();
  }
  void weigh() {
    weighed_by_ = HotWeight::blocks;
    for (const sequitur::PlainGrammar& grammar : grammars_)
      for (const uint64_t value : grammar.terminals)
        if (const Path* path = path_of(value); path && path->statements > 0)
          weighed_by_ = HotWeight::statements;
  }

  HotPaths answer(const HotSubpathReport& report) const {
    HotPaths out;
    out.weighed_by = weighed_by_;
    for (const ThreadSpan& stretch : stretches_)
      out.paths += trace_.threads()[stretch.thread].paths;
    out.weight = report.weight;
    out.threshold = report.threshold;
    out.found = report.found;
    for (const HotSubpath& subpath : report.subpaths) {
      HotPath& hot = out.subpaths.emplace_back();
      for (const uint64_t value : subpath.terminals) hot.paths.push_back(path_of(value));
      hot.occurrences = subpath.occurrences;
      hot.weight = subpath.weight;
      hot.cost = subpath.cost;
      if (report.weight > 0)
        hot.share = static_cast<double>(hot.cost) / static_cast<double>(report.weight);
      for (size_t i = 0; i + 1 < hot.paths.size(); ++i)
        hot.calls += uint32_t{hot.paths[i]->leaves} + uint32_t{hot.paths[i + 1]->enters};
    }
    place(report, out);
    return out;
  }

  // Thread and time of each first occurrence.
  void place(const HotSubpathReport& report, HotPaths& out) const {
    std::vector<size_t> order(report.subpaths.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](size_t i) { return report.subpaths[i].first; });
    size_t next = 0;
    for (const ThreadSpan& stretch : stretches_) {
      const size_t from = next;
      std::vector<uint64_t> places;
      for (; next < order.size() && report.subpaths[order[next]].first < stretch.end; ++next)
        places.push_back(report.subpaths[order[next]].first - stretch.begin);
      const auto times = times_at(paths_.threads()[stretch.thread], places);
      for (size_t i = from; i < next; ++i) {
        out.subpaths[order[i]].thread = stretch.thread;
        out.subpaths[order[i]].time = times[i - from];
      }
    }
  }

  const Trace& trace_;
  const WholePaths& paths_;
  HotWeight weighed_by_ = HotWeight::statements;
  std::vector<sequitur::PlainGrammar> grammars_;
  std::vector<ThreadSpan> stretches_;
  uint64_t length_ = 0;
};

}  // namespace

Result<HotPaths> hot_paths(const Trace& trace, const HotPathOptions& options) {
  if (options.thread && *options.thread >= trace.threads().size())
    return fail(ErrorKind::usage, trace.file() + ": there is no such thread");
  const auto paths = open_paths(trace, options.index);
  if (!paths) return std::unexpected(paths.error());
  return HotPathQuery(trace, *paths).run(options);
}

}  // namespace vestige
