#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

volatile unsigned char emitted;

/* Each byte of standard output is one execution of the store below, in order. */
size_t emit(const void *bytes, size_t size, size_t count, FILE *file) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; file == stdout && i < size * count; ++i)
    emitted = byte[i]; /* THE CRITERION */
  return fwrite(bytes, size, count, file);
}

void *moved(void *memory, size_t size) {
  void *to = malloc(size);
  size_t old = memory ? malloc_usable_size(memory) : 0;
  if (!to) return to;
  memcpy(to, memory, old < size ? old : size);
  free(memory);
  return to;
}

int emit_character(int character, FILE *file) {
  unsigned char byte = (unsigned char)character;
  return emit(&byte, 1, 1, file) == 1 ? byte : EOF;
}
