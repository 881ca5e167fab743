// What the golden traces were recorded from: a bit of everything a trace can hold, and no headers,
// whose lines change from machine to machine. `record` beside this file made them.
extern "C" {
int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
int pthread_join(unsigned long, void**);
int fork();
int waitpid(int, int*, int);
void (*signal(int, void (*)(int)))(int);
int raise(int);
void _exit(int) __attribute__((noreturn));
}

static int shared;
static volatile int handled;

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static void on_signal(int number) { handled = handled + number; }

static void thrower(int n) {
  if (n == 0) throw 7;
  thrower(n - 1);
}

static int catcher(int depth) {
  try {
    thrower(depth);
  } catch (int value) {
    return value;
  }
  return 0;
}

static void* work(void* argument) {
  const long rounds = reinterpret_cast<long>(argument);
  for (long i = 0; i < rounds; ++i) {
    switch (i % 5) {
      case 0:
        __atomic_fetch_add(&shared, fib(3), __ATOMIC_SEQ_CST);
        break;
      case 1:
        __atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED);
        break;
      case 2:
        fib(2);
        break;
      default:
        shared = shared + 0;
        break;
    }
  }
  return nullptr;
}

int main() {
  unsigned long threads[2];
  for (long t = 0; t < 2; ++t)
    pthread_create(&threads[t], nullptr, work, reinterpret_cast<void*>(10 + 5 * t));
  for (const unsigned long thread : threads) pthread_join(thread, nullptr);
  signal(10, on_signal);
  raise(10);
  const int caught = catcher(3);
  const int child = fork();
  if (child == 0) _exit(fib(4));
  int status = 0;
  waitpid(child, &status, 0);
  return caught + fib(6) - 15;
}
