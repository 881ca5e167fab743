// The constructor. Recorded code may have run before it; then the thread is attached already, and
// only what needs libc is left to do. Without a session the thread gets its sink, and nothing is
// opened, written or installed.

#include "record/runtime/fatal.h"
#include "record/runtime/fork.h"
#include "record/runtime/threads.h"

namespace vestige::runtime {
namespace {

// Priority 0 is for the modules; the shared library's own is run before theirs by the loader.
__attribute__((constructor(0))) void start() {
  prepare_thread_key();
  attached_writer();
  if (!recording()) return;
  if (ThreadState* state = this_thread()) count_thread(state);
  watch_forks();
  install_fatal_handlers();
}

}  // namespace
}  // namespace vestige::runtime
