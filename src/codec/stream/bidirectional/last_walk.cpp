#include "codec/stream/bidirectional/last_walk.h"

#include <algorithm>
#include <cstring>

#include "codec/pack/values.h"

namespace vestige {

namespace {

constexpr uint32_t kInOrder = 0x76543210;

std::unexpected<Error> bad(const char* what) {
  return fail(ErrorKind::corrupt, std::string("bidirectional last-n: ") + what);
}

uint32_t nibbles(unsigned n) { return static_cast<uint32_t>((uint64_t{1} << 4 * n) - 1); }

// Place k comes to the front.
uint32_t to_front(uint32_t order, unsigned k) {
  const uint32_t slot = order >> 4 * k & 15;
  return (order & ~nibbles(k + 1)) | (order & nibbles(k)) << 4 | slot;
}

// The front goes to place k.
uint32_t from_front(uint32_t order, unsigned k) {
  return (order & ~nibbles(k + 1)) | (order & nibbles(k + 1)) >> 4 | (order & 15) << 4 * k;
}

bool all_zero(const uint8_t* codes) {
  uint64_t eight;
  std::memcpy(&eight, codes, sizeof eight);
  return eight == 0;
}

}  // namespace

Bytes encode_last(std::span<const uint64_t> numbers, unsigned places) {
  std::vector<uint64_t> table(places), codes(numbers.size()), given;
  for (unsigned k = 0; k < places; ++k) table[k] = k;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto found = std::ranges::find(table, numbers[i]);
    codes[i] = static_cast<uint64_t>(found - table.begin());
    if (found == table.end()) {
      given.push_back(numbers[i]);
      table.back() = numbers[i];
      std::ranges::rotate(table, table.end() - 1);
    } else {
      std::rotate(table.begin(), found, found + 1);
    }
  }
  ByteWriter out;
  pack_values(codes, out);
  pack_values(given, out);
  return out.take();
}

Result<void> LastWalk::load(ByteView bytes, size_t count) {
  ByteReader in(bytes);
  std::vector<uint64_t> codes(count);
  if (auto read = unpack_values(in, codes); !read) return read;
  uint64_t highest = 0;
  size_t misses = 0;
  codes_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    highest = std::max(highest, codes[i]);
    misses += codes[i] == places_;
    codes_[i] = static_cast<uint8_t>(codes[i]);
  }
  auto given = unpack_values(in, count);
  if (!given) return std::unexpected(given.error());
  if (highest > places_) return bad("a code outside the table");
  if (given->size() != misses || in.remaining() != 0) return bad("misses without values");
  given_ = std::move(*given);
  // One more, so that the loops may read and write one place too far instead of branching.
  given_.push_back(0);
  displaced_.resize(given_.size());
  position_ = 0;
  misses_ = 0;
  order_ = kInOrder;
  for (unsigned k = 0; k < slots_.size(); ++k) slots_[k] = k;
  return {};
}

size_t LastWalk::forward(std::span<uint64_t> out) {
  const size_t n = std::min(out.size(), codes_.size() - position_);
  const uint8_t* const codes = codes_.data() + position_;
  const uint64_t* given = given_.data() + misses_;
  uint64_t* displaced = displaced_.data() + misses_;
  const unsigned last = places_ - 1;
  uint32_t order = order_;
  for (size_t i = 0; i < n;) {
    if (n - i >= 8 && all_zero(codes + i)) {
      std::fill_n(out.data() + i, 8, slots_[order & 15]);
      i += 8;
      continue;
    }
    for (const size_t end = std::min(n, i + 8); i < end; ++i) {
      const bool miss = codes[i] > last;
      // A miss takes the place of the last number: its slot comes to the front with a new content.
      order = to_front(order, miss ? last : codes[i]);
      uint64_t& slot = slots_[order & 15];
      const uint64_t held = slot;
      *displaced = held;
      displaced += miss;
      const uint64_t number = miss ? *given : held;
      given += miss;
      slot = number;
      out[i] = number;
    }
  }
  order_ = order;
  misses_ = static_cast<size_t>(given - given_.data());
  position_ += n;
  return n;
}

size_t LastWalk::backward(std::span<uint64_t> out) {
  const size_t n = std::min(out.size(), position_);
  const uint8_t* const codes = codes_.data() + position_;
  const uint64_t* displaced = displaced_.data() + misses_;
  const unsigned last = places_ - 1;
  uint32_t order = order_;
  for (size_t i = 0; i < n;) {
    if (n - i >= 8 && all_zero(codes - i - 8)) {
      std::fill_n(out.data() + i, 8, slots_[order & 15]);
      i += 8;
      continue;
    }
    for (const size_t end = std::min(n, i + 8); i < end; ++i) {
      const uint8_t code = *(codes - i - 1);
      const bool miss = code > last;
      uint64_t& slot = slots_[order & 15];
      const uint64_t number = slot;
      displaced -= miss;
      slot = miss ? *displaced : number;
      order = from_front(order, miss ? last : code);
      out[i] = number;
    }
  }
  order_ = order;
  misses_ = static_cast<size_t>(displaced - displaced_.data());
  position_ -= n;
  return n;
}

}  // namespace vestige
