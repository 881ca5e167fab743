/* Rotates letters by 13. Knows how often it was loaded only within one load: its data goes with dlclose. */
#include <stdio.h>

#include "filter.h"

static int uses;

static char rotated(char c) {
  if (c >= 'a' && c <= 'z') return (char)('a' + (c - 'a' + 13) % 26);
  if (c >= 'A' && c <= 'Z') return (char)('A' + (c - 'A' + 13) % 26);
  return c;
}

static size_t apply(const struct host *host, char *text, size_t length, size_t room) {
  (void)room;
  if (++uses > 1) host->warn("rotate", "applied again in the same load");
  for (size_t i = 0; i < length; ++i) text[i] = rotated(text[i]);
  return length;
}

static const struct filter self = {"rotate", apply};

const struct filter *filter_open(int version) { return version == 1 ? &self : NULL; }

__attribute__((constructor)) static void loaded(void) { puts("rotate: loaded"); }
__attribute__((destructor)) static void unloaded(void) { printf("rotate: unloaded after %d uses\n", uses); }
