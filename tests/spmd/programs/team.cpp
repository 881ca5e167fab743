// The same with std::thread: team THREADS
#include <cstdlib>
#include <thread>
#include <vector>

static double a[1 << 14];

__attribute__((noinline)) static void work(int id) {
  for (int j = 100 * id; j < 100 * id + 100; j++) a[j] += j;  // @work
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 8;
  std::vector<std::thread> made;
  for (int i = 1; i < threads; i++) made.emplace_back(work, i);
  work(0);
  for (std::thread& thread : made) thread.join();
}
