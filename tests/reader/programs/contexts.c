// Another stack, and back.
#include <ucontext.h>

static ucontext_t here, there;
static char stack[65536];
static int visits;

static int count(int n) { return n == 0 ? 0 : 1 + count(n - 1); }

static void visit(void) {
  for (int i = 0; i < 3; ++i) {
    visits += count(i);
    swapcontext(&there, &here);
  }
}

int main(void) {
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  makecontext(&there, visit, 0);
  for (int i = 0; i < 3; ++i) swapcontext(&here, &there);
  return visits == 3 ? 0 : 1;
}
