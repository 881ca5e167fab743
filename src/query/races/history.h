// What each thread did, event by event, as far as it matters to other orders of the same events.
//
// Memory: 16 bytes an event, 12 for each place or lock of one, 12 an edge. One owner thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/program.h"

namespace vestige::races {

// An event of a thread, from 1; event 0 of nobody: none.
struct EventAt {
  uint32_t thread = kNone, event = 0;
  bool operator==(const EventAt&) const = default;
};

class History {
 public:
  enum class Kind : uint8_t { nothing, read, write, acquire, release };
  struct Step {
    uint32_t first = 0;  // among targets
    uint32_t order = 0;  // as recorded, over all threads
    uint16_t count = 0;
    Kind kind = Kind::nothing;
  };
  struct Edge {
    uint32_t event = 0;
    EventAt behind;
  };

  explicit History(uint32_t threads) : threads_(threads) {}

  // The thread's next event. `sources`, of reads: by target, what wrote what is read.
  void add(uint32_t thread, Kind kind, std::span<const uint32_t> targets,
           std::span<const EventAt> sources = {}) {
    // No access is cut into more pieces than it has bytes; one of so many is left without them.
    if (targets.size() > UINT16_MAX) {
      whole_ = false;
      targets = {};
    }
    threads_[thread].steps.push_back({static_cast<uint32_t>(targets_.size()), order_++,
                                      static_cast<uint16_t>(targets.size()), kind});
    targets_.insert(targets_.end(), targets.begin(), targets.end());
    for (size_t i = 0; i < targets.size(); ++i)
      sources_.push_back(i < sources.size() ? sources[i] : EventAt{});
  }
  // The thread's next event comes behind this one.
  void edge(uint32_t thread, const EventAt& behind) {
    threads_[thread].edges.push_back(
        {static_cast<uint32_t>(threads_[thread].steps.size()) + 1, behind});
  }

  // False: something was too large to be kept, and nothing may be concluded.
  bool whole() const { return whole_; }
  const Step& step(const EventAt& at) const { return threads_[at.thread].steps[at.event - 1]; }
  std::span<const uint32_t> targets(const Step& step) const {
    return std::span(targets_).subspan(step.first, step.count);
  }
  std::span<const EventAt> sources(const Step& step) const {
    return std::span(sources_).subspan(step.first, step.count);
  }
  std::span<const Edge> edges(const EventAt& at) const {
    const auto [first, end] =
        std::ranges::equal_range(threads_[at.thread].edges, at.event, {}, &Edge::event);
    return {first, end};
  }

 private:
  struct Thread {
    std::vector<Step> steps;
    std::vector<Edge> edges;  // by rising event
  };
  std::vector<Thread> threads_;
  std::vector<uint32_t> targets_;  // places or locks
  std::vector<EventAt> sources_;   // by target
  uint32_t order_ = 0;
  bool whole_ = true;
};

}  // namespace vestige::races
