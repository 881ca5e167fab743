// Exceptions through several frames, caught, thrown again; longjmp over frames; virtual calls.
#include <csetjmp>
#include <stdexcept>

struct Shape {
  virtual ~Shape() = default;
  virtual int area(int n) const = 0;
};
struct Square : Shape {
  int area(int n) const override {
    if (n % 3 == 0) throw std::runtime_error("three");
    return n * n;
  }
};
struct Line : Shape {
  int area(int) const override { return 0; }
};

struct Guard {
  int& left;
  ~Guard() { ++left; }
};

static int left;
static std::jmp_buf back;

static int deep(const Shape& shape, int n, int depth) {
  const Guard guard{left};
  return depth == 0 ? shape.area(n) : deep(shape, n, depth - 1) + 1;
}

static int again(const Shape& shape, int n) {
  try {
    return deep(shape, n, n % 7);
  } catch (const std::runtime_error&) {
    if (n % 2) throw;
    return -1;
  }
}

static void jump(int depth) {
  if (depth == 0) std::longjmp(back, 1);
  jump(depth - 1);
}

int main() {
  const Square square;
  const Line line;
  volatile int caught = 0;
  for (volatile int n = 0; n < 60; n = n + 1) {
    try {
      again(n % 5 ? static_cast<const Shape&>(square) : line, n);
    } catch (...) {
      caught = caught + 1;
    }
    if (setjmp(back) == 0) jump(n % 4);
  }
  return caught == 8 ? 0 : 1;
}
