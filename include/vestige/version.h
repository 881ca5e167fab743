// The version of the library and of the programs; CMake reads it here. docs/stability.md says what
// stays the same between versions.
#pragma once

#define VESTIGE_VERSION_MAJOR 0
#define VESTIGE_VERSION_MINOR 1
#define VESTIGE_VERSION_PATCH 0
#define VESTIGE_VERSION "0.1.0"
