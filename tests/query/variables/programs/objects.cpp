// C++: members through this, references, templates, inlined functions, exceptions.
#include <vector>

#include "mark.h"

namespace shapes {

struct Base {
  int id = 0;
  virtual ~Base() = default;
  virtual long area() const = 0;
};

struct Box : Base {
  long width, height;
  Box(long w, long h) : width(w), height(h) {
    id = static_cast<int>(w);
    MARK;
  }
  long area() const override {
    const long product = width * height;
    MARK;
    return product;
  }
};

int made;

}  // namespace shapes

template <class T>
__attribute__((noinline)) T largest(const std::vector<T>& list) {
  T best = list[0];
  for (const T& one : list) {
    if (one > best) best = one;
    MARK;
  }
  return best;
}

static inline int twice(int x) {
  int doubled = 2 * x;
  MARK;
  return doubled;
}

__attribute__((noinline)) static int swap_add(int& a, int& b) {
  const int old = a;
  a = b + 1;
  b = old;
  MARK;
  return a - b;
}

__attribute__((noinline)) static int risky(int n) {
  int left = n;
  if (n % 2) throw n;
  left -= 1;
  MARK;
  return left;
}

int main() {
  int one = 3, two = 9;
  bool flag = false;
  for (int i = 0; i < 3; ++i) {
    one += swap_add(one, two) + twice(i);
    flag = one > two;
    MARK;
  }
  long sum = 0;
  for (long n = 1; n < 4; ++n) {
    shapes::Box box(n, n + 2);
    const shapes::Base& base = box;
    sum += base.area();
    ++shapes::made;
    MARK;
  }
  int caught = 0;
  for (int i = 0; i < 4; ++i) {
    try {
      caught += risky(i);
    } catch (int what) {
      caught += 100 * what;
      MARK;
    }
  }
  sum += largest(std::vector<int>{4, 8, 1, 9}) + static_cast<long>(largest(std::vector<double>{.5, 2.5}));
  MARK;
  return static_cast<int>(sum + one + two + caught + flag) & 63;
}
