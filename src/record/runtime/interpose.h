// Functions of libc that the runtime puts itself in front of.
//
//     VESTIGE_INTERPOSE(int, pthread_join, (pthread_t thread, void** result)) {
//       … VESTIGE_REAL(pthread_join)(thread, result) …
//     }
//
// In the shared library the function has libc's name (given to the assembler alone: the headers'
// declarations differ in attributes) and finds libc's by dlsym(RTLD_NEXT). In the
// archive (VESTIGE_STATIC) it is __wrap_<name>, and the driver links with --wrap=<name>.
//
// Each dlsym happens in a constructor (or in the interposed call, if that comes before), so that
// handlers need none.
#pragma once

#include "record/runtime/abi.h"

#ifdef VESTIGE_STATIC

#define VESTIGE_INTERPOSE(result, name, parameters)          \
  extern "C" result __real_##name parameters;                \
  extern "C" VESTIGE_EXPORT result __wrap_##name parameters; \
  extern "C" result __wrap_##name parameters
#define VESTIGE_REAL(name) __real_##name
#define VESTIGE_INTERPOSE_LATE(result, name, parameters) VESTIGE_INTERPOSE(result, name, parameters)

#else

#include <dlfcn.h>

namespace vestige::runtime {

// One per interposed function, keyed by its name's type.
template <typename Function, typename Name>
Function* real_function() {
  static std::atomic<void*> kept;
  void* address = kept.load(std::memory_order_relaxed);
  if (address == nullptr) {
    address = dlsym(RTLD_NEXT, Name::text);
    kept.store(address, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function*>(address);
}

}  // namespace vestige::runtime

// The same for what may not be there, or must not be looked for so early.
#define VESTIGE_INTERPOSE_LATE(result, name, parameters)                 \
  namespace vestige::runtime {                                           \
  struct NameOf_##name {                                                 \
    static constexpr const char* text = #name;                           \
    using Type = result parameters;                                      \
  };                                                                     \
  }                                                                      \
  extern "C" VESTIGE_EXPORT result vestige_##name parameters asm(#name); \
  extern "C" result vestige_##name parameters
#define VESTIGE_INTERPOSE(result, name, parameters)                            \
  namespace vestige::runtime {                                                 \
  struct NameOf_##name {                                                       \
    static constexpr const char* text = #name;                                 \
    using Type = result parameters;                                            \
  };                                                                           \
  }                                                                            \
  [[gnu::constructor(0)]] static void resolve_##name() {                       \
    ::vestige::runtime::real_function<::vestige::runtime::NameOf_##name::Type, \
                                      ::vestige::runtime::NameOf_##name>();    \
  }                                                                            \
  extern "C" VESTIGE_EXPORT result vestige_##name parameters asm(#name);       \
  extern "C" result vestige_##name parameters
#define VESTIGE_REAL(name)                                                   \
  ::vestige::runtime::real_function<::vestige::runtime::NameOf_##name::Type, \
                                    ::vestige::runtime::NameOf_##name>()

#endif
