#include "record/runtime/heap.h"

#include <errno.h>
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

enum class Lookup { now, never };

// dlsym frees what an earlier failure left, and so may come here in its middle: then another dlsym
// would free that again. So free() does not look; it is looked for with the functions that
// allocate, before there is anything of theirs to free.
template <typename Function, typename Name>
Function* real_allocator(Function* plain, Lookup look = Lookup::now) {
  static std::atomic<void*> kept;
  if (void* address = kept.load(std::memory_order_relaxed); address != nullptr) {
    return reinterpret_cast<Function*>(address);
  }
  if (resolving || look == Lookup::never) return plain;
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
  VESTIGE_ALLOCATOR(free, Lookup::never)(memory);
}

VESTIGE_INTERPOSE_LATE(void*, malloc, (size_t bytes)) {
  VESTIGE_ALLOCATOR(free);
  void* memory = VESTIGE_ALLOCATOR(malloc)(bytes);
  tell_block(memory);
  return memory;
}

VESTIGE_INTERPOSE_LATE(void*, calloc, (size_t count, size_t bytes)) {
  VESTIGE_ALLOCATOR(free);
  void* memory = VESTIGE_ALLOCATOR(calloc)(count, bytes);
  tell_block(memory);
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
    tell_block(now);
  } else if (const uint64_t has = malloc_usable_size(now); has > had) {
    tell_allocated(static_cast<uint8_t*>(now) + had, has - had);
  }
  return now;
}

VESTIGE_INTERPOSE(void*, memalign, (size_t alignment, size_t bytes)) {
  void* memory = VESTIGE_REAL(memalign)(alignment, bytes);
  tell_block(memory);
  return memory;
}

VESTIGE_INTERPOSE(void*, aligned_alloc, (size_t alignment, size_t bytes)) {
  void* memory = VESTIGE_REAL(aligned_alloc)(alignment, bytes);
  tell_block(memory);
  return memory;
}

VESTIGE_INTERPOSE(int, posix_memalign, (void** memory, size_t alignment, size_t bytes)) {
  int result = VESTIGE_REAL(posix_memalign)(memory, alignment, bytes);
  if (result == 0) tell_block(*memory);
  return result;
}

namespace {

// By a system call: allocators that are made of it may not wait for dlsym, which may allocate.
void* map_pages(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  const long result = system_call(
      SYS_mmap, word_of(at), bytes, static_cast<uint64_t>(protection), static_cast<uint64_t>(flags),
      static_cast<uint64_t>(static_cast<int64_t>(file)), static_cast<uint64_t>(offset));
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return MAP_FAILED;
  }
  void* memory = reinterpret_cast<void*>(result);
  // Pages of files may be somewhere else as well.
  if ((flags & MAP_ANONYMOUS) != 0 && (flags & MAP_TYPE) == MAP_PRIVATE)
    tell_allocated(memory, bytes);
  return memory;
}

}  // namespace

VESTIGE_INTERPOSE_LATE(void*, mmap,
                       (void* at, size_t bytes, int protection, int flags, int file,
                        off_t offset)) {
  return map_pages(at, bytes, protection, flags, file, offset);
}
VESTIGE_INTERPOSE_LATE(void*, mmap64,
                       (void* at, size_t bytes, int protection, int flags, int file,
                        off_t offset)) {
  return map_pages(at, bytes, protection, flags, file, offset);
}
