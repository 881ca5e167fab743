// Any bytes as the payload of a descriptor chunk: refused, or replayed without harm.
#include <algorithm>

#include "fuzz.h"
#include "spmd/form_bytes.h"
#include "spmd/player.h"
#include "spmd/rows.h"

using namespace vestige;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto form = spmd::decode_form({data, size});
  if (!form) return 0;
  for (uint32_t t = 0; t < std::min<size_t>(form->threads.size(), 4); ++t) {
    (void)spmd::Player(*form, t).run([](std::span<const Reference>) { return true; }, 10'000);
    (void)spmd::Player(*form, t).run_messages([](const Communication&) { return true; }, 10'000);
  }
  (void)spmd::descriptor_rows(*form);
  (void)spmd::context_rows(*form);
  return 0;
}
