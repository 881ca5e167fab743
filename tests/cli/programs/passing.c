// A value goes through library functions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char text[32], copy[32];

int main(void) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  int secret = 41;
  int unused = 7;
  sprintf(text, "%d,%d", secret, unused);
  strcpy(copy, text);
  int again = atoi(copy);
  if (write(ends[1], "outside", 7) != 7) return 1;
  long got = read(ends[0], text, sizeof(text));
  int letter = text[2];
  return again + letter + (int)got == 41 + 't' + 7 ? 0 : 1;
}
