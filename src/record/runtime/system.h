// The kernel without libc: system calls as instructions, and the few byte operations the runtime
// needs. libc's own would set errno, and the recorded program may define `read` or `memcpy` itself,
// instrumented: the runtime must not call back into what it records.
//
// Everything here is async-signal-safe and leaves errno alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__) || !defined(__linux__)
#error "the runtime knows x86-64 Linux only"
#endif

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

namespace vestige::runtime {

// Returns the kernel's answer: −errno on failure.
inline long system_call(long number, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0,
                        uint64_t e = 0, uint64_t f = 0) {
  long result;
  register uint64_t r10 asm("r10") = d;
  register uint64_t r8 asm("r8") = e;
  register uint64_t r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

inline uint64_t word_of(const volatile void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

inline int open_file(const char* path, int flags) {
  return static_cast<int>(system_call(SYS_openat, static_cast<uint64_t>(AT_FDCWD), word_of(path),
                                      static_cast<uint64_t>(flags | O_CLOEXEC)));
}
inline void close_file(int fd) { system_call(SYS_close, static_cast<uint64_t>(fd)); }
inline long read_file(int fd, void* into, size_t size) {
  return system_call(SYS_read, static_cast<uint64_t>(fd), word_of(into), size);
}
inline bool stat_fd(int fd, struct stat* into) {
  return system_call(SYS_fstat, static_cast<uint64_t>(fd), word_of(into)) == 0;
}
inline long stat_path(const char* path, struct stat* into) {
  return system_call(SYS_stat, word_of(path), word_of(into));
}

// The recorder's own memory lies apart from the program's, so that this has the addresses that it
// has without a recorder: stacks and heaps of threads at even distances, in any schedule. The
// kernel takes another place when this one is taken.
inline constexpr uint64_t kOwnMemory = uint64_t{0x2a} << 40, kOwnMemoryAlign = 1 << 21;
inline std::atomic<uint64_t> own_memory_end{kOwnMemory};

// Null on failure. `at` null: anywhere.
inline void* map_memory(void* at, size_t size, int protection, int flags, int fd, uint64_t offset) {
  if (at == nullptr)
    at = reinterpret_cast<void*>(own_memory_end.fetch_add(
        (size + kOwnMemoryAlign - 1) & ~(kOwnMemoryAlign - 1), std::memory_order_relaxed));
  long result = system_call(SYS_mmap, word_of(at), size, static_cast<uint64_t>(protection),
                            static_cast<uint64_t>(flags),
                            static_cast<uint64_t>(static_cast<int64_t>(fd)), offset);
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<void*>(result);
}
inline void unmap_memory(void* at, size_t size) { system_call(SYS_munmap, word_of(at), size); }

inline uint32_t process_id() { return static_cast<uint32_t>(system_call(SYS_getpid)); }
inline uint32_t thread_id() { return static_cast<uint32_t>(system_call(SYS_gettid)); }

inline void copy_bytes(void* to, const void* from, size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}
inline void zero_bytes(void* to, size_t size) {
  asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
}
inline size_t text_length(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

inline void compiler_barrier() { asm volatile("" ::: "memory"); }

// No signal is delivered to this thread while one of these lives: what runs under it cannot be
// seen half done by a handler.
class SignalBlock {
 public:
  SignalBlock() { block(); }
  ~SignalBlock() { unblock(); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

  void block() {
    uint64_t all = ~uint64_t{0};
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, word_of(&all), word_of(&before_), sizeof all);
  }
  // Lets signals in for a moment, as before.
  void unblock() {
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, word_of(&before_), 0, sizeof before_);
  }

 private:
  uint64_t before_;
};

}  // namespace vestige::runtime
