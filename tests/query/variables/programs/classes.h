// Classes that clang describes where their virtual functions or constructors are.
#pragma once
#include "mark.h"

class Shape {
 public:
  explicit Shape(int sides);
  virtual ~Shape();
  virtual int area() const;
  int sides;
  double scale = 1.5;
  char name[12] = "shape";

 protected:
  struct Point { int x, y; } at = {3, 4};
};
class Built {
 public:
  Built(int first, int second);
  int first, second, sum;
  int rest[4] = {1, 2, 3, 4};
};
class Counted {
 public:
  static int objects;
  static long limits[3];
  int number = ++objects;
};
static const int kOwn = 7;
static Built own(1, 2);  // in each file
static int one_line(int a, int b) { int c = a * b; MARK; return c + own.first; }
int elsewhere(Shape& shape, Built built);
