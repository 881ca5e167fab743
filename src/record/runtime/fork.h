// A forked child is a process of its own: it takes a process entry and fresh rings before any
// recorded code of its own runs, and never writes to its parent's. Time goes on where the forking
// thread was, since activations entered before the fork are alive on both sides.
#pragma once

namespace vestige::runtime {

// Once, in the constructor: before any handler of the program, so that the child's runs first.
void watch_forks();

}  // namespace vestige::runtime
