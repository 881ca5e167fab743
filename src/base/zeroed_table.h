// A table of zeros whose size is set once, straight from the kernel: pages that are never touched
// cost nothing, so a short trace uses little of what its codec sets aside.
//
// With Pages::huge, tables of megabytes ask for huge pages, without which the first walk over a
// history would spend its time in page faults. With Pages::small, a table that is touched here and
// there stays small in memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace vestige {

enum class Pages : uint8_t { huge, small };

template <class T>
class ZeroedTable {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ZeroedTable() = default;
  explicit ZeroedTable(size_t size, Pages pages = Pages::huge) {
    if (size == 0) return;
    constexpr size_t kHugePage = size_t{2} << 20;
    const size_t needed = bytes_ = size * sizeof(T);
    const bool huge = pages == Pages::huge && needed >= kHugePage;
    const size_t bytes = huge ? needed + kHugePage : needed;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = {memory, Unmap{bytes}};
    auto at = reinterpret_cast<uintptr_t>(memory);
    if (huge) {
      at = (at + kHugePage - 1) / kHugePage * kHugePage;
      // Refused, it is merely slower.
      madvise(reinterpret_cast<void*>(at), needed / kHugePage * kHugePage, MADV_HUGEPAGE);
    }
    data_ = reinterpret_cast<T*>(at);
  }
  T* data() { return data_; }
  size_t bytes() const { return bytes_; }
  // Zeros again, of which only the first `used` were written to. What was touched is kept.
  void clear(size_t used) { std::memset(data_, 0, used * sizeof(T)); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  struct Unmap {
    size_t bytes = 0;
    void operator()(void* memory) const { munmap(memory, bytes); }
  };
  std::unique_ptr<void, Unmap> memory_;
  T* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace vestige
