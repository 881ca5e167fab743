// The values that calls of libomp were given and gave back, in one thread: bounds, chunks, who won.
//
// One owner thread. Memory: 16 bytes for each execution of the statements concerned.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "query/schedules/team_code.h"
#include "vestige/result.h"
#include "vestige/trace.h"

namespace vestige::schedules {

class Bounds {
 public:
  static Result<Bounds> read(const Trace& trace, uint32_t thread,
                             const std::vector<bool>& functions);

  // An operand of a call that ends the path of this time, as it was then.
  std::optional<uint64_t> operand(uint32_t function, uint32_t statement, size_t operand,
                                  uint64_t time) const;
  // The result of one.
  std::optional<uint64_t> result(uint32_t function, uint32_t statement, uint64_t time) const;
  // What was stored last to a local variable up to this time; what is loaded first behind it.
  std::optional<uint64_t> stored(uint32_t function, uint32_t variable, uint64_t time) const;
  std::optional<uint64_t> loaded(uint32_t function, uint32_t variable, uint64_t time) const;
  // Addresses of local variables and their ends, by time.
  struct Local {
    uint64_t time = 0, first = 0, end = 0;
  };
  const std::vector<Local>& locals() const { return locals_; }
  // Where the thread's copies of thread-local variables are, whoever uses them: ends by beginnings.
  const std::map<uint64_t, uint64_t>& thread_locals() const { return thread_locals_; }

 private:
  struct Row {
    uint64_t time = 0, value = 0;
  };
  using Rows = std::unordered_map<uint64_t, std::vector<Row>>;
  static std::optional<uint64_t> last(const Rows& rows, uint64_t key, uint64_t time);
  const Trace* trace_ = nullptr;
  Rows values_, stores_, loads_;  // by function and statement or variable
  std::vector<Local> locals_;
  std::map<uint64_t, uint64_t> thread_locals_;
};

// Where a thread's copies of thread-local variables are, as far as it asked for them: ends by
// beginnings.
Result<std::map<uint64_t, uint64_t>> read_thread_locals(const Trace& trace, uint32_t thread);

}  // namespace vestige::schedules
