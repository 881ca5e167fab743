// One small example of each kind of dependence. The results, r1 …, are what the test asks for.
#include <string.h>
struct pair { int first, second; };
static int global, other;
static int factorial(int n) {
  if (n < 2)
    return 1;
  return n * factorial(n - 1);
}
static void sets(int value) { global = value; }
static int reads(void) { return global; }
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int classify(int x) {
  int kind = 0;
  switch (x) {
    case 1:
      kind = 10;
      break;
    case 2:
      kind = 20;
      break;
    default:
      kind = 30;
  }
  return kind;
}
int main(void) {
  int n = 3, sum = 0, product = 1;
  for (int i = 1; i <= n; i++) {
    sum += i;
    product *= i;
  }
  int r1 = sum;
  int seven = 7;
  int r2 = factorial(n);
  int a = 1, b = 2;
  int *p = &a;
  *p = seven;
  p = &b;
  int r3 = a;
  struct pair one = {5, 6}, copy;
  one.first = n;
  one.second = seven;
  memcpy(&copy, &one, sizeof copy);
  int r4 = copy.second;
  unsigned word = 0x11223344;
  unsigned char *bytes = (unsigned char *)&word;
  bytes[0] = 9;
  bytes[1] = 8;
  int r5 = bytes[1];
  unsigned r6 = word;
  int r7 = 0;
  if (a > 100 || n > 2)
    r7 = 1;
  int r8 = classify(2);
  int (*operation)(int, int) = subtract;
  if (n == 3)
    operation = add;
  int r9 = operation(seven, 1);
  sets(n + 1);
  other = 5;
  int r10 = reads();
  return r1 + r2 + r3 + r4 + r5 + (int)r6 + r7 + r8 + r9 + r10;
}
