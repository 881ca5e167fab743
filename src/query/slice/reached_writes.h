// The writes to memory that a forward slice has reached. The times of their labels are orders
// (Interleaving).
//
// One owner thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "query/dependences/dependence_file.h"
#include "query/dependences/label.h"
#include "query/slice/nearest_bytes.h"

namespace vestige {

class ReachedWrites {
 public:
  static constexpr uint64_t kMost = uint64_t{1} << 26;

  // All are of this time and later ones.
  explicit ReachedWrites(uint64_t first_time) : first_time_(first_time), table_(kFirst) {}

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ >= kMost; }

  // The label must be of one write; its token is nearer than one that was added before.
  void add(Label label, Token token) {
    mark(label.time());
    if (2 * (count_ + 1) > table_.size()) grow();
    Entry& entry = find(label.bits());
    if (entry.key == 0) {
      entry.key = label.bits();
      ++count_;
    }
    lower(entry.token, token);
  }
  // Bytes of what a copy wrote: all of them at once, disjoint and by rising place.
  void add_copied(Label label, std::vector<TokenBytes> bytes) {
    mark(label.time());
    count_ += bytes.size();
    copied_[label.bits()] = std::move(bytes);
  }

  // Whether the label may be of a reached write. Rarely wrong.
  bool may_have(Label label) const {
    const uint64_t time = label.time() - first_time_;
    return label.kind() == Label::Kind::one && time / 64 < times_.size() &&
           (times_[time / 64] >> (time % 64) & 1) != 0;
  }
  // Whether there may be any of this order or later.
  bool reaches(uint64_t order) const { return order <= last_; }
  bool has_page(uint64_t page) const {
    return page / 64 < pages_.size() && (pages_[page / 64] >> (page % 64) & 1) != 0;
  }
  Token get(Label label) const {
    return may_have(label) ? const_cast<ReachedWrites*>(this)->find(label.bits()).token : Token{};
  }
  // Calls visit(first, length, token) for what is reached of these bytes of a copy.
  template <class Visit>
  void get_copied(Label label, uint64_t first, uint64_t length, const Visit& visit) const {
    if (!may_have(label)) return;
    if (const Token whole = get(label)) visit(first, length, whole);
    const auto found = copied_.find(label.bits());
    if (found == copied_.end()) return;
    const std::vector<TokenBytes>& all = found->second;
    auto at = std::ranges::upper_bound(all, first, {}, &TokenBytes::first);
    if (at != all.begin()) --at;
    for (; at != all.end() && at->first < first + length; ++at) {
      const uint64_t from = std::max(first, at->first);
      const uint64_t to = std::min(first + length, at->first + at->length);
      if (from < to) visit(from, to - from, at->token);
    }
  }

 private:
  static constexpr size_t kFirst = 1 << 12;
  struct Entry {
    uint64_t key = 0;  // 0: none; times begin at 1
    Token token;
  };

  static void set(std::vector<uint64_t>& bits, uint64_t number) {
    if (number / 64 >= bits.size()) bits.resize(number / 64 + 1 + bits.size() / 2);
    bits[number / 64] |= uint64_t{1} << (number % 64);
  }
  void mark(uint64_t time) {
    last_ = std::max(last_, time);
    set(times_, time - first_time_);
    set(pages_, time >> kTimePageBits);
  }
  Entry& find(uint64_t key) {
    const size_t mask = table_.size() - 1;
    size_t at = (key * 0x9e3779b97f4a7c15ull) >> 20 & mask;
    while (table_[at].key != 0 && table_[at].key != key) at = (at + 1) & mask;
    return table_[at];
  }
  void grow() {
    std::vector<Entry> old(2 * table_.size());
    old.swap(table_);
    for (const Entry& entry : old)
      if (entry.key != 0) find(entry.key) = entry;
  }

  const uint64_t first_time_;
  uint64_t last_ = 0;
  std::vector<uint64_t> times_, pages_;
  std::vector<Entry> table_;
  std::unordered_map<uint64_t, std::vector<TokenBytes>> copied_;
  uint64_t count_ = 0;
};

}  // namespace vestige
