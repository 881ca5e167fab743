// A small order-matching exchange: requests are polymorphic, each symbol's book belongs to one
// worker thread, and what is wrong with a request is an exception.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace orders {

struct Rejected : std::runtime_error {
  Rejected(int code, const std::string& why) : std::runtime_error(why), code(code) {}
  int code;
};
struct UnknownOrder : Rejected {
  explicit UnknownOrder(uint64_t id) : Rejected(2, "no order " + std::to_string(id)) {}
};
struct SyntaxError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct Order {
  uint64_t id;
  bool buy;
  int64_t price;
  int64_t quantity;
};

class Book {
 public:
  // Matches, then keeps what is left. Returns the quantity traded.
  int64_t place(Order order);
  void cancel(uint64_t id);
  int64_t traded() const { return traded_; }
  size_t open() const { return by_id_.size(); }
  uint64_t digest() const;

 private:
  template <class Side, class Better>
  int64_t match(Side& side, Order& order, Better better);
  std::map<int64_t, std::vector<Order>> bids_, asks_;
  std::map<uint64_t, std::pair<bool, int64_t>> by_id_;
  int64_t traded_ = 0;
};

class Request {
 public:
  virtual ~Request() = default;
  virtual void apply(Book& book) const = 0;
  virtual const char* kind() const { return "request"; }
  const std::string& symbol() const { return symbol_; }

 protected:
  explicit Request(std::string symbol) : symbol_(std::move(symbol)) {}

 private:
  std::string symbol_;
};

// One line: "SYMBOL buy|sell ID PRICE QUANTITY", "SYMBOL cancel ID" or "SYMBOL sweep FROM TO".
std::unique_ptr<Request> parse(const std::string& line);

}  // namespace orders
