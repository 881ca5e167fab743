/* A plug-in of vestige represent --as eprsd --plugin LIB.so: your own rule for what folds into what.
 *
 * A stream of numbers (docs/spmd.md) is a list of stretches: `count` numbers that all are
 * constant + the sum of slopes[l] * coordinate[l]. Stretches that repeat fold into nests. For each
 * pair that might fold, Vestige asks your match, and then your merge; for each address that does
 * not continue its stretch, your extend. A shared library exports
 *
 *     const struct vestige_plugin *vestige_plugin_entry(void);
 *
 * What it returns must stay valid. Functions are called from one thread at a time and must not fail
 * otherwise than by their result. Build: cc -shared -fPIC -I PREFIX/include mine.c -o mine.so
 */
#ifndef VESTIGE_PLUGIN_H
#define VESTIGE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VESTIGE_PLUGIN_VERSION 1u

enum vestige_stream {
  VESTIGE_CONTROL = 0, /* trips, paths, calls */
  VESTIGE_ADDRESS = 1, /* of a statement */
  VESTIGE_LENGTH = 2   /* of what memcpy, memmove or memset touches */
};

struct vestige_stretch {
  enum vestige_stream stream;
  uint64_t statement; /* #ID; 0 of control */
  uint64_t count, constant;
  const uint64_t* slopes; /* outermost loop first; modulo 2^64 */
  size_t slope_count;
};

enum vestige_verdict {
  VESTIGE_APART = 0, /* they do not fold */
  VESTIGE_EXACT = 1, /* they fold if everything comes back exactly */
  /* Of addresses: also if `next` then comes back where the stride says, not where it was. The trace
   * is marked as lossy, with how many references are elsewhere. */
  VESTIGE_LOSSY = 2
};

struct vestige_plugin {
  uint32_t version; /* VESTIGE_PLUGIN_VERSION */
  const char* name;
  /* Whether two stretches may fold at all. Those with other slopes never do, and are not asked
   * about. */
  enum vestige_verdict (*match)(const struct vestige_stretch* a, const struct vestige_stretch* b);
  /* `first` stands for the numbers 0 ... number-1 of the loop at `level` (0: the innermost); `next`
   * is what came at `number`. `expected` is the constant with which it would fold exactly, or null
   * while no stride is known. */
  enum vestige_verdict (*merge)(const struct vestige_stretch* first,
                                const struct vestige_stretch* next, uint64_t number, uint32_t level,
                                const uint64_t* expected);
  /* The next address would continue the stretch if it were `expected`, but it is `value`:
   * VESTIGE_LOSSY takes it as expected, anything else begins a new stretch. May be null. */
  enum vestige_verdict (*extend)(const struct vestige_stretch* stretch, uint64_t expected,
                                 uint64_t value);
};

const struct vestige_plugin* vestige_plugin_entry(void);

#ifdef __cplusplus
}
#endif
#endif
