/* Races between loops that go round many times: rounds N. Strides up and down, of several sizes, through structures and by steps of steps; some
   addresses are used again and again. */
#include <pthread.h>
#include <stdlib.h>

struct item {
  short tag;
  int count;
  double weight[2];
};

static int numbers[4096];
static double sums[4096];
static struct item items[512];
static unsigned char bytes[4096];
static long total;
static int length;

static void* forwards(void* unused) {
  (void)unused;
  for (int i = 0; i < length; i++) numbers[i] = i;
  for (int i = 0; i < length; i++) sums[i] += numbers[i] * 0.5;
  for (int i = 0; i < length / 8; i++) items[i].count = i;
  for (int i = 0; i < length; i++) total += i;
  for (int row = 0; row < 8; row++)
    for (int i = row; i < length / 8; i++) sums[row * (length / 8) + i - row] = i;
  return NULL;
}

static void* backwards(void* unused) {
  (void)unused;
  for (int i = length - 1; i >= 0; i--) sums[i] = i;
  for (int i = 0; i < length / 2; i++) numbers[2 * i] += items[i / 8].tag;
  for (int i = length / 8 - 1; i > 0; i -= 3) items[i].weight[1] = items[i - 1].weight[0] + items[i].count;
  for (unsigned i = 0; i < (unsigned)length; i += 5) bytes[(unsigned char)i] = (unsigned char)i; /* wraps */
  for (int i = 0; i < length; i++) bytes[i] ^= (unsigned char)total;
  return NULL;
}

int main(int count, char** words) {
  pthread_t thread[3];
  length = count > 1 ? atoi(words[1]) : 64;
  pthread_create(&thread[0], NULL, forwards, NULL);
  pthread_create(&thread[1], NULL, backwards, NULL);
  pthread_create(&thread[2], NULL, backwards, NULL);
  for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
  return 0;
}
