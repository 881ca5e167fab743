// Classes with strings and vectors inside, references, results of classes.
#include <string>
#include <vector>

#include "mark.h"

struct Money {
  long cents;
  Money operator+(const Money& other) const { return {cents + other.cents}; }
};
class Shape {
 public:
  explicit Shape(int n) : sides_(n) {}
  virtual ~Shape() = default;
  virtual double area() const { return sides_; }

 protected:
  int sides_;
  Money price_{5};
};
class Square : public Shape {
 public:
  explicit Square(double side) : Shape(4), side_(side) {}
  double area() const override { return side_ * side_; }
  double side_;
};
struct Entry {
  int number = 7;
  std::string name;
  Money worth{12};
};

static Entry make(int n) {
  Entry e;
  e.number = n;
  e.name = "short";
  e.worth = e.worth + Money{n};
  MARK;
  return e;
}
static void change(int& number, const Money& by, Entry& entry) {
  number += static_cast<int>(by.cents);
  entry.number = number;
  MARK;
}

static Square last(1.5);

int main() {
  int number = 4;
  Entry first = make(3);
  Entry second = first;
  second.name += " and longer than what fits inside";
  change(number, Money{30}, first);
  Money total = first.worth + second.worth;
  Money sums[3] = {total, total + total};
  Square square(2.5);
  Square copy = square;
  std::vector<int> list;
  for (int i = 0; i < 5; ++i) list.push_back(i * i);
  std::size_t size = list.size() + second.name.size() + first.name.size();
  int sum = 0;
  for (int& value : list) {
    value += 1;
    sum += value;
    if (sum == 3) MARK;
  }
  last.side_ = square.area() + copy.area();
  MARK;
  return static_cast<int>(size + sums[1].cents) == 0;
}
