// An array that grows by an eighth and in place where the allocator can: its slack is small, and
// growing never holds two copies of a large array. Elements are plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace vestige::sequitur {

template <class T>
class Pool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Pool() = default;
  Pool(const Pool& other) { *this = other; }
  Pool(Pool&& other) noexcept { swap(other); }
  Pool& operator=(const Pool& other) {
    if (this == &other) return *this;
    size_ = 0;
    if (other.size_ > 0) {
      grow(other.size_);
      std::memcpy(data_, other.data_, other.size_ * sizeof(T));
      size_ = other.size_;
    }
    return *this;
  }
  Pool& operator=(Pool&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Pool() { std::free(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t bytes() const { return capacity_ * sizeof(T); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  // A new element that holds nothing in particular, to be written in place.
  T& extend() {
    if (size_ == capacity_) grow(size_ + 1);
    return data_[size_++];
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  // New elements hold nothing in particular.
  void resize(size_t size) {
    if (size > capacity_) grow(size);
    size_ = size;
  }
  void release() {
    std::free(std::exchange(data_, nullptr));
    size_ = capacity_ = 0;
  }

 private:
  void swap(Pool& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void grow(size_t size) {
    const size_t capacity = std::max({size, capacity_ + capacity_ / 8, size_t{16}});
    void* grown = std::realloc(data_, capacity * sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    capacity_ = capacity;
  }
  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace vestige::sequitur
