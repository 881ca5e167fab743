#include "record/runtime/heap.h"

#include <malloc.h>
#include <stdlib.h>

#include "record/runtime/interpose.h"

namespace vestige::runtime {

constinit std::atomic<bool> several_threads = false;

#ifdef VESTIGE_STATIC

#define VESTIGE_ALLOCATOR(name, ...) VESTIGE_REAL(name)

#else

namespace {

constinit thread_local bool resolving = false;

enum class Look { now, never };

// dlsym frees what an earlier failure left, and so may come here in its middle: then another dlsym would
// free that again. So free() does not look; it is looked for with the functions that allocate, before
// there is anything of theirs to free.
template <typename Function, typename Name>
Function* real_allocator(Function* plain, Look look = Look::now) {
  static std::atomic<void*> kept;
  if (void* address = kept.load(std::memory_order_relaxed); address != nullptr) {
    return reinterpret_cast<Function*>(address);
  }
  if (resolving || look == Look::never) return plain;
  resolving = true;
  void* address = dlsym(RTLD_NEXT, Name::text);
  resolving = false;
  kept.store(address, std::memory_order_relaxed);
  return address == nullptr ? plain : reinterpret_cast<Function*>(address);
}

}  // namespace

#define VESTIGE_ALLOCATOR(name, ...)                                          \
  ::vestige::runtime::real_allocator<::vestige::runtime::NameOf_##name::Type, \
                                     ::vestige::runtime::NameOf_##name>(      \
      __libc_##name __VA_OPT__(, ) __VA_ARGS__)

#endif

}  // namespace vestige::runtime

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void __libc_free(void* memory);
}

using namespace vestige;
using namespace vestige::runtime;

VESTIGE_INTERPOSE_LATE(void, free, (void* memory)) {
  tell_freed(memory);
  VESTIGE_ALLOCATOR(free, Look::never)(memory);
}

VESTIGE_INTERPOSE_LATE(void*, malloc, (size_t bytes)) {
  VESTIGE_ALLOCATOR(free);
  void* memory = VESTIGE_ALLOCATOR(malloc)(bytes);
  tell_allocated(memory, bytes);
  return memory;
}

VESTIGE_INTERPOSE_LATE(void*, calloc, (size_t count, size_t bytes)) {
  VESTIGE_ALLOCATOR(free);
  void* memory = VESTIGE_ALLOCATOR(calloc)(count, bytes);
  tell_allocated(memory, count * bytes);
  return memory;
}

// What stays where it was keeps its life; only what it grew by is new.
VESTIGE_INTERPOSE_LATE(void*, realloc, (void* memory, size_t bytes)) {
  VESTIGE_ALLOCATOR(free);
  if (memory_writer() == nullptr) return VESTIGE_ALLOCATOR(realloc)(memory, bytes);
  const uint64_t had = memory == nullptr ? 0 : malloc_usable_size(memory);
  tell_freed(memory);
  void* now = VESTIGE_ALLOCATOR(realloc)(memory, bytes);
  if (now != memory || memory == nullptr) {
    tell_allocated(now, bytes);
  } else if (bytes > had) {
    tell_allocated(static_cast<uint8_t*>(now) + had, bytes - had);
  }
  return now;
}

VESTIGE_INTERPOSE(void*, memalign, (size_t alignment, size_t bytes)) {
  void* memory = VESTIGE_REAL(memalign)(alignment, bytes);
  tell_allocated(memory, bytes);
  return memory;
}

VESTIGE_INTERPOSE(void*, aligned_alloc, (size_t alignment, size_t bytes)) {
  void* memory = VESTIGE_REAL(aligned_alloc)(alignment, bytes);
  tell_allocated(memory, bytes);
  return memory;
}

VESTIGE_INTERPOSE(int, posix_memalign, (void** memory, size_t alignment, size_t bytes)) {
  int result = VESTIGE_REAL(posix_memalign)(memory, alignment, bytes);
  if (result == 0) tell_allocated(*memory, bytes);
  return result;
}
