// How far library functions went, measured when they are back (program/library.h).
//
// By loops of our own: the program may have a strlen of its own, which may be recorded.
#include <dlfcn.h>
#include <emmintrin.h>

#include "record/runtime/abi.h"

using namespace vestige::protocol;

#ifndef VESTIGE_STATIC
extern "C" size_t malloc_usable_size(void*);
extern "C" void* realloc(void*, size_t);
extern "C" const char* gnu_get_libc_version();
#endif

namespace {

const uint8_t* pointer(uint64_t address) { return reinterpret_cast<const uint8_t*>(address); }

// Aligned pieces never reach into another page.
__attribute__((no_sanitize("all"))) uint64_t text_length(const uint8_t* text, uint64_t most) {
  const uint64_t first = reinterpret_cast<uint64_t>(text) & 15;
  const uint8_t* piece = text - first;
  uint32_t ignore = static_cast<uint32_t>(first);
  for (uint64_t done = 0; done < most; done += 16 - ignore, ignore = 0, piece += 16) {
    const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(piece));
    uint32_t zeros =
        static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())));
    zeros = zeros >> ignore;
    if (zeros == 0) continue;
    const uint64_t length = done + static_cast<uint64_t>(__builtin_ctz(zeros));
    return length < most ? length : most;
  }
  return most;
}

uint64_t common_length(const uint8_t* a, const uint8_t* b, uint64_t most) {
  uint64_t i = 0;
  while (i < most && a[i] == b[i] && a[i] != 0) ++i;
  return i;
}

uint64_t numeral_length(const uint8_t* text) {
  uint64_t i = 0;
  while (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r')) ++i;
  const auto belongs = [](uint8_t c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '+' || c == '-' ||
           c == '.' || c == '(' || c == ')' || c == '_';
  };
  while (belongs(text[i])) ++i;
  return i;
}

// Only malloc itself knows, and only of what it gave. Another malloc than libc's may be part of the
// program, and recorded.
uint64_t allocated_bytes(void* block) {
#ifdef VESTIGE_STATIC
  (void)block;
  return kUnmeasured;
#else
  static constinit int known = 0;  // 1: it is libc's, 2: it is not
  int state = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (state == 0) {
    const auto library = [](auto* function) -> void* {
      Dl_info info;
      return dladdr(reinterpret_cast<void*>(function), &info) != 0 ? info.dli_fbase : nullptr;
    };
    void* libc = library(&gnu_get_libc_version);
    void* allocator = library(&realloc);
    // The runtime stands in front of the one that does it (heap.cpp).
    if (allocator == library(&__vestige_measure)) allocator = library(dlsym(RTLD_NEXT, "realloc"));
    state = libc == library(&malloc_usable_size) && libc == allocator ? 1 : 2;
    __atomic_store_n(&known, state, __ATOMIC_RELAXED);
  }
  return state == 1 ? malloc_usable_size(block) : kUnmeasured;
#endif
}

}  // namespace

extern "C" __attribute__((preserve_most)) uint64_t __vestige_measure(uint64_t kind, uint64_t of,
                                                                     uint64_t with, uint64_t most) {
  if (!tells_values(__vestige_thread.mode) || of == 0) return kUnmeasured;
  switch (static_cast<Measure>(kind)) {
    case Measure::text:
      return text_length(pointer(of), most);
    case Measure::appended:
      return text_length(pointer(of), UINT64_MAX) - text_length(pointer(with), most);
    case Measure::common:
      return with == 0 ? kUnmeasured : common_length(pointer(of), pointer(with), most);
    case Measure::numeral:
      return numeral_length(pointer(of));
    case Measure::distance:
      return of - with;
    case Measure::word:
      return *reinterpret_cast<const uint64_t*>(of);
    case Measure::half:
      return *reinterpret_cast<const uint32_t*>(of);
    case Measure::allocated:
      return allocated_bytes(reinterpret_cast<void*>(of));
  }
  return kUnmeasured;
}
