/* Before everything else in the programs that are mutated: what goes to standard output goes byte by byte through emit.c, and so
   does memory that realloc moves, so that no dependence hides in the C library. */
#include <stdio.h>
#include <stdlib.h>
size_t emit(const void* bytes, size_t size, size_t count, FILE* file);
void* moved(void* memory, size_t size);
#define fwrite emit
#define realloc moved
