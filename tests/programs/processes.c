// processes HOW: fork, exec, vfork, posix_spawn, daemons.
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

#include "tally.h"

extern char** environ;

NOINLINE static long leaf(long x) {
  CALLED();
  return x + 1;
}

NOINLINE static long in_child(long x) {
  CALLED();
  return leaf(x) + leaf(x + 1);
}

// The child returns through the activations that its parent entered.
NOINLINE static pid_t fork_below(int depth) {
  CALLED();
  pid_t child = depth == 0 ? fork() : fork_below(depth - 1);
  leaf(depth);
  return child;
}

static volatile int stop;
static void* spins(void* argument) {
  CALLED();
  while (!stop) leaf(1);
  return argument;
}

static void nap(long milliseconds) {
  struct timespec moment = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&moment, NULL);
}

static int finish(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  CALLED();
  if (!strcmp(how, "fork")) {
    pid_t child = fork_below(3);
    if (child == 0) {
      in_child(1);
      exit(3);
    }
    leaf(2);
    return finish(child);
  }
  if (!strcmp(how, "threaded")) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, spins, NULL);
    for (int i = 0; i < 10; ++i) {
      pid_t child = fork_below(2);
      if (child == 0) {
        in_child(i);
        _exit(0);
      }
      finish(child);
    }
    stop = 1;
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    return 0;
  }
  if (!strcmp(how, "tree")) {  // 2^4 processes
    for (int i = 0; i < 4; ++i) {
      fork();
      leaf(i);
    }
    while (wait(NULL) > 0) {
    }
    return 0;
  }
  if (!strcmp(how, "chain")) {  // exec, exec, exec, then the end
    int left = argc > 2 ? atoi(argv[2]) : 0;
    leaf(left);
    if (left == 0) return 5;
    char text[16];
    sprintf(text, "%d", left - 1);
    execl("/proc/self/exe", argv[0], "chain", text, (char*)NULL);
    return 99;
  }
  if (!strcmp(how, "spawn")) {
    for (int i = 0; i < 5; ++i) {
      pid_t child;
      char* arguments[] = {argv[0], (char*)"leaf", NULL};
      if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) != 0) return 98;
      if (finish(child) != 6) return 97;
    }
    return 0;
  }
  if (!strcmp(how, "vfork")) {
    for (int i = 0; i < 5; ++i) {
      pid_t child = vfork();
      if (child == 0) {
        execl("/proc/self/exe", argv[0], "leaf", (char*)NULL);
        _exit(99);
      }
      leaf(i);
      if (finish(child) != 6) return 97;
    }
    return 0;
  }
  if (!strcmp(how, "system")) {
    leaf(1);
    return WEXITSTATUS(system("./processes leaf"));
  }
  if (!strcmp(how, "leaf")) {
    leaf(1);
    return 6;
  }
  if (!strcmp(how, "daemon")) {
    if (daemon(1, 1) != 0) return 98;
    nap(300);
    for (int i = 0; i < 10; ++i) in_child(i);
    return 0;
  }
  if (!strcmp(how, "killed_child")) {
    pid_t child = fork();
    if (child == 0) {
      in_child(1);
      raise(SIGKILL);
    }
    return finish(child);
  }
  if (!strcmp(how, "faulting_child")) {
    pid_t child = fork();
    if (child == 0) {
      in_child(1);
      *(volatile int*)NULL = 1;  // HERE child
    }
    return finish(child);
  }
  return 1;
}
