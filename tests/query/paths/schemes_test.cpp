// Schemes 1, 2 and 4 against the plain search, on random streams of terminals: nested repetition so
// that the grammar has something to find, calls and returns across every border, recursion, streams
// that begin and end in the middle of calls, exceptions, gaps.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "query/paths/activation.h"
#include "query/paths/expression.h"
#include "query/paths/memory_paths.h"
#include "query/paths/plain_search.h"
#include "trace/synthetic.h"

namespace vestige {

bool operator==(const Hit& a, const Hit& b) { return a.time == b.time && a.block == b.block; }
void PrintTo(const Hit& hit, std::ostream* out) { *out << hit.time << "." << hit.block; }

namespace {

using Random = std::mt19937;

// More of everything: the slow run.
uint32_t rounds(uint32_t n) {
  const char* more = std::getenv("VESTIGE_ROUNDS");
  return more ? n * static_cast<uint32_t>(std::atoi(more)) : n;
}

// One small program serves all streams: paths may come in any order here.
const Trace& program_trace() {
  static const Trace trace = [] {
    const auto file = synthetic::make_trace(1);
    return std::move(*Trace::open(file.path));
  }();
  return trace;
}

std::vector<const Path*> all_paths(const Trace& trace) {
  std::vector<const Path*> out;
  for (const Function& f : trace.functions())
    for (uint64_t i = 0; i < f.path_count; ++i)
      if (const Path* path = trace.path(f.first_path + static_cast<uint32_t>(i)))
        out.push_back(path);
  return out;
}

// Paths and changes of the stack, with repetition of stretches of what is there already.
std::vector<Terminal> random_stream(Random& random) {
  static const auto paths = all_paths(program_trace());
  std::vector<const Path*> few;
  for (size_t i = 0, n = 2 + random() % 6; i < n; ++i)
    few.push_back(paths[random() % paths.size()]);
  std::vector<Terminal> shapes;
  const size_t length = 1 + random() % 60;
  while (shapes.size() < length) {
    const auto what = random() % 10;
    if (what < 6 || shapes.empty()) {
      shapes.push_back(terminal_of(*few[random() % few.size()], kNone));
    } else if (what < 9) {
      const size_t from = random() % shapes.size();
      const size_t size = 1 + random() % std::min<size_t>(shapes.size() - from, 12);
      for (size_t copies = 1 + random() % 4; copies > 0; --copies)
        for (size_t i = 0; i < size; ++i) shapes.push_back(shapes[from + i]);
    } else {
      Terminal change;
      change.lowest = -static_cast<int32_t>(random() % 4);
      change.net = change.lowest + static_cast<int32_t>(random() % 4);
      change.times = random() % 3 == 0 ? random() % 5 : 0;
      shapes.push_back(change);
    }
  }
  // Who called is told by a stack of functions, kept here in the plainest way.
  std::vector<uint32_t> stack;
  for (Terminal& t : shapes) {
    if (t.path == kNone) {
      for (int32_t i = 0; i > t.lowest && !stack.empty(); --i) stack.pop_back();
      for (int32_t i = t.lowest; i < t.net; ++i) stack.push_back(kNone);
      continue;
    }
    if (t.enters) {
      t.caller = stack.empty() ? kNone : stack.back();
      stack.push_back(kNone);
    }
    if (stack.empty()) stack.push_back(kNone);
    stack.back() = t.function;
    if (t.leaves) stack.pop_back();
  }
  return shapes;
}

std::vector<uint32_t> blocks_of(uint32_t path) { return program_trace().path(path)->blocks; }

// Blocks that some activation ran in a row, or nearly.
std::vector<uint32_t> random_path(const std::vector<plain::Activation>& all, uint32_t function,
                                  Random& random) {
  const auto count = static_cast<uint32_t>(program_trace().functions()[function].blocks.size());
  std::vector<uint32_t> path;
  const size_t length = 1 + random() % (random() % 8 == 0 ? 40 : 5);
  const auto& from = all.empty() ? plain::Activation() : all[random() % all.size()];
  const size_t at = from.empty() ? 0 : random() % from.size();
  for (size_t i = at; i < from.size() && path.size() < length; ++i)
    if (!from[i].call) path.push_back(from[i].what);
  if (path.empty() || random() % 8 == 0) path.push_back(random() % count);
  return path;
}

std::string text_of(const std::vector<uint32_t>& path) {
  std::string text;
  for (const uint32_t block : path) text += " B" + std::to_string(block);
  return text;
}

PathPattern::Program make(const PatternOptions& options) {
  const auto expression = parse_pattern(program_trace(), options);
  EXPECT_TRUE(expression) << expression.error().message;
  auto automaton = Automaton::make(*expression);
  EXPECT_TRUE(automaton) << automaton.error().message;
  return {options, std::move(*automaton)};
}

std::vector<Hit> all_hits(Scheme& scheme) {
  std::vector<Hit> hits;
  for (Hit hit; *scheme.next(hit);) hits.push_back(hit);
  return hits;
}

void compare(const MemoryPaths& paths, const PathPattern::Program& pattern,
             const std::vector<Hit>& expected, Random& random) {
  const SearchSpace space{program_trace(), paths.thread(), 0, pattern};
  for (const auto make_scheme : {make_unpacking_scheme, make_grammar_scheme, make_index_scheme}) {
    EXPECT_EQ(*make_scheme(space)->count(), expected.size());
    EXPECT_EQ(all_hits(*make_scheme(space)), expected);
    // The n-th, by leaving out those before it.
    const uint64_t skip = random() % (expected.size() + 2);
    const auto scheme = make_scheme(space);
    EXPECT_EQ(*scheme->skip(skip), std::min<uint64_t>(skip, expected.size()));
    Hit hit;
    const bool more = *scheme->next(hit);
    ASSERT_EQ(more, skip < expected.size());
    if (more) EXPECT_EQ(hit, expected[skip]);
  }
}

TEST(Schemes, AgreeWithPlainSearchOfLiteralPaths) {
  const auto functions = static_cast<uint32_t>(program_trace().functions().size());
  uint64_t hits = 0, found = 0;
  for (uint32_t seed = 0; seed < rounds(6000) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto stream = random_stream(random);
    const MemoryPaths paths(stream, 1 + random() % 3, 1 + random() % 40);
    for (int i = 0; i < 4; ++i) {
      PatternOptions options;
      options.function = random() % functions;
      if (random() % 4 == 0) options.caller = random() % functions;
      const auto all = plain::activations(stream, 1, options.function, options.caller, blocks_of);
      const auto path = random_path(all, options.function, random);
      options.text = text_of(path);
      SCOPED_TRACE(options.text);
      const auto expected = plain::find_literal(all, path);
      hits += expected.size();
      found += !expected.empty();
      compare(paths, make(options), expected, random);
    }
  }
  // The comparisons were about something.
  EXPECT_GT(found, rounds(4000));
  EXPECT_GT(hits, rounds(20000));
}

// A random expression, in our words and in those of the C++ library.
struct Twins {
  std::string ours, theirs;
};
Twins random_expression(Random& random, uint32_t blocks, bool calls, int depth) {
  const auto what = random() % (depth > 0 ? 8 : 3);
  const std::string through = calls ? "[A-Z]*" : "";
  if (what < 2) {
    const uint32_t block = random() % blocks;
    return {" B" + std::to_string(block), "(?:" + through + static_cast<char>('a' + block) + ")"};
  }
  if (what == 2) {
    if (calls && random() % 2 == 0) {
      const auto functions = static_cast<uint32_t>(program_trace().functions().size());
      const uint32_t callee = random() % (functions + 1);
      if (callee == functions) return {" @", "(?:" + through + "[A-Z])"};
      return {" @" + program_trace().functions()[callee].name + " ",
              "(?:" + through + static_cast<char>('A' + callee) + ")"};
    }
    return {" .", "(?:" + through + "[a-z])"};
  }
  const Twins a = random_expression(random, blocks, calls, depth - 1);
  if (what == 3) {
    const char* repeat[] = {"*", "+", "?", "{2}", "{1,3}", "{0,2}"};
    const char* r = repeat[random() % 6];
    return {" (" + a.ours + ")" + r, "(?:" + a.theirs + ")" + r};
  }
  const Twins b = random_expression(random, blocks, calls, depth - 1);
  if (what == 4)
    return {" (" + a.ours + "|" + b.ours + ")", "(?:" + a.theirs + "|" + b.theirs + ")"};
  return {a.ours + b.ours, a.theirs + b.theirs};
}

TEST(Schemes, AgreeWithPlainSearchOfExpressions) {
  const Trace& trace = program_trace();
  const auto functions = static_cast<uint32_t>(trace.functions().size());
  uint32_t used = 0, found = 0;
  for (uint32_t seed = 0; seed < rounds(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto stream = random_stream(random);
    const MemoryPaths paths(stream, 1 + random() % 2, 1 + random() % 40);
    PatternOptions options;
    options.kind = PatternKind::regex;
    options.function = random() % functions;
    const bool calls = random() % 2 == 0;
    const auto blocks = static_cast<uint32_t>(trace.functions()[options.function].blocks.size());
    const Twins twins = random_expression(random, blocks, calls, 3);
    options.text = twins.ours;
    SCOPED_TRACE(options.text);
    if (!parse_pattern(trace, options)) continue;  // matches nothing, or begins with a call
    ++used;
    // A call becomes visible with the first @.
    const bool visible = twins.ours.find('@') != std::string::npos;
    const auto all = plain::activations(stream, 1, options.function, kNone, blocks_of);
    const auto expected = plain::find_regex(all, twins.theirs, visible);
    found += !expected.empty();
    compare(paths, make(options), expected, random);
  }
  EXPECT_GT(used, rounds(700));
  EXPECT_GT(found, rounds(180));
}

TEST(Schemes, FindActivations) {
  for (uint32_t seed = 0; seed < rounds(3000) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto stream = random_stream(random);
    const MemoryPaths paths(stream, 1 + random() % 3, 1 + random() % 40);
    struct Open {
      uint64_t entered = 0;
      uint32_t caller = kNone, function = kNone;
    };
    std::vector<Open> stack;
    uint64_t time = 1;
    for (const Terminal& t : stream) {
      if (t.path == kNone) {
        for (int32_t i = 0; i > t.lowest && !stack.empty(); --i) stack.pop_back();
        for (int32_t i = t.lowest; i < t.net; ++i) stack.push_back({});
      } else {
        EXPECT_EQ(innermost_function(paths.thread(), time),
                  stack.empty() ? kNone : stack.back().function);
        if (t.enters) stack.push_back({time, t.caller, kNone});
        if (stack.empty()) stack.push_back({});
        stack.back().function = t.function;
        const auto found = find_activation(paths.thread(), time);
        EXPECT_EQ(found.entered, stack.back().entered);
        EXPECT_EQ(found.caller, stack.back().caller);
        if (t.leaves) stack.pop_back();
      }
      time += t.times;
    }
  }
}

// A million calls deep, with the pattern half done on every level.
TEST(Schemes, RecursionAMillionDeep) {
  const Trace& trace = program_trace();
  const Path *down = nullptr, *up = nullptr;
  uint32_t function = 0;
  for (const Path* path : all_paths(trace)) {
    if (path->enters && !path->leaves && !path->blocks.empty() && !down) {
      down = path;
      function = path->function;
    }
  }
  ASSERT_TRUE(down);
  for (const Path* path : all_paths(trace))
    if (path->function == function && path->leaves && !path->enters && !path->blocks.empty())
      up = path;
  ASSERT_TRUE(up);
  const size_t depth = 1'000'000;
  sequitur::GrammarBuilder builder;
  std::vector<uint64_t> values(depth, 0);
  values.insert(values.end(), depth, 1);
  builder.append(values);
  const std::vector<Terminal> terminals = {terminal_of(*down, function), terminal_of(*up, kNone)};
  const AnnotatedPaths part = annotate_paths(builder.finish(), terminals, {3, 3});
  WholePaths::Thread thread;
  thread.parts.push_back(part.view());
  add_rule_chunks(thread.by_rule, part, 0, 1, 1000);
  PatternOptions options;
  options.function = function;
  options.text = text_of({down->blocks.back(), up->blocks.front()});
  const auto pattern = make(options);
  const SearchSpace space{trace, thread, 0, pattern};
  for (const auto make_scheme : {make_unpacking_scheme, make_grammar_scheme, make_index_scheme}) {
    EXPECT_EQ(*make_scheme(space)->count(), depth);
    const auto scheme = make_scheme(space);
    EXPECT_EQ(*scheme->skip(depth - 1), depth - 1);
    Hit hit;
    ASSERT_TRUE(*scheme->next(hit));
    EXPECT_EQ(hit.time, 2 * depth);
  }
}

}  // namespace
}  // namespace vestige
