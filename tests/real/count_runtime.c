/* What code counted by count_pass.cpp calls when it is unloaded: appends the counters of one translation
   unit to $COUNT_FILE, one line "unit<TAB>function<TAB>count count ...". Not compiled by Vestige. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
  const char* name;
  uint64_t blocks;
};

void __count_dump(const char* unit, const struct row* rows, uint64_t functions,
                  const uint64_t* counters) {
  const char* name = getenv("COUNT_FILE");
  if (!name) return;
  FILE* file = fopen(name, "a");
  if (!file) return;
  for (uint64_t f = 0; f < functions; ++f) {
    fprintf(file, "%s\t%s\t", unit, rows[f].name);
    for (uint64_t b = 0; b < rows[f].blocks; ++b)
      fprintf(file, "%s%llu", b ? " " : "", (unsigned long long)*counters++);
    fputc('\n', file);
  }
  fclose(file);
}
