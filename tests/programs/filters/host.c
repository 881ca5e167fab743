/* host FILE FILTER...: passes each line of FILE through filters, each a shared library, loaded for that line and
   unloaded behind it; every eighth line keeps its libraries loaded until the next. Exit status 4: a filter
   could not be used. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

enum { ROOM = 4096, MOST = 8 };

static int warnings;

static void warn(const char *filter, const char *text) {
  if (++warnings <= 3) printf("%s: %s\n", filter, text);
}

static void *scratch(size_t size) {
  static void *memory;
  free(memory);
  memory = malloc(size);
  if (!memory) abort();
  return memory;
}

static const struct host self = {warn, scratch};

static const struct filter *open_filter(const char *path, void **handle) {
  *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!*handle) return NULL;
  filter_entry *entry = (filter_entry *)dlsym(*handle, FILTER_ENTRY);
  const struct filter *filter = entry ? entry(1) : NULL;
  if (!filter) {
    dlclose(*handle);
    *handle = NULL;
  }
  return filter;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 2 + MOST) {
    fprintf(stderr, "usage: host FILE FILTER...\n");
    return 2;
  }
  FILE *file = fopen(argv[1], "r");
  if (!file) {
    perror(argv[1]);
    return 2;
  }
  char line[ROOM];
  void *handles[MOST] = {0};
  int failed = 0, number = 0;
  while (fgets(line, sizeof line, file)) {
    size_t length = strcspn(line, "\n");
    for (int f = 2; f < argc; ++f) {
      void **handle = &handles[f - 2], *kept = *handle;
      const struct filter *filter = open_filter(argv[f], handle);
      if (kept) dlclose(kept);
      if (!filter) {
        ++failed;
        continue;
      }
      length = filter->apply(&self, line, length, sizeof line);
      if (number % 8 != 7) {
        dlclose(*handle);
        *handle = NULL;
      }
    }
    printf("%.*s\n", (int)length, line);
    ++number;
  }
  for (int f = 0; f < MOST; ++f)
    if (handles[f]) dlclose(handles[f]);
  fclose(file);
  printf("%d lines, %d warnings, %d failed\n", number, warnings, failed);
  return failed ? 4 : 0;
}
