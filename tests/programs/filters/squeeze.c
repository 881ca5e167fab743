/* Makes each run of blanks one blank, and sorts the words of a line, through the host's scratch memory. */
#include <stdlib.h>
#include <string.h>

#include "filter.h"

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static size_t apply(const struct host *host, char *text, size_t length, size_t room) {
  char *copy = host->scratch(length + 1 + 512 * sizeof(char *));
  char **words = (char **)copy;
  char *bytes = copy + 512 * sizeof(char *);
  memcpy(bytes, text, length);
  bytes[length] = 0;
  size_t count = 0;
  char *rest = bytes, *word;
  while ((word = strsep(&rest, " \t"))) {
    if (!*word) continue;
    if (count == 512) {
      host->warn("squeeze", "too many words");
      break;
    }
    words[count++] = word;
  }
  qsort(words, count, sizeof *words, by_text);
  size_t out = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = strlen(words[i]);
    if (out + size + 1 > room) break;
    if (i) text[out++] = ' ';
    memcpy(text + out, words[i], size);
    out += size;
  }
  return out;
}

static const struct filter self = {"squeeze", apply};

const struct filter *filter_open(int version) { return version >= 1 ? &self : NULL; }
