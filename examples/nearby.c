/* A plug-in for vestige represent --plugin: addresses that are less than a cache line off fold all the same.
 *
 *     cc -shared -fPIC -I PREFIX/include nearby.c -o nearby.so
 *     vestige represent t.vst --as eprsd --plugin ./nearby.so -o small.vst
 */
#include <vestige/plugin.h>

enum { kLine = 64 };

static int near(uint64_t a, uint64_t b) { return a - b + (kLine - 1) < 2 * kLine - 1; }

static enum vestige_verdict match(const struct vestige_stretch *a, const struct vestige_stretch *b) {
  (void)a;
  (void)b;
  return VESTIGE_EXACT;
}

static enum vestige_verdict merge(const struct vestige_stretch *first, const struct vestige_stretch *next,
                                  uint64_t number, uint32_t level, const uint64_t *expected) {
  (void)number;
  (void)level;
  if (first->stream != VESTIGE_ADDRESS || !expected) return VESTIGE_EXACT;
  return near(*expected, next->constant) ? VESTIGE_LOSSY : VESTIGE_EXACT;
}

static enum vestige_verdict extend(const struct vestige_stretch *stretch, uint64_t expected, uint64_t value) {
  (void)stretch;
  return near(expected, value) ? VESTIGE_LOSSY : VESTIGE_APART;
}

static const struct vestige_plugin plugin = {VESTIGE_PLUGIN_VERSION, "nearby", match, merge, extend};

const struct vestige_plugin *vestige_plugin_entry(void) { return &plugin; }
