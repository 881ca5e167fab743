// Code that runs before the module it is in has been registered: a library's constructor calls back
// into the program, whose own constructors come later. With -DLIBRARY it is that library.
#include <stdio.h>

int call_back(int x);

#ifdef LIBRARY
static int called;
__attribute__((constructor)) static void begin(void) {
  for (int i = 0; i < 3; ++i) called += call_back(i);
}
int sum_with(int x) { return x + called; }
#else
int sum_with(int x);
static int base = 5, first;
int call_back(int x) {
  base += x;
  return 2 * base;
}
// Of the first priority, and in front of what the compiler adds.
__attribute__((constructor(0))) static void very_first(void) { first = base * 3; }

int main(void) {
  int sum = first;
  for (int i = 0; i < 4; ++i) sum += sum_with(i) + call_back(i);
  printf("%d\n", sum);
  return 0;
}
#endif
