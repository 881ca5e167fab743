// Who wrote the memory that a statement read: the label of a dependence.
//
// Most reads are of bytes that one store of the same thread wrote. Others have parts, in the order
// of the bytes: each a stretch that one statement wrote, or that nobody did. A stretch that a copy
// wrote also says where in it, because what the copy depends on differs from byte to byte.
#pragma once

#include <cstdint>
#include <optional>

#include "vestige/program.h"

namespace vestige {

// An item (path_shape.h) of the path of a time, or why there is none.
class Label {
 public:
  static constexpr unsigned kItemBits = 20, kTimeBits = 41;
  static constexpr uint64_t kMostItems = uint64_t{1} << kItemBits;
  static constexpr uint64_t kEndOfTime = uint64_t{1} << kTimeBits;
  enum class Kind : uint8_t { one, parts, nobody, changed, nowhere, unordered };

  constexpr Label() : Label(Kind::nobody) {}
  static constexpr Label written(uint64_t time, uint32_t item) {
    return Label(time << kItemBits | item);
  }
  static constexpr Label nobody() { return Label(Kind::nobody); }    // nobody is known to have
  static constexpr Label changed() { return Label(Kind::changed); }  // and someone else did since
  static constexpr Label nowhere() { return Label(Kind::nowhere); }  // the address is not known
  // Another thread wrote it, and no synchronization says when.
  static constexpr Label unordered() { return Label(Kind::unordered); }
  // The label of a kind that names no write; nothing for others.
  static constexpr std::optional<Label> of_nobody(Kind kind) {
    if (kind < Kind::nobody || kind > Kind::unordered) return std::nullopt;
    return Label(kind);
  }
  // One label in two colours: LastWriters marks what copies wrote. No block holds such labels.
  constexpr Label marked() const { return Label(bits_ | kMark); }
  constexpr Label unmarked() const { return is_marked() ? Label(bits_ & ~kMark) : *this; }
  constexpr bool is_marked() const { return bits_ >> 61 == 1; }
  // DependenceBlock::parts, from this one to the next that is `last`.
  static constexpr Label parts(uint64_t first) {
    return Label(uint64_t{static_cast<uint8_t>(Kind::parts)} << 62 | first);
  }

  constexpr Kind kind() const {
    const uint64_t tag = bits_ >> 62;
    return tag < 2 ? static_cast<Kind>(tag) : static_cast<Kind>(bits_ & 7);
  }
  constexpr uint64_t time() const { return bits_ >> kItemBits; }
  constexpr uint32_t item() const { return static_cast<uint32_t>(bits_ & (kMostItems - 1)); }
  constexpr uint64_t first_part() const { return bits_ & ~(uint64_t{3} << 62); }
  constexpr uint64_t bits() const { return bits_; }
  constexpr bool operator==(const Label&) const = default;

 private:
  static constexpr uint64_t kMark = uint64_t{1} << 61;
  constexpr explicit Label(uint64_t bits) : bits_(bits) {}
  constexpr explicit Label(Kind kind) : bits_(uint64_t{2} << 62 | static_cast<uint8_t>(kind)) {}
  uint64_t bits_;
};
static_assert(Label::written(Label::kEndOfTime - 1, 5).kind() == Label::Kind::one);

struct LabelPart {
  uint64_t length = 0;
  uint64_t offset = 0;      // in what a copy wrote
  Label label;              // without parts
  bool copied = false;      // a copy wrote it
  bool last = false;        // of its read
  uint32_t thread = kNone;  // whose time the label's is; otherwise the reader's own
  bool foreign() const { return thread != kNone; }
  bool operator==(const LabelPart&) const = default;
};

}  // namespace vestige
