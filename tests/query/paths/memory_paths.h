// Whole program paths made in memory from a list of terminals: the grammar, cut into several, with
// its chunk index, as the builder makes them.
#pragma once

#include <deque>
#include <map>

#include "codec/sequitur/grammar_builder.h"
#include "query/paths/scheme.h"
#include "trace/paths/annotate_paths.h"

namespace vestige {

class MemoryPaths {
 public:
  MemoryPaths(const std::vector<Terminal>& stream, size_t parts, uint64_t chunk_events) {
    const size_t each = stream.size() / parts + 1;
    uint64_t time = 1;
    for (size_t from = 0; from < stream.size(); from += each) {
      const size_t to = std::min(stream.size(), from + each);
      std::vector<Terminal> terminals;
      std::vector<uint64_t> values;
      for (size_t i = from; i < to; ++i) {
        size_t n = 0;
        while (n < terminals.size() && !(terminals[n] == stream[i])) ++n;
        if (n == terminals.size()) terminals.push_back(stream[i]);
        values.push_back(n);
      }
      sequitur::GrammarBuilder builder;
      builder.append(values);
      const std::vector<uint32_t> raw(terminals.size(), 3);
      parts_.push_back(annotate_paths(builder.finish(), terminals, raw));
      add_rule_chunks(thread_.by_rule, parts_.back(), static_cast<uint32_t>(parts_.size() - 1),
                      time, chunk_events);
      time += parts_.back().rules.back().times;
    }
    for (const AnnotatedPaths& part : parts_) thread_.parts.push_back(part.view());
  }
  const WholePaths::Thread& thread() const { return thread_; }

 private:
  std::deque<AnnotatedPaths> parts_;
  WholePaths::Thread thread_;
};

}  // namespace vestige
