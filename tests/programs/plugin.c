// The library of plugins.c: a constructor, a destructor, and a thread of its own.
#include <pthread.h>

#include "tally.h"

__attribute__((constructor)) static void plugin_begin(void) { CALLED(); }
__attribute__((destructor)) static void plugin_end(void) { CALLED(); }

static void* plugin_thread(void* argument) {
  CALLED();
  return argument;
}

int plugin_entry(int n) {
  CALLED();
  if (n % 10 == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, plugin_thread, NULL);
    pthread_join(thread, NULL);
  }
  return n * 2;
}
