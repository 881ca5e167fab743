// Control flow that is not loops and calls alone: recursion, callbacks, exceptions, longjmp,
// switches.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int table[64];
static std::jmp_buf place;

static int fib(int n) {
  table[n] += 1;
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : (table[n & 63]++, even(n - 1)); }
static int even(int n) { return n == 0 ? 1 : (table[n & 63]++, odd(n - 1)); }

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void thrower(int depth) {
  for (int i = 0; i < 3; ++i) table[i] += depth;
  if (depth == 0) throw 7;
  thrower(depth - 1);
}
static void jumper(int depth) {
  for (int i = 0; i < depth; ++i) table[i]++;
  if (depth == 0) std::longjmp(place, 1);
  jumper(depth - 1);
}

struct Tree {
  Tree *left = nullptr, *right = nullptr;
  int key = 0;
};
static Tree* insert(Tree* tree, int key) {
  if (!tree) {
    tree = new Tree;
    tree->key = key;
  } else if (key < tree->key) {
    tree->left = insert(tree->left, key);
  } else {
    tree->right = insert(tree->right, key);
  }
  return tree;
}
static int sum(const Tree* tree) {
  int total = 0;
  for (; tree; tree = tree->right) total += tree->key + sum(tree->left);
  return total;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 30;
  int result = fib(10) + even(n);
  std::vector<int> numbers;
  unsigned seed = 1;
  for (int i = 0; i < n; ++i) numbers.push_back((seed = seed * 1103515245 + 12345) >> 16 & 1023);
  std::qsort(numbers.data(), numbers.size(), sizeof(int), compare);
  std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return (a ^ 5) < (b ^ 5); });
  for (int i = 0; i < 5; ++i) {
    try {
      thrower(i);
    } catch (int e) {
      result += e;
    }
  }
  for (volatile int i = 0; i < 4; ++i)
    if (!setjmp(place)) jumper(i + 1);
  Tree* tree = nullptr;
  for (int i = 0; i < n; ++i) tree = insert(tree, numbers[i] * 7919 % 1009);
  result += sum(tree);
  char text[200];
  for (int i = 0; i < n; ++i) {
    switch (i % 5) {
      case 0: std::memset(text, i, i); break;
      case 1: std::memcpy(text + 100, text, i % 60); break;
      case 2: result += text[i]; [[fallthrough]];
      case 3: result ^= table[i & 63]; break;
      default: if (i & 8) break; table[i & 63] = 1;
    }
    int k = i;
    while (k > 1) k = k & 1 ? 3 * k + 1 : k / 2, table[k & 63]++;
  }
  std::printf("%d\n", result);
  if (n == 31) std::exit(3);
}
