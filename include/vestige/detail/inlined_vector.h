// A row of items that are few in most cases, and then take no memory of their own.
//
// A program has hundreds of thousands of statements with two or three operands each: as vectors
// they would be most of what it takes to open a trace. Used like a vector; the items are plain
// data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace vestige {

template <class T, uint32_t kInPlace>
class InlinedVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  InlinedVector() = default;
  InlinedVector(std::initializer_list<T> items) { assign(items.begin(), items.end()); }
  InlinedVector(const std::vector<T>& items) { assign(items.begin(), items.end()); }
  InlinedVector(const InlinedVector& other) { assign(other.begin(), other.end()); }
  InlinedVector(InlinedVector&& other) noexcept { take(other); }
  InlinedVector& operator=(const InlinedVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlinedVector& operator=(InlinedVector&& other) noexcept {
    if (this != &other) {
      give_back();
      take(other);
    }
    return *this;
  }
  ~InlinedVector() { give_back(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return capacity_ > kInPlace ? items_.elsewhere : items_.here; }
  const T* data() const { return capacity_ > kInPlace ? items_.elsewhere : items_.here; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return *begin(); }
  T& back() { return end()[-1]; }
  const T& front() const { return *begin(); }
  const T& back() const { return end()[-1]; }

  void clear() { size_ = 0; }
  void push_back(T item) {
    if (size_ == capacity_) grow(2 * size_t{capacity_});
    data()[size_++] = item;
  }
  // New items are T{}.
  void resize(size_t size) {
    if (size > capacity_) grow(size);
    if (size > size_) std::fill(end(), data() + size, T{});
    size_ = static_cast<uint32_t>(size);
  }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }
  // Leaves the items before `last`.
  void cut(const T* last) { size_ = static_cast<uint32_t>(last - begin()); }

  bool operator==(const InlinedVector& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  void grow(size_t capacity) {
    T* const room = std::allocator<T>().allocate(capacity);
    std::memcpy(static_cast<void*>(room), data(), size_ * sizeof(T));
    give_back();
    items_.elsewhere = room;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void give_back() {
    if (capacity_ > kInPlace) std::allocator<T>().deallocate(items_.elsewhere, capacity_);
    capacity_ = kInPlace;
  }
  void take(InlinedVector& other) {
    std::memcpy(static_cast<void*>(this), static_cast<const void*>(&other), sizeof *this);
    other.capacity_ = kInPlace;
    other.size_ = 0;
  }

  uint32_t size_ = 0, capacity_ = kInPlace;
  union Items {
    Items() {}
    T here[kInPlace];
    T* elsewhere;
  } items_;
};

}  // namespace vestige
