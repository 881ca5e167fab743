// Deep and wide recursion.
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
static int even(unsigned n);
static int odd(unsigned n) { return n != 0 && even(n - 1); }
static int even(unsigned n) { return n == 0 || odd(n - 1); }

int main(void) { return fib(18) == 2584 && deep(5000) == 5000 && even(2000) ? 0 : 1; }
