// A large table of 2^bits places, found by the upper bits of a hash.
#pragma once

#include <cstdint>

#include "base/zeroed_table.h"

namespace vestige::strong {

template <class T>
class BigTable {
 public:
  explicit BigTable(unsigned bits) : bits_(bits), places_(size_t{1} << bits) {}
  T& operator[](size_t i) { return places_[i]; }
  const T& operator[](size_t i) const { return places_[i]; }
  // The place of a hash: its upper bits.
  size_t index(uint64_t hash) const { return hash >> (64 - bits_); }
  T& at_hash(uint64_t hash) { return places_[index(hash)]; }
  size_t size() const { return size_t{1} << bits_; }

 private:
  unsigned bits_;
  ZeroedTable<T> places_;
};

}  // namespace vestige::strong
