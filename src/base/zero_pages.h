// Zeros that cost nothing until they are touched: pages that the operating system gives out on
// demand. Moves, does not copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace vestige {

class ZeroPages {
 public:
  // Throws std::bad_alloc, as containers do.
  explicit ZeroPages(size_t size);
  ZeroPages(ZeroPages&& other) noexcept { swap(other); }
  ZeroPages& operator=(ZeroPages&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ZeroPages();

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  // All zeros again; what was touched is given back.
  void clear();

 private:
  void swap(ZeroPages& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace vestige
