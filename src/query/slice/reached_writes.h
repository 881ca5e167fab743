// The writes to memory that a forward slice has reached. The times of their labels are orders
// (Interleaving). They come by rising time, so a list of them is sorted: whoever reads what was
// written lately, or one thing after the other, finds it nearby.
//
// One owner thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
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
  explicit ReachedWrites(uint64_t first_time) : first_time_(first_time), last_(first_time) {}

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ >= kMost; }

  // The label must be of one write, of no earlier time than those before. Those of one time come by
  // rising item, but for the items behind all others (CallEffect), which come first.
  void add(Label label, Token token) {
    if (label.time() < last_) return;  // no trace has that
    mark(label.time());
    if (!list_.empty() && list_.back().label == label) return lower(list_.back().token, token);
    list_.push_back({label, token});
    ++count_;
  }
  // Bytes of what a copy wrote: all of them at once, disjoint and by rising place.
  void add_copied(Label label, std::vector<TokenBytes> bytes) {
    if (label.time() < last_) return;
    add(label, {});
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
    if (!may_have(label)) return {};
    const size_t word = (label.time() - first_time_) / 64, bit = (label.time() - first_time_) % 64;
    // Each marked time has a write at least.
    const uint64_t before = times_[word] & ((uint64_t{1} << bit) - 1);
    size_t at = places_[word] + static_cast<size_t>(std::popcount(before));
    const size_t end = word + 1 < places_.size() ? places_[word + 1] : list_.size();
    if (at < end && list_[at].label.time() < label.time())
      at = search(at, end, [&](Label l) { return l.time() < label.time(); });
    if (at >= end || list_[at].label == label) return at < end ? list_[at].token : Token{};
    const uint64_t first = list_[at].label.bits();
    const auto place = [&](Label l) { return std::tuple(l.time(), l.bits() < first, l.bits()); };
    at = search(at, end, [&](Label l) { return place(l) < place(label); });
    return at < end && list_[at].label == label ? list_[at].token : Token{};
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
  struct Write {
    Label label;
    Token token;  // none: only some bytes of a copy
  };

  static void set(std::vector<uint64_t>& bits, uint64_t number) {
    if (number / 64 >= bits.size()) bits.resize(number / 64 + 1 + bits.size() / 2);
    bits[number / 64] |= uint64_t{1} << (number % 64);
  }
  void mark(uint64_t time) {
    last_ = time;
    const uint64_t number = time - first_time_;
    set(times_, number);
    if (number / 64 >= places_.size()) places_.resize(number / 64 + 1, list_.size());
    set(pages_, time >> kTimePageBits);
  }
  // The first of the list, from `at` on, whose label is not before.
  template <class Before>
  size_t search(size_t at, size_t end, const Before& before) const {
    const Write* const first = list_.data();
    return static_cast<size_t>(
        std::partition_point(first + at, first + end,
                             [&](const Write& write) { return before(write.label); }) -
        first);
  }

  const uint64_t first_time_;
  uint64_t last_;
  std::vector<uint64_t> times_, pages_;
  std::vector<Write> list_;     // by rising time
  std::vector<size_t> places_;  // by 64 times: where in the list they begin
  std::unordered_map<uint64_t, std::vector<TokenBytes>> copied_;
  uint64_t count_ = 0;
};

}  // namespace vestige
