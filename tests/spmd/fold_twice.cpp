// fold_twice TRACE… — folds each trace in both ways: rounds of loops at once, and path by path. The
// bytes must be the same.
#include <cstdio>
#include <string>

#include "spmd/fold_trace.h"
#include "spmd/form_bytes.h"

using namespace vestige;

namespace {

Result<Bytes> folded(const Trace& trace, bool order, bool each) {
  FoldOptions options;
  options.order = order;
  auto form = spmd::fold_trace(trace, options, each);
  if (!form) return std::unexpected(form.error());
  return spmd::encode_form(*form);
}

}  // namespace

int main(int count, char** files) {
  for (int i = 1; i < count; ++i) {
    const auto trace = Trace::open(files[i]);
    if (!trace) return std::puts(trace.error().message.c_str()), 2;
    for (const bool order : {false, true}) {
      const auto fast = folded(*trace, order, false), plain = folded(*trace, order, true);
      if (!fast || !plain) {
        // Both may fail, and must say the same.
        if (fast || plain || fast.error().message != plain.error().message) {
          std::printf("%s: %s\n", files[i], (fast ? plain : fast).error().message.c_str());
          return 1;
        }
        continue;
      }
      if (*fast != *plain)
        return std::printf("%s: %zu and %zu bytes that differ\n", files[i], fast->size(),
                           plain->size()),
               1;
    }
  }
}
