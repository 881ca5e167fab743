// A made-up program: functions that call, come back, call again, return and catch, and random walks
// through them whose call stacks are known.
#pragma once

#include <random>
#include <vector>

#include "store/chunks.h"
#include "vestige/program.h"

namespace vestige::test {

inline constexpr uint32_t kFakeFunctions = 20;
inline constexpr uint32_t kFakePaths = 6;  // per function
enum FakePath : uint32_t {
  enter_and_call = 0,
  enter_and_return = 1,
  resume_and_call = 2,
  resume_and_return = 3,
  catch_and_call = 4,
  catch_and_return = 5,
};

// Function number n: "fake_<n>" in "file_<n % 3>.c".
Function fake_function(uint32_t n);

inline uint32_t fake_path(uint32_t first_path, uint32_t function, FakePath path) {
  return first_path + function * kFakePaths + path;
}

// What a program does, as words, with the call stack kept the plain way.
class FakeRun {
 public:
  FakeRun(uint32_t first_path, uint64_t seed) : first_path_(first_path), random_(seed) {}

  struct Activation {
    uint32_t function;
    uint64_t entry_time;
    Frame last;
  };
  // The next path; enters and leaves are as fake_function says. Never returns from the outermost.
  uint32_t step();
  // Cuts the stack back to a random activation below the top; gives its entry time. What follows is
  // a path that catches.
  bool unwind(uint64_t& entry_time);

  uint64_t time() const { return time_; }
  const std::vector<Activation>& stack() const { return stack_; }
  std::vector<Frame> frames() const;

 private:
  uint32_t run(uint32_t function, FakePath path);
  uint32_t first_path_;
  std::mt19937_64 random_;
  uint64_t time_ = 0;
  bool catching_ = false;
  std::vector<Activation> stack_;
};

}  // namespace vestige::test
