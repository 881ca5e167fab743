// What libvestige.so exports: what the headers of this folder declare, and nothing else.
//
// The library is compiled with hidden visibility. What a header declares between VESTIGE_API_BEGIN
// and VESTIGE_API_END is exported, except what is marked VESTIGE_LOCAL: the private state of
// classes. (An attribute of the namespace would do for gcc; clang forgets it where a function is
// defined.)
#pragma once

#define VESTIGE_API_BEGIN _Pragma("GCC visibility push(default)")
#define VESTIGE_API_END _Pragma("GCC visibility pop")
#define VESTIGE_LOCAL __attribute__((visibility("hidden")))
