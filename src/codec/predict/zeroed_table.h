// A table of numbers that starts as zeros and keeps its size. Pages that are never touched cost
// nothing: short traces use a small part of what the predictors set aside.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

namespace vestige::vpc {

// Memory straight from the kernel: calloc would clear memory that was used before, all of it, at
// each construction.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  explicit ZeroedMemory(size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  ZeroedMemory(ZeroedMemory&& from) noexcept
      : data_(std::exchange(from.data_, nullptr)), bytes_(std::exchange(from.bytes_, 0)) {}
  ZeroedMemory& operator=(ZeroedMemory&& from) noexcept {
    std::swap(data_, from.data_);
    std::swap(bytes_, from.bytes_);
    return *this;
  }
  ~ZeroedMemory() {
    if (bytes_ > 0) munmap(data_, bytes_);
  }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

template <class T>
class ZeroedTable {
 public:
  explicit ZeroedTable(size_t size)
      : memory_(size * sizeof(T)), data_(static_cast<T*>(memory_.data())) {}
  T* data() { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t bytes() const { return memory_.bytes(); }

 private:
  ZeroedMemory memory_;
  T* data_;
};

}  // namespace vestige::vpc
