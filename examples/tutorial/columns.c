// Sums of the rows and of the columns of an N × N matrix. Twice the N takes more than four times as long.
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 256 };
static double matrix[kMost * kMost], rows[kMost], columns[kMost];

int main(int count, char** words) {
  const int n = count > 1 ? atoi(words[1]) % (kMost + 1) : kMost;
  for (int i = 0; i < n * n; i++) matrix[i] = i % 17;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) rows[i] += matrix[i * n + j];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) columns[j] += matrix[i * n + j];
  printf("%g %g\n", rows[n / 2], columns[n / 2]);
  return 0;
}
