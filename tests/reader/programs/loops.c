// Enough paths for several blocks of words: easy ones first, then ones nobody predicts.
static unsigned seed = 1;
static unsigned next(void) { return (seed = seed * 1103515245 + 12345) >> 16; }

int main(void) {
  unsigned sum = 0;
  for (int i = 0; i < 100000; ++i) sum += i % 3 ? i : 1;
  for (int i = 0; i < 50000; ++i) {
    switch (next() % 7) {
      case 0: sum += 3; break;
      case 1: sum ^= next(); break;
      case 2: if (sum & 1) sum /= 2; break;
      case 3: sum = sum << 1 | sum >> 31; break;
      case 4: continue;
      default: sum -= i;
    }
  }
  return sum == 0;
}
