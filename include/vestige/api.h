// What libvestige.so exports: what the headers of this folder declare, and nothing else.
//
// The library is compiled with hidden visibility. A header opens its namespace as
// `namespace VESTIGE_API vestige`, and what stands between these braces is exported, except what
// is marked VESTIGE_LOCAL: the private state of classes.
#pragma once

#define VESTIGE_API __attribute__((visibility("default")))
#define VESTIGE_LOCAL __attribute__((visibility("hidden")))
