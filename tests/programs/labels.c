// Computed gotos in every form: a constant table, one on the stack, one filled at run time, and
// differences of labels. A forked child runs them too.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned char code[] = {0, 1, 2, 1, 3, 0, 2, 2, 1, 3, 0, 0, 1, 3, 4};

static long constant_table(long x) {
  static void *const table[] = {&&twice, &&more, &&less, &&mix, &&done};
  const unsigned char *at = code;
  goto *table[*at++];
twice: x *= 2; goto *table[*at++];
more: x += 7; goto *table[*at++];
less: x -= 3; goto *table[*at++];
mix: x ^= x >> 3; goto *table[*at++];
done: return x;
}

static long stack_table(long x) {
  void *table[] = {&&twice, &&more, &&less, &&mix, &&done};
  const unsigned char *at = code;
  goto *table[*at++];
twice: x *= 3; goto *table[*at++];
more: x += 5; goto *table[*at++];
less: x -= 2; goto *table[*at++];
mix: x ^= x << 1; goto *table[*at++];
done: return x;
}

static long filled_table(long x) {
  static void *table[5];
  if (!table[0]) {
    table[0] = &&twice, table[1] = &&more, table[2] = &&less, table[3] = &&mix;
    table[4] = &&done;
  }
  const unsigned char *at = code;
  goto *table[*at++];
twice: x *= 5; goto *table[*at++];
more: x += 1; goto *table[*at++];
less: x -= 9; goto *table[*at++];
mix: x ^= x >> 2; goto *table[*at++];
done: return x;
}

static long differences(long x) {
  static const int table[] = {&&twice - &&twice, &&more - &&twice, &&less - &&twice,
                              &&mix - &&twice, &&done - &&twice};
  const unsigned char *at = code;
  goto *(&&twice + table[*at++]);
twice: x *= 2; goto *(&&twice + table[*at++]);
more: x += 11; goto *(&&twice + table[*at++]);
less: x -= 4; goto *(&&twice + table[*at++]);
mix: x ^= x >> 1; goto *(&&twice + table[*at++]);
done: return x;
}

static long all(long x) {
  for (int i = 0; i < 50; ++i)
    x = (constant_table(x) + stack_table(x) + filled_table(x) + differences(x)) & 0xfffff;
  return x;
}

int main(void) {
  printf("%ld\n", all(1));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    printf("%ld\n", all(2));
    return 0;
  }
  waitpid(child, 0, 0);
  printf("%ld\n", all(3));
  return 0;
}
