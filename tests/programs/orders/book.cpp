#include <algorithm>

#include "orders.h"

namespace orders {

template <class Side, class Better>
int64_t Book::match(Side& side, Order& order, Better better) {
  int64_t done = 0;
  while (order.quantity > 0 && !side.empty()) {
    auto level = order.buy ? side.begin() : std::prev(side.end());
    if (!better(level->first, order.price)) break;
    std::vector<Order>& queue = level->second;
    for (Order& resting : queue) {
      const int64_t amount = std::min(resting.quantity, order.quantity);
      resting.quantity -= amount;
      order.quantity -= amount;
      done += amount;
      if (resting.quantity == 0) by_id_.erase(resting.id);
      if (order.quantity == 0) break;
    }
    std::erase_if(queue, [](const Order& resting) { return resting.quantity == 0; });
    if (queue.empty()) side.erase(level);
  }
  return done;
}

int64_t Book::place(Order order) {
  if (order.quantity <= 0) throw Rejected(1, "quantity must be positive");
  if (by_id_.contains(order.id)) throw Rejected(3, "order " + std::to_string(order.id) + " exists");
  const int64_t done =
      order.buy ? match(asks_, order, [](int64_t ask, int64_t limit) { return ask <= limit; })
                : match(bids_, order, [](int64_t bid, int64_t limit) { return bid >= limit; });
  traded_ += done;
  if (order.quantity > 0) {
    (order.buy ? bids_ : asks_)[order.price].push_back(order);
    by_id_[order.id] = {order.buy, order.price};
  }
  return done;
}

void Book::cancel(uint64_t id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) throw UnknownOrder(id);
  const auto [buy, price] = found->second;
  auto& side = buy ? bids_ : asks_;
  auto& queue = side.at(price);
  std::erase_if(queue, [id](const Order& order) { return order.id == id; });
  if (queue.empty()) side.erase(price);
  by_id_.erase(found);
}

uint64_t Book::digest() const {
  uint64_t hash = 1469598103934665603u;
  for (const auto* side : {&bids_, &asks_}) {
    for (const auto& [price, queue] : *side) {
      for (const Order& order : queue) {
        hash = (hash ^ static_cast<uint64_t>(price)) * 1099511628211u;
        hash = (hash ^ order.id) * 1099511628211u;
        hash = (hash ^ static_cast<uint64_t>(order.quantity)) * 1099511628211u;
      }
    }
  }
  return hash;
}

}  // namespace orders
