#include "fake_program.h"

namespace vestige::test {

Function fake_function(uint32_t n) {
  Function f;
  f.name = "fake_" + std::to_string(n);
  f.unit = "fake.c";
  f.files = {"src/file_" + std::to_string(n % 3) + ".c"};
  f.file = 0;
  f.blocks.resize(1);
  const auto segment = [&](SegmentStart start, SegmentEnd end, std::vector<SegmentEdge> edges) {
    Segment s;
    s.start = start;
    s.end = end;
    s.edges = std::move(edges);
    f.segments.push_back(std::move(s));
  };
  segment(SegmentStart::entry, SegmentEnd::branch, {{1, false}, {2, false}});
  segment(SegmentStart::none, SegmentEnd::call, {{3, false}});
  segment(SegmentStart::none, SegmentEnd::ret, {});
  segment(SegmentStart::resume, SegmentEnd::branch, {{1, false}, {2, false}});
  segment(SegmentStart::pad, SegmentEnd::branch, {{1, false}, {2, false}});
  f.path_count = kFakePaths;
  return f;
}

uint32_t FakeRun::run(uint32_t function, FakePath path) {
  const uint32_t word = fake_path(first_path_, function, path);
  ++time_;
  if (path == enter_and_call || path == enter_and_return)
    stack_.push_back({function, time_ - 1, {}});
  stack_.back().last = {word, time_};
  if (path == enter_and_return || path == resume_and_return || path == catch_and_return)
    stack_.pop_back();
  return word;
}

uint32_t FakeRun::step() {
  const bool call = stack_.size() < 2 || random_() % 2;
  if (catching_) {
    catching_ = false;
    return run(stack_.back().function, call ? catch_and_call : catch_and_return);
  }
  // Every path on the stack ends in a call: either the callee runs now, or the call came back.
  const bool callee = stack_.empty() || random_() % 2;
  const auto function = static_cast<uint32_t>(random_() % kFakeFunctions);
  if (callee)
    return run(function, random_() % 2 || stack_.empty() ? enter_and_call : enter_and_return);
  return run(stack_.back().function, call ? resume_and_call : resume_and_return);
}

bool FakeRun::unwind(uint64_t& entry_time) {
  if (stack_.size() < 2 || catching_) return false;
  stack_.resize(1 + random_() % (stack_.size() - 1));
  entry_time = stack_.back().entry_time;
  catching_ = true;
  return true;
}

std::vector<Frame> FakeRun::frames() const {
  std::vector<Frame> frames;
  for (const Activation& activation : stack_) frames.push_back(activation.last);
  return frames;
}

}  // namespace vestige::test
