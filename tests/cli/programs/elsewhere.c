// A copy whose length only the run knows, to the heap, below the stack: `total` is not touched.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  (void)argv;
  int total = 3;
  char *heap = calloc(64, 1);
  memmove(heap, heap + argc, 16 * (size_t)argc);
  total += heap[5] + 4;
  printf("%d\n", total);
  free(heap);
  return 0;
}
