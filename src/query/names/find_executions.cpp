// Finds executions of statements by their numbers, on the paths.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "vestige/query.h"
#include "vestige/variables.h"

namespace vestige {

namespace {

bool executes(const Function& function, const Path& path, uint32_t statement) {
  return std::ranges::any_of(path.segments, [&](uint32_t number) {
    const Segment& segment = function.segments[number];
    return statement >= segment.first_statement &&
           statement - segment.first_statement < segment.statement_count;
  });
}

class ExecutionFinder {
 public:
  ExecutionFinder(const Trace& trace, const std::vector<ExecutionQuestion>& questions)
      : trace_(trace), questions_(questions), found_(questions.size()), done_(questions.size()) {
    for (size_t q = 0; q < questions.size(); ++q) asked_[questions[q].function].push_back(q);
  }

  Result<void> read(uint32_t thread) {
    counts_.assign(questions_.size(), 0);
    wanted_.clear();
    auto cursor = trace_.walk(thread);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    while (cursor->next()) {
      for (const size_t q : questions_of(cursor->path())) {
        if (done_[q] || (questions_[q].thread != kNone && questions_[q].thread != thread)) continue;
        ++counts_[q];
        if (questions_[q].instance && counts_[q] != *questions_[q].instance) continue;
        found_[q] = {thread, questions_[q].function, questions_[q].statement, cursor->time(),
                     counts_[q]};
        done_[q] = questions_[q].instance.has_value();
      }
    }
    if (cursor->error()) return std::unexpected(*cursor->error());
    for (size_t q = 0; q < questions_.size(); ++q)
      done_[q] = done_[q] || (!questions_[q].instance && counts_[q] != 0);
    return {};
  }

  Result<std::vector<Execution>> take() {
    for (size_t q = 0; q < questions_.size(); ++q)
      if (!done_[q])
        return fail(ErrorKind::missing,
                    trace_.file() + ": " + "#" +
                        std::to_string(statement_id(
                            trace_, {questions_[q].function, questions_[q].statement})) +
                        " was not executed" +
                        (questions_[q].instance
                             ? " " + std::to_string(*questions_[q].instance) + " times in a thread"
                             : std::string()));
    return std::move(found_);
  }

 private:
  // Those whose statement the path executes.
  const std::vector<size_t>& questions_of(const Path& path) {
    const auto [at, fresh] = wanted_.try_emplace(path.id);
    if (!fresh) return at->second;
    if (const auto asked = asked_.find(path.function); asked != asked_.end())
      for (const size_t q : asked->second)
        if (executes(trace_.functions()[path.function], path, questions_[q].statement))
          at->second.push_back(q);
    return at->second;
  }

  const Trace& trace_;
  const std::vector<ExecutionQuestion>& questions_;
  std::vector<Execution> found_;
  std::vector<bool> done_;
  std::vector<uint64_t> counts_;
  std::map<uint32_t, std::vector<size_t>> asked_;             // by function
  std::unordered_map<uint32_t, std::vector<size_t>> wanted_;  // by path id
};

}  // namespace

Result<std::vector<Execution>> find_executions(const Trace& trace,
                                               const std::vector<ExecutionQuestion>& questions) {
  ExecutionFinder finder(trace, questions);
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread)
    if (auto read = finder.read(thread); !read) return std::unexpected(std::move(read.error()));
  return finder.take();
}

}  // namespace vestige
