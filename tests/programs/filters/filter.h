/* What a filter library offers its host. */
#pragma once

#include <stddef.h>

struct host {
  void (*warn)(const char *filter, const char *text);
  void *(*scratch)(size_t size); /* owned by the host, valid until the next call */
};

struct filter {
  const char *name;
  /* Rewrites text in place; returns its new length, at most `room`. */
  size_t (*apply)(const struct host *host, char *text, size_t length, size_t room);
};

/* Each library exports this. */
typedef const struct filter *filter_entry(int version);
#define FILTER_ENTRY "filter_open"
