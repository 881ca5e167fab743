// Objects of classes that another file describes; statics of a header; static members.
#include "classes.h"

Built global(20, 30);

int main() {
  Shape shape(6);
  Built built(3, 4), others[2] = {Built(5, 6), Built(7, 8)};
  own.first = kOwn;
  MARK;
  int sum = elsewhere(shape, built);
  others[1] = built;
  global.rest[0] = sum;
  shape.name[0] = 'S';
  MARK;
  sum += one_line(sum, 2);
  MARK;
  return sum == 0;
}
