// Jumps whose targets only the program knows: computed goto, asm goto, a large switch; and a tail call.
static int counter;

static int interpret(const unsigned char* code) {
  static void* const targets[] = {&&stop, &&add, &&twice, &&back};
  int value = 1, rounds = 0;
  goto* targets[*code];
add:
  value += 3;
  goto* targets[*++code];
twice:
  value *= 2;
  goto* targets[*++code];
back:
  if (++rounds < 5) {
    code -= 3;
    goto* targets[*code];
  }
  goto* targets[*++code];
stop:
  return value;
}

static int assembly(int n) {
  if (n % 3 == 0) goto out;
  asm goto("test %0, %0\n\tjz %l[out]" : : "r"(n % 2) : "cc" : out);
  ++counter;
out:
  return n;
}

static int choose(int n) {
  switch (n) {
    case 0: case 7: case 9: return 1;
    case 1: return 5;
    case 2: return assembly(n);
    case 3: case 4: counter += 2; break;
    case 5: return choose(n - 1);
    default: counter -= 1;
  }
  return counter;
}

int main(void) {
  const unsigned char code[] = {1, 2, 1, 3, 2, 0};
  int sum = interpret(code);
  for (int i = 0; i < 30; ++i) sum += assembly(i) + choose(i % 12);
  return sum == 0;
}
