// A table of zeros whose size is set once, straight from the kernel: pages that are never touched
// cost nothing, so a short trace uses little of what its codec sets aside.
//
// With Pages::huge, tables of megabytes ask for huge pages, without which the first walk over a
// history would spend its time in page faults. With Pages::small, a table that is touched here and
// there stays small in memory. Smaller tables that are used together can share huge pages
// (TablesTogether): looking up where a small page lies costs as much as a cache miss.
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

inline constexpr size_t kHugePage = size_t{2} << 20;

// Zeros from the kernel, in huge pages if they are wanted and to be had.
class ZeroedMapping {
 public:
  ZeroedMapping(size_t bytes, bool huge) : bytes_(huge ? bytes + kHugePage : bytes) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    auto at = reinterpret_cast<uintptr_t>(memory_);
    if (huge) {
      at = (at + kHugePage - 1) / kHugePage * kHugePage;
      // Refused, it is merely slower.
      madvise(reinterpret_cast<void*>(at), bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    }
    begin_ = reinterpret_cast<std::byte*>(at);
  }
  ZeroedMapping(const ZeroedMapping&) = delete;
  ZeroedMapping& operator=(const ZeroedMapping&) = delete;
  ~ZeroedMapping() { munmap(memory_, bytes_); }
  std::byte* begin() const { return begin_; }

 private:
  const size_t bytes_;
  void* memory_;
  std::byte* begin_;
};

// As long as one lives, the tables that its thread makes (Pages::huge, of less than a huge page)
// lie side by side in huge pages. They go when the last of them goes.
class TablesTogether {
 public:
  TablesTogether() : before_(current_) { current_ = this; }
  TablesTogether(const TablesTogether&) = delete;
  TablesTogether& operator=(const TablesTogether&) = delete;
  ~TablesTogether() { current_ = before_; }

  static TablesTogether* current() { return current_; }
  std::shared_ptr<std::byte> take(size_t bytes) {
    bytes = (bytes + kLine - 1) / kLine * kLine;
    if (!mapping_ || bytes > kBytes - used_) {
      mapping_ = std::make_shared<ZeroedMapping>(kBytes, true);
      used_ = 0;
    }
    std::byte* const at = mapping_->begin() + used_;
    used_ += bytes;
    return {mapping_, at};
  }

 private:
  static constexpr size_t kBytes = 8 * kHugePage, kLine = 64;
  static inline thread_local TablesTogether* current_ = nullptr;
  TablesTogether* const before_;
  std::shared_ptr<ZeroedMapping> mapping_;
  size_t used_ = 0;
};

template <class T>
class ZeroedTable {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ZeroedTable() = default;
  explicit ZeroedTable(size_t size, Pages pages = Pages::huge) {
    if (size == 0) return;
    bytes_ = size * sizeof(T);
    const bool huge = pages == Pages::huge && bytes_ >= kHugePage;
    TablesTogether* const together = TablesTogether::current();
    if (together && pages == Pages::huge && !huge) {
      memory_ = together->take(bytes_);
    } else {
      const auto mapping = std::make_shared<ZeroedMapping>(bytes_, huge);
      memory_ = {mapping, mapping->begin()};
    }
    data_ = reinterpret_cast<T*>(memory_.get());
  }
  ZeroedTable(ZeroedTable&&) noexcept = default;
  ZeroedTable& operator=(ZeroedTable&&) noexcept = default;
  T* data() { return data_; }
  size_t bytes() const { return bytes_; }
  // Zeros again, of which only the first `used` were written to. What was touched is kept.
  void clear(size_t used) { std::memset(data_, 0, used * sizeof(T)); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  std::shared_ptr<std::byte> memory_;
  T* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace vestige
