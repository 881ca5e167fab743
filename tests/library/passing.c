// Values that travel through library functions: most executions are calls, so that random slices go through
// them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Item {
  int key;
  char name[12];
};

static int by_key(const void* a, const void* b) {
  return ((const struct Item*)a)->key - ((const struct Item*)b)->key;
}

int main(void) {
  struct Item items[6];
  char line[64], other[64], *grown = malloc(8);
  int pipes[2], total = 0;
  if (pipe(pipes) != 0) return 1;
  for (int i = 0; i < 6; ++i) {
    items[i].key = (i * 5 + 3) % 7;
    snprintf(items[i].name, sizeof(items[i].name), "n%d", items[i].key);
  }
  qsort(items, 6, sizeof(items[0]), by_key);
  strcpy(line, items[0].name);
  for (int i = 1; i < 6; ++i) {
    strcat(line, "+");
    strncat(line, items[i].name, 2);
    grown = realloc(grown, 8u << (2 * i));
    strcpy(grown, line);
    memcpy(other, grown, strlen(grown) + 1);
    if (write(pipes[1], other, 3) != 3) return 1;
    if (read(pipes[0], other + 4, 2) != 2) return 1;
    int first = 0, count = sscanf(other, "n%d", &first);
    total += first * count + atoi(items[i].name + 1) + (strcmp(other, line) == 0) + other[4];
    memmove(other + 1, other, 8);
    memset(other + 9, i, 4);
    total += other[2] + other[10] + (memcmp(other, line, 3) > 0);
  }
  char* end;
  total += (int)strtol(strdup(items[2].name + 1), &end, 10) + *end;
  printf("%d %s %s\n", total, line, grown);
  return 0;
}
