// A server's sessions: requests open, use and close them.
#include <stdio.h>

enum { kSessions = 64 };
static int open_count;
static struct { int open, uses; } sessions[kSessions];

static int handle(unsigned request) {
  unsigned id = request % kSessions, what = request / kSessions % 16;
  if (!sessions[id].open) {
    sessions[id].open = 1;
    open_count++;
    return 0;
  }
  if (what < 15) {
    sessions[id].uses++;
    return 1;
  }
  open_count--;
  if (sessions[id].uses == 0) return 2;
  sessions[id].uses = 0;
  sessions[id].open = 0;
  return 3;
}

int main(void) {
  unsigned state = 12345;
  for (int i = 0; i < 20000; i++) {
    state = state * 1103515245 + 12345;
    handle(state >> 8);
  }
  int counted = 0;
  for (int i = 0; i < kSessions; i++) counted += sessions[i].open;
  printf("open: %d, counted: %d\n", open_count, counted);
  return 0;
}
