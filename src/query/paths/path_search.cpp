// PathSearch: opens the index of paths, makes patterns, and chooses how to search.
#include <algorithm>

#include "query/paths/activation.h"
#include "query/paths/grammar_search.h"
#include "query/paths/scanner.h"
#include "query/paths/scheme.h"
#include "query/paths/unpacker.h"
#include "trace/parallel.h"

namespace vestige {

PathPattern::PathPattern(std::unique_ptr<Program> program) : program_(std::move(program)) {}
PathPattern::PathPattern(PathPattern&&) noexcept = default;
PathPattern& PathPattern::operator=(PathPattern&&) noexcept = default;
PathPattern::~PathPattern() = default;
uint32_t PathPattern::function() const { return program_->options.function; }
const PatternOptions& PathPattern::options() const { return program_->options; }

struct PathSearch::State {
  const Trace& trace;
  WholePaths paths;

  std::vector<uint32_t> threads(const PathPattern& pattern) const {
    if (pattern.options().thread != kNone) return {pattern.options().thread};
    std::vector<uint32_t> all(trace.threads().size());
    for (uint32_t t = 0; t < all.size(); ++t) all[t] = t;
    return all;
  }
  std::unique_ptr<Scheme> make(MatchScheme scheme, uint32_t thread,
                               const PathPattern& pattern) const {
    const SearchSpace space{trace, paths.threads()[thread], thread, pattern.program()};
    switch (scheme) {
      case MatchScheme::grammar:
        return make_grammar_scheme(space);
      case MatchScheme::chunks:
        return make_chunks_scheme(space);
      case MatchScheme::index:
        return make_index_scheme(space);
      default:
        return make_unpacking_scheme(space);
    }
  }
};

PathSearch::PathSearch(std::unique_ptr<State> state) : state_(std::move(state)) {}
PathSearch::PathSearch(PathSearch&&) noexcept = default;
PathSearch::~PathSearch() = default;

Result<PathSearch> PathSearch::open(const Trace& trace, const PathIndexOptions& options) {
  auto paths = WholePaths::open(trace);
  if (!paths) {
    if (auto built = build_path_index(trace, options); !built)
      return std::unexpected(std::move(built.error()));
    paths = WholePaths::open(trace);
    if (!paths) return std::unexpected(std::move(paths.error()));
  }
  return PathSearch(std::make_unique<State>(trace, std::move(*paths)));
}

Result<PathPattern> PathSearch::pattern(const PatternOptions& options) const {
  const auto expression = parse_pattern(state_->trace, options);
  if (!expression) return std::unexpected(expression.error());
  auto automaton = Automaton::make(*expression);
  if (!automaton) return std::unexpected(std::move(automaton.error()));
  return PathPattern(std::make_unique<PathPattern::Program>(options, std::move(*automaton)));
}

// On the grammar the work is the symbols that can matter; unpacked it is every path, once for all
// requests to unpack and once for each to scan. A symbol of the grammar costs about as much as
// kSymbolCost paths.
MatchScheme PathSearch::choose(const PathPattern& pattern, bool first, size_t requests) const {
  constexpr uint64_t kSymbolCost = 4, kUnpackCost = 2;
  uint64_t symbols = 0, held_symbols = 0, times = 0;
  for (const uint32_t t : state_->threads(pattern)) {
    const WholePaths::Thread& thread = state_->paths.threads()[t];
    const auto& chunks = thread.by_rule.chunks();
    for (const PathGrammar& part : thread.parts) symbols += part.symbols.size();
    for (const PathChunk& chunk : chunks) times += chunk.extent.times;
    for (const uint32_t number : thread.by_rule.holding(pattern.function()))
      held_symbols += chunks[number].end - chunks[number].begin;
  }
  const uint64_t unpacking = times * kUnpackCost / std::max<size_t>(requests, 1) + times;
  if (symbols * kSymbolCost > unpacking) return first ? MatchScheme::index : MatchScheme::unpack;
  if (first || held_symbols < symbols / 2) return MatchScheme::index;
  return MatchScheme::grammar;
}

Result<uint64_t> PathSearch::count(const PathPattern& pattern, MatchScheme scheme) const {
  const bool automatic = scheme == MatchScheme::automatic;
  if (automatic) scheme = choose(pattern, false);
  uint64_t all = 0;
  for (const uint32_t thread : state_->threads(pattern)) {
    auto counted = state_->make(scheme, thread, pattern)->count();
    if (!counted && automatic && counted.error().kind == ErrorKind::unsupported)
      counted = state_->make(MatchScheme::unpack, thread, pattern)->count();
    if (!counted) return counted;
    all += *counted;
  }
  return all;
}

namespace {

// Every part is unpacked once, and every block of it scanned for each pattern while it is warm.
std::vector<uint64_t> count_unpacked(const Trace& trace, const WholePaths::Thread& thread,
                                     const std::vector<const PathPattern*>& patterns) {
  std::vector<uint64_t> counts(patterns.size());
  std::vector<Scanner> scanners;
  for (const PathPattern* pattern : patterns) scanners.emplace_back(trace, pattern->program());
  std::vector<uint32_t> block;
  for (const PathGrammar& part : thread.parts) {
    for (Scanner& scanner : scanners) scanner.use(part.terminals, true);
    Unpacker unpacker(part);
    for (unpacker.read(block); !block.empty(); unpacker.read(block))
      for (size_t i = 0; i < patterns.size(); ++i) counts[i] += scanners[i].count(block);
  }
  return counts;
}

}  // namespace

Result<std::vector<uint64_t>> PathSearch::count(const std::vector<const PathPattern*>& patterns,
                                                MatchScheme scheme) const {
  std::vector<uint64_t> counts(patterns.size());
  std::vector<const PathPattern*> unpacked;
  std::vector<size_t> unpacked_at, alone;
  for (size_t i = 0; i < patterns.size(); ++i) {
    const MatchScheme how =
        scheme == MatchScheme::automatic ? choose(*patterns[i], false, patterns.size()) : scheme;
    if (how == MatchScheme::unpack && patterns[i]->options().thread == kNone) {
      unpacked.push_back(patterns[i]);
      unpacked_at.push_back(i);
    } else {
      alone.push_back(i);
    }
  }
  std::mutex mutex;  // guards error
  std::optional<Error> error;
  run_parallel(alone.size(), [&](size_t, size_t task) {
    const auto counted = count(*patterns[alone[task]], scheme);
    if (counted) {
      counts[alone[task]] = *counted;
      return true;
    }
    const std::lock_guard lock(mutex);
    error = counted.error();
    return false;
  });
  if (error) return std::unexpected(std::move(*error));
  if (!unpacked.empty())
    for (const WholePaths::Thread& thread : state_->paths.threads()) {
      const auto found = count_unpacked(state_->trace, thread, unpacked);
      for (size_t i = 0; i < found.size(); ++i) counts[unpacked_at[i]] += found[i];
    }
  return counts;
}

PathSearch::Activation PathSearch::activation(uint32_t thread, uint64_t time) const {
  return find_activation(state_->paths.threads()[thread], time);
}

struct MatchCursor::State {
  const PathSearch::State& search;
  const PathPattern& pattern;
  MatchScheme scheme;
  bool automatic;
  std::vector<uint32_t> threads;
  size_t next_thread = 0;
  std::unique_ptr<Scheme> running;
  uint64_t given = 0;  // in the thread, skipped ones included
  std::optional<Error> error;

  bool enter_thread() {
    if (next_thread == threads.size()) return false;
    running = search.make(scheme, threads[next_thread++], pattern);
    given = 0;
    return true;
  }
  // What the grammar cannot do is done by unpacking: from the start, without what was given.
  bool unpack_instead(const Error& why) {
    if (!automatic || scheme == MatchScheme::unpack || why.kind != ErrorKind::unsupported) {
      error = why;
      return false;
    }
    scheme = MatchScheme::unpack;
    running = search.make(scheme, threads[next_thread - 1], pattern);
    if (const auto skipped = running->skip(given); !skipped) {
      error = skipped.error();
      return false;
    }
    return true;
  }
};

MatchCursor::MatchCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
MatchCursor::MatchCursor(MatchCursor&&) noexcept = default;
MatchCursor::~MatchCursor() = default;
const Error* MatchCursor::error() const { return state_->error ? &*state_->error : nullptr; }

std::optional<PathMatch> MatchCursor::next() {
  State& s = *state_;
  while (!s.error) {
    if (!s.running && !s.enter_thread()) return std::nullopt;
    Hit hit;
    const auto more = s.running->next(hit);
    if (!more) {
      if (!s.unpack_instead(more.error())) return std::nullopt;
    } else if (*more) {
      ++s.given;
      return PathMatch{s.threads[s.next_thread - 1], hit.time, hit.block};
    } else {
      s.running.reset();
    }
  }
  return std::nullopt;
}

uint64_t MatchCursor::skip(uint64_t count) {
  State& s = *state_;
  uint64_t left = count;
  while (left > 0 && !s.error) {
    if (!s.running && !s.enter_thread()) break;
    const auto skipped = s.running->skip(left);
    if (!skipped) {
      if (!s.unpack_instead(skipped.error())) break;
      continue;
    }
    s.given += *skipped;
    left -= *skipped;
    if (left > 0) s.running.reset();
  }
  return count - left;
}

MatchCursor PathSearch::matches(const PathPattern& pattern, MatchScheme scheme) const {
  const bool automatic = scheme == MatchScheme::automatic;
  if (automatic) scheme = choose(pattern, true);
  return MatchCursor(std::make_unique<MatchCursor::State>(*state_, pattern, scheme, automatic,
                                                          state_->threads(pattern)));
}

}  // namespace vestige
