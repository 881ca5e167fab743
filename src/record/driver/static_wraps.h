// What the runtime steps in front of. The shared runtime does it by symbol interposition; a static
// program has one definition of each symbol, so the linker redirects the calls to __wrap_….
// tests/driver compares the list with what libvestige-rt.a defines.
#pragma once

#include <array>

namespace vestige::driver {

inline constexpr std::array kStaticWraps = {
    "pthread_create",
    "pthread_join",
    "pthread_tryjoin_np",
    "pthread_timedjoin_np",
    "thrd_create",
    "thrd_join",
    "fork",
    "sigaction",
    "signal",
    "bsd_signal",
    "ssignal",
    "sysv_signal",
    "__sysv_signal",
    "sigset",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "swapcontext",
    "setcontext",
};

}  // namespace vestige::driver
