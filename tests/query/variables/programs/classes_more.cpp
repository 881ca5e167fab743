// What classes.h declares.
#include "classes.h"

Shape::Shape(int count) : sides(count) {}
Shape::~Shape() = default;
int Shape::area() const { return sides * at.x; }
Built::Built(int a, int b) : first(a), second(b), sum(a + b) {}
int Counted::objects = 5;
long Counted::limits[3] = {10, 20, 30};

int elsewhere(Shape& shape, Built built) {
  own.second += built.sum;
  shape.sides += own.second;
  Shape copy = shape;
  Counted counted;
  Counted::limits[1] += counted.number;
  MARK;
  return copy.area() + one_line(2, built.rest[2]);
}
