#include "vestige/order.h"

#include <optional>
#include <string>
#include <vector>

#include "store/order_chunk.h"
#include "trace/state.h"

namespace vestige {

struct OrderCursor::State {
  const Trace::State* trace = nullptr;
  uint32_t thread = 0;
  std::vector<size_t> chunks;  // rows of the directory
  size_t next_chunk = 0;
  std::vector<OrderRow> rows;
  size_t at = 0;
  OrderEdge edge;
  std::optional<Error> error;

  bool fail_in(size_t row, const std::string& message) {
    error = Error{ErrorKind::corrupt, trace->file + ": order chunk at byte " +
                                          std::to_string(trace->store.rows()[row].offset) + ": " +
                                          message};
    return false;
  }
  bool open_chunk() {
    const size_t row = chunks[next_chunk++];
    const auto payload = trace->store.payload(row);
    if (!payload) {
      error = payload.error();
      return false;
    }
    auto chunk = OrderChunk::decode(*payload);
    if (!chunk) return fail_in(row, chunk.error().message);
    for (const OrderRow& one : chunk->rows)
      if (one.from_thread >= trace->threads.size() || one.from_thread == thread)
        return fail_in(row, "it names a thread that is not another one");
    if (!chunk->rows.empty() && chunk->rows.front().to_time < edge.after.time)
      return fail_in(row, "its times fall");
    rows = std::move(chunk->rows);
    at = 0;
    return true;
  }
};

bool has_order(const Trace& trace) { return trace.meta("order").has_value(); }

Result<OrderCursor> OrderCursor::open(const Trace& trace, uint32_t thread) {
  auto state = std::make_unique<State>();
  state->trace = &trace.state();
  state->thread = thread;
  const auto& rows = trace.state().store.rows();
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].kind != kOrderChunk) continue;
    const auto payload = trace.state().store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    const auto of = OrderChunk::thread_of(*payload);
    if (!of) {
      state->fail_in(row, of.error().message);
      return std::unexpected(*state->error);
    }
    if (*of == thread) state->chunks.push_back(row);
  }
  return OrderCursor(std::move(state));
}

OrderCursor::OrderCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
OrderCursor::OrderCursor(OrderCursor&&) noexcept = default;
OrderCursor& OrderCursor::operator=(OrderCursor&&) noexcept = default;
OrderCursor::~OrderCursor() = default;

bool OrderCursor::next() {
  State& state = *state_;
  if (state.error) return false;
  while (state.at == state.rows.size()) {
    if (state.next_chunk == state.chunks.size()) return false;
    if (!state.open_chunk()) return false;
  }
  const OrderRow& row = state.rows[state.at++];
  state.edge = {{row.from_thread, row.from_time, row.from_statement},
                {state.thread, row.to_time, row.to_statement}};
  return true;
}

const OrderEdge& OrderCursor::edge() const { return state_->edge; }
const Error* OrderCursor::error() const { return state_->error ? &*state_->error : nullptr; }

}  // namespace vestige
