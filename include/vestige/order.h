// The order of conflicting accesses of threads, of recordings made with it (`vestige record
// --order`).
//
//     auto edges = vestige::OrderCursor::open(trace, thread);
//     while (edges->next()) use(edges->edge());
//     if (edges->error()) …
//
// Two accesses of different threads of a process conflict when they touch the same 8 aligned bytes
// and at least one of them writes. What orders them is, in this order: a thread's own order; stamps
// (sync.h), of operations on memory as well: what a thread did before a stamp comes before what
// others do behind a higher one, and an atomic operation stands at its own stamp; the beginning of
// a thread behind what its creator had done; and these edges. No edge follows from all the rest,
// but for those of whole paths (below).
#pragma once

#include <cstdint>
#include <memory>

#include "vestige/api.h"
#include "vestige/result.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// `statement` is that of the path's function. A call of a library function (vestige/values.h,
// LibraryAccess) that is not on the path came back where the path begins. kWholePath stands for
// accesses of a path that a jump out of a signal handler left, and that is not in the trace:
// `before` is all of that path with the operation that it ends in, `after` all of that path.
struct OrderedAccess {
  static constexpr uint32_t kWholePath = UINT32_MAX;
  uint32_t thread = 0;
  uint64_t time = 0;
  uint32_t statement = 0;
  bool operator==(const OrderedAccess&) const = default;
};
struct OrderEdge {
  OrderedAccess before, after;
  bool operator==(const OrderEdge&) const = default;
};

// Whether the trace was recorded with its order.
bool has_order(const Trace& trace);

// The edges that lead to accesses of one thread, in the order of those. Must not outlive its Trace.
class OrderCursor {
 public:
  static Result<OrderCursor> open(const Trace& trace, uint32_t thread);
  OrderCursor(OrderCursor&&) noexcept;
  OrderCursor& operator=(OrderCursor&&) noexcept;
  ~OrderCursor();

  // False at the end, or with error() set: damaged bytes, or a thread that is not there.
  bool next();
  const OrderEdge& edge() const;
  const Error* error() const;

 private:
  struct VESTIGE_LOCAL State;
  explicit OrderCursor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vestige
VESTIGE_API_END
