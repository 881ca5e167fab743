#include <sstream>

#include "orders.h"

namespace orders {
namespace {

class Place final : public Request {
 public:
  Place(std::string symbol, Order order) : Request(std::move(symbol)), order_(order) {}
  void apply(Book& book) const override { book.place(order_); }
  const char* kind() const override { return order_.buy ? "buy" : "sell"; }

 private:
  Order order_;
};

class Cancel : public Request {
 public:
  Cancel(std::string symbol, uint64_t id) : Request(std::move(symbol)), id_(id) {}
  void apply(Book& book) const override { book.cancel(id_); }
  const char* kind() const override { return "cancel"; }

 protected:
  uint64_t id_;
};

// Cancels what it finds in a range; an unknown order in it is no error, unless nothing was found.
class Sweep final : public Cancel {
 public:
  Sweep(std::string symbol, uint64_t from, uint64_t to)
      : Cancel(std::move(symbol), from), to_(to) {}
  void apply(Book& book) const override {
    int found = 0;
    for (uint64_t id = id_; id <= to_; ++id) {
      try {
        book.cancel(id);
        ++found;
      } catch (const UnknownOrder&) {
        if (id == to_ && found == 0) throw;
      }
    }
  }

 private:
  uint64_t to_;
};

template <class T>
T field(std::istringstream& in, const char* name) {
  T value{};
  if (!(in >> value)) throw SyntaxError(std::string("missing ") + name);
  return value;
}

}  // namespace

std::unique_ptr<Request> parse(const std::string& line) {
  std::istringstream in(line);
  const auto symbol = field<std::string>(in, "symbol");
  const auto verb = field<std::string>(in, "verb");
  if (verb == "buy" || verb == "sell") {
    const auto id = field<uint64_t>(in, "id");
    const auto price = field<int64_t>(in, "price");
    return std::make_unique<Place>(symbol,
                                   Order{id, verb == "buy", price, field<int64_t>(in, "quantity")});
  }
  if (verb == "cancel") return std::make_unique<Cancel>(symbol, field<uint64_t>(in, "id"));
  if (verb == "sweep") {
    const auto from = field<uint64_t>(in, "from");
    return std::make_unique<Sweep>(symbol, from, field<uint64_t>(in, "to"));
  }
  throw SyntaxError("unknown verb " + verb);
}

}  // namespace orders
