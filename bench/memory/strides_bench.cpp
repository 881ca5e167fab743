// What would a recording of addresses alone have to write? For each full recording: how many
// accesses there were, how many of their addresses "last address plus last stride" of the same
// statement does not foresee, and how many values the recording tells, from which all addresses
// follow.
#include <cstdio>
#include <vector>

#include "trace/state.h"
#include "trace/windows/windows.h"

namespace {

using namespace vestige;

class Strides final : public EvaluationObserver {
 public:
  explicit Strides(const Trace& trace) {
    for (const Function& function : trace.functions()) {
      first_.push_back(places_.size());
      places_.resize(places_.size() + function.statements.size());
    }
  }
  void see(const Observation& seen) override {
    if (!seen.has_address) return;
    Place& place = places_[first_[seen.function] + seen.statement];
    ++accesses;
    const uint64_t stride = seen.address - place.last;
    misses += stride != place.stride;
    place = {seen.address, stride};
  }
  uint64_t accesses = 0, misses = 0;

 private:
  struct Place {
    uint64_t last = 0, stride = 0;
  };
  std::vector<size_t> first_;
  std::vector<Place> places_;
};

}  // namespace

int main(int count, char** files) {
  std::printf("%-24s %14s %14s %14s\n", "trace", "accesses", "stride misses", "values told");
  for (int i = 1; i < count; ++i) {
    const auto trace = Trace::open(files[i]);
    const auto windows = trace ? Windows::open(*trace) : std::unexpected(trace.error());
    if (!windows) {
      std::fprintf(stderr, "%s\n", windows.error().message.c_str());
      return 1;
    }
    uint64_t accesses = 0, misses = 0, told = 0;
    for (uint32_t thread = 0; thread < trace->threads().size(); ++thread) {
      Strides strides(*trace);
      for (size_t w = 0; w < windows->of(thread).size(); ++w) {
        auto window = windows->begin(thread, w);
        if (!window) return 1;
        window->evaluator().observe_all(strides);
        if (!window->run()) return 1;
      }
      accesses += strides.accesses;
      misses += strides.misses;
      ToldValues values(trace->state(), thread);
      for (ToldValue value; values.next(value);) ++told;
    }
    std::printf("%-24s %14lu %14lu %14lu\n", files[i], accesses, misses, told);
  }
}
