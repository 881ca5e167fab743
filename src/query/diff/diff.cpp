// Both runs are walked side by side; nothing is kept but where they stand.
#include "vestige/diff.h"

#include <algorithm>
#include <map>

#include "query/diff/diff_chain.h"
#include "query/diff/diff_values.h"

namespace vestige {

namespace {

// The functions of A in B: by unit, name and number of paths, in order where several are alike.
Result<std::vector<uint32_t>> counterparts(const Trace& a, const Trace& b) {
  std::map<std::pair<std::string, std::string>, std::vector<uint32_t>> by_name;
  for (uint32_t f = 0; f < b.functions().size(); ++f)
    by_name[{b.functions()[f].unit, b.functions()[f].name}].push_back(f);
  std::map<std::pair<std::string, std::string>, size_t> used;
  std::vector<uint32_t> out;
  for (const Function& function : a.functions()) {
    const std::pair key(function.unit, function.name);
    const auto found = by_name.find(key);
    const size_t number = used[key]++;
    uint32_t twin = kNone;
    if (found != by_name.end() && number < found->second.size()) twin = found->second[number];
    if (twin != kNone && b.functions()[twin].path_count != function.path_count)
      return fail(ErrorKind::usage, a.file() + " and " + b.file() +
                                        " are not of the same program: " + demangle(function.name) +
                                        " differs");
    out.push_back(twin);
  }
  if (!out.empty() && std::ranges::count(out, kNone) == static_cast<ptrdiff_t>(out.size()))
    return fail(ErrorKind::usage, a.file() + " and " + b.file() +
                                      " are not of the same program: they share no function");
  return out;
}

class TwinWalk {
 public:
  TwinWalk(const Trace& a, const Trace& b, const std::vector<uint32_t>& twins)
      : a_(a), b_(b), twins_(twins) {}

  Result<ThreadDiff> run(uint32_t thread) {
    ThreadDiff out;
    out.thread = thread;
    auto at_a = a_.walk(thread);
    if (!at_a) return std::unexpected(std::move(at_a.error()));
    auto at_b = b_.walk(thread);
    if (!at_b) return std::unexpected(std::move(at_b.error()));
    const Path *before = nullptr, *path_a = nullptr, *path_b = nullptr;
    while (true) {
      const bool more_a = at_a->next(), more_b = at_b->next();
      for (const PathCursor* cursor : {&*at_a, &*at_b})
        if (cursor->error()) return std::unexpected(*cursor->error());
      path_a = more_a ? &at_a->path() : nullptr;
      path_b = more_b ? &at_b->path() : nullptr;
      if (!path_a && !path_b) return out;
      if (!path_a || !path_b || !same(*path_a, *path_b)) break;
      before = path_a;
      ++out.common;
    }
    out.control = difference(before, path_a, path_b);
    if (auto found = go_on(a_, *at_a, path_a, out.control->a); !found)
      return std::unexpected(std::move(found.error()));
    if (auto found = go_on(b_, *at_b, path_b, out.control->b); !found)
      return std::unexpected(std::move(found.error()));
    return out;
  }

 private:
  bool same(const Path& a, const Path& b) const {
    return twins_[a.function] == b.function && a.id - a_.functions()[a.function].first_path ==
                                                   b.id - b_.functions()[b.function].first_path;
  }
  static ControlDifference::Side side(const Trace& trace, const Path* path, size_t block) {
    ControlDifference::Side out;
    if (!path) return out;
    out.function = path->function;
    if (block >= path->blocks.size()) return out;
    out.block = path->blocks[block];
    out.location = block_location(trace.functions()[path->function], out.block);
    return out;
  }
  // A path that ends where the other goes on (the round of a loop): the block comes in a later
  // path.
  static Result<void> go_on(const Trace& trace, PathCursor& cursor, const Path* path,
                            ControlDifference::Side& side) {
    while (path && side.block == kNone && cursor.next())
      if (!cursor.blocks().empty()) side = TwinWalk::side(trace, &cursor.path(), 0);
    if (cursor.error()) return std::unexpected(*cursor.error());
    return {};
  }
  ControlDifference difference(const Path* before, const Path* a, const Path* b) const {
    size_t common = 0;
    uint32_t resumed = kNone;  // the block that both go on with
    if (a && b && twins_[a->function] == b->function && a->enters == b->enters) {
      while (common < std::min(a->blocks.size(), b->blocks.size()) &&
             a->blocks[common] == b->blocks[common])
        ++common;
      if (common == 0 && a->segments[0] == b->segments[0])
        resumed = a_.functions()[a->function].segments[a->segments[0]].block;
    }
    ControlDifference out{side(a_, a, common), side(b_, b, common), kNone, kNone};
    if (common > 0 || resumed != kNone) {
      out.function = a->function;
      out.block = common > 0 ? a->blocks[common - 1] : resumed;
      out.inside = true;
    } else if (before) {
      out.function = before->function;
      const Function& function = a_.functions()[before->function];
      out.block = function.segments[before->segments.back()].block;
    }
    return out;
  }

  const Trace& a_;
  const Trace& b_;
  const std::vector<uint32_t>& twins_;
};

}  // namespace

bool RunDiff::same() const {
  return only_a == 0 && only_b == 0 && std::ranges::all_of(threads, [](const ThreadDiff& thread) {
           return !thread.control && !thread.value;
         });
}

Result<RunDiff> diff_runs(const Trace& a, const Trace& b, const DiffOptions& options) {
  const auto twins = counterparts(a, b);
  if (!twins) return std::unexpected(twins.error());
  RunDiff out;
  const auto threads = static_cast<uint32_t>(std::min(a.threads().size(), b.threads().size()));
  out.only_a = a.threads().size() - threads;
  out.only_b = b.threads().size() - threads;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    auto walked = TwinWalk(a, b, *twins).run(thread);
    if (!walked) return std::unexpected(std::move(walked.error()));
    if (options.values) {
      DifferingExecutions differing;
      if (auto compared = compare_values(a, b, *twins, *walked, options.why ? &differing : nullptr);
          !compared)
        return std::unexpected(std::move(compared.error()));
      if (options.why && walked->value)
        if (auto explained = explain_difference(a, b, *twins, differing, *walked); !explained)
          return std::unexpected(std::move(explained.error()));
    }
    out.threads.push_back(std::move(*walked));
  }
  return out;
}

}  // namespace vestige
