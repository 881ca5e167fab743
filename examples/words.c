// Counts the words of files (or of standard input) and prints the most frequent ones.
//
//     vestige-cc -O2 words.c -o words && vestige record -- ./words words.c
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Word {
  struct Word* next;
  size_t count;
  char text[];
} Word;

enum { kBuckets = 4096, kLongest = 255, kShown = 10 };

static Word* buckets[kBuckets];
static size_t distinct;

static unsigned hash(const char* text) {
  unsigned h = 2166136261u;
  for (; *text; ++text) h = (h ^ (unsigned char)*text) * 16777619u;
  return h % kBuckets;
}

static void count_word(const char* text) {
  Word** bucket = &buckets[hash(text)];
  for (Word* word = *bucket; word; word = word->next) {
    if (strcmp(word->text, text) == 0) {
      ++word->count;
      return;
    }
  }
  Word* word = malloc(sizeof *word + strlen(text) + 1);
  if (!word) {
    perror("words");
    exit(1);
  }
  word->next = *bucket;
  word->count = 1;
  strcpy(word->text, text);
  *bucket = word;
  ++distinct;
}

static void count_file(FILE* file) {
  char text[kLongest + 1];
  size_t length = 0;
  for (int c; (c = getc(file)) != EOF;) {
    if (isalpha(c)) {
      if (length < kLongest) text[length++] = (char)tolower(c);
    } else if (length) {
      text[length] = 0;
      count_word(text);
      length = 0;
    }
  }
  if (length) {
    text[length] = 0;
    count_word(text);
  }
}

static int more_frequent(const void* a, const void* b) {
  const Word* left = *(const Word* const*)a;
  const Word* right = *(const Word* const*)b;
  if (left->count != right->count) return left->count < right->count ? 1 : -1;
  return strcmp(left->text, right->text);
}

int main(int argc, char** argv) {
  if (argc == 1) count_file(stdin);
  for (int i = 1; i < argc; ++i) {
    FILE* file = fopen(argv[i], "r");
    if (!file) {
      perror(argv[i]);
      return 1;
    }
    count_file(file);
    fclose(file);
  }
  Word** all = malloc((distinct + 1) * sizeof *all);
  if (!all) return 1;
  size_t n = 0;
  for (size_t b = 0; b < kBuckets; ++b) {
    for (Word* word = buckets[b]; word; word = word->next) all[n++] = word;
  }
  qsort(all, n, sizeof *all, more_frequent);
  for (size_t i = 0; i < n && i < kShown; ++i) printf("%7zu %s\n", all[i]->count, all[i]->text);
  free(all);
  return 0;
}
