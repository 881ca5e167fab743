#include <algorithm>
#include <unordered_map>

#include "base/squeeze.h"
#include "query/dependences/block.h"
#include "query/dependences/block_columns.h"

namespace vestige {

namespace {

class BlockEncoder {
 public:
  BlockEncoder(const RawBlock& block, PathShapes& shapes) : block_(block), shapes_(shapes) {}

  Bytes encode() {
    number_paths();
    write_head();
    write_paths();
    for (size_t i = 0; i < used_.size(); ++i) write_labels(i);
    write_effects();
    ByteWriter out;
    for (ByteWriter& column : columns_) {
      const Bytes bytes = squeeze(column.take());
      out.varint(bytes.size());
      out.bytes(bytes);
    }
    return out.take();
  }

 private:
  struct Used {
    const Path* path = nullptr;
    std::vector<uint32_t> at;  // when it ran
  };

  ByteWriter& column(BlockColumn which) { return columns_[static_cast<size_t>(which)]; }

  void number_paths() {
    std::unordered_map<const Path*, uint32_t> numbers;
    for (uint32_t i = 0; i < block_.paths.size(); ++i) {
      const auto [at, fresh] =
          numbers.try_emplace(block_.paths[i], static_cast<uint32_t>(used_.size()));
      if (fresh) used_.push_back({block_.paths[i], {}});
      used_[at->second].at.push_back(i);
    }
    std::ranges::sort(used_, [](const Used& a, const Used& b) { return a.path->id < b.path->id; });
    first_label_.reserve(block_.paths.size());
    uint32_t label = 0;
    for (const Path* path : block_.paths) {
      first_label_.push_back(label);
      label += shapes_.of(*path).labels;
    }
  }

  void frame(const PathSteps::Frame& frame) {
    ByteWriter& head = column(BlockColumn::head);
    head.varint(frame.last ? frame.last->id : 0);
    head.varint(block_.first_time + block_.paths.size() - frame.time);
    head.varint(frame.root == kNone ? 0 : uint64_t{frame.root} + 1);
  }

  void write_head() {
    ByteWriter& head = column(BlockColumn::head);
    const PathSteps::Position& position = block_.position;
    head.varint(position.base);
    head.varint(position.stack.size());
    for (const PathSteps::Frame& f : position.stack) frame(f);
    frame({position.last, position.time, position.last_root});
    head.varint(position.last_level);
    head.varint(block_.changes.size());
    uint64_t before = block_.first_time - 1;
    for (const PathSteps::Change& change : block_.changes) {
      // The first of a block may lie behind a hole.
      const uint64_t time = std::max(change.time, before);
      head.varint(time - before);
      before = time;
      head.varint(change.keep);
      head.varint(change.pushed);
    }
    head.varint(used_.size());
    uint32_t id = 0;
    for (const Used& used : used_) {
      head.varint(used.path->id - id);
      id = used.path->id;
    }
  }

  void write_paths() {
    std::vector<uint32_t> numbers(block_.paths.size());
    for (uint32_t i = 0; i < used_.size(); ++i)
      for (const uint32_t at : used_[i].at) numbers[at] = i;
    for (unsigned shift = 0; shift == 0 || (used_.size() - 1) >> shift != 0; shift += 8)
      for (const uint32_t number : numbers)
        column(BlockColumn::paths).u8(static_cast<uint8_t>(number >> shift));
  }

  uint64_t time_of(uint32_t at) const { return block_.first_time + at; }

  void write_labels(size_t number) {
    const Used& used = used_[number];
    const uint32_t labels = shapes_.of(*used.path).labels;
    for (uint32_t label = 0; label < labels; ++label) write_label(used, label);
  }

  void write_label(const Used& used, uint32_t which) {
    const auto label = [&](size_t i) { return block_.labels[first_label_[used.at[i]] + which]; };
    const auto distance = [&](size_t i) { return time_of(used.at[i]) - label(i).time(); };
    ByteWriter& classes = column(BlockColumn::classes);
    const auto all = [&](const auto& condition) {
      for (size_t i = 1; i < used.at.size(); ++i)
        if (!condition(i)) return false;
      return true;
    };
    const auto begin = [&](LabelClass c) { classes.u8(static_cast<uint8_t>(c)); };
    const Label first = label(0);
    if (first.kind() == Label::Kind::parts) {
      write_codes(used, which);
      return;
    }
    if (first.kind() != Label::Kind::one) {
      if (!all([&](size_t i) { return label(i) == first; })) {
        write_codes(used, which);
        return;
      }
      begin(first.kind() == Label::Kind::nobody    ? LabelClass::nobody
            : first.kind() == Label::Kind::changed ? LabelClass::changed
                                                   : LabelClass::nowhere);
      return;
    }
    const bool one_item = all([&](size_t i) {
      return label(i).kind() == Label::Kind::one && label(i).item() == first.item();
    });
    if (!one_item) {
      write_codes(used, which);
    } else if (all([&](size_t i) { return distance(i) == distance(0); })) {
      if (distance(0) == 0) {
        begin(LabelClass::local);
        classes.varint(first.item());
      } else {
        begin(LabelClass::distance);
        classes.varint(distance(0));
        classes.varint(first.item());
      }
    } else if (all([&](size_t i) { return label(i).time() == first.time(); })) {
      begin(LabelClass::moment);
      classes.varint(distance(0));
      classes.varint(first.item());
    } else if (const uint32_t other = shares_with(used, which); other != kNone) {
      begin(LabelClass::shared);
      classes.varint(other);
      classes.varint(first.item());
    } else {
      write_codes(used, which);
    }
  }

  // An earlier label of the path with the same times, always.
  uint32_t shares_with(const Used& used, uint32_t which) const {
    for (uint32_t other = which; other-- > 0;) {
      const bool same = std::ranges::all_of(used.at, [&](uint32_t at) {
        const Label a = block_.labels[first_label_[at] + other];
        return a.kind() == Label::Kind::one &&
               a.time() == block_.labels[first_label_[at] + which].time();
      });
      if (same) return other;
    }
    return kNone;
  }

  void write_codes(const Used& used, uint32_t which) {
    column(BlockColumn::classes).u8(static_cast<uint8_t>(LabelClass::codes));
    const uint32_t bytes = shapes_.of(*used.path).label_bytes[which];
    LabelHistory history;
    for (const uint32_t at : used.at) write_code(at, which, bytes, history);
  }

  void code(LabelCode c, bool copied = false) {
    const auto number = static_cast<uint8_t>(c);
    column(BlockColumn::codes)
        .u8(copied ? number + static_cast<uint8_t>(LabelCode::copied) : number);
  }

  uint64_t single_time(uint32_t at, uint32_t which, uint32_t back) const {
    if (which < back) return 0;
    const Label label = block_.labels[first_label_[at] + which - back];
    return label.kind() == Label::Kind::one ? label.time() : 0;
  }

  void write_code(uint32_t at, uint32_t which, uint32_t bytes, LabelHistory& history) {
    Label label = block_.labels[first_label_[at] + which];
    const uint64_t now = time_of(at);
    const LabelPart* copied = nullptr;
    switch (label.kind()) {
      case Label::Kind::nobody:
        return code(LabelCode::nobody);
      case Label::Kind::changed:
        return code(LabelCode::changed);
      case Label::Kind::nowhere:
        return code(LabelCode::nowhere);
      case Label::Kind::parts:
        copied = &block_.parts[label.first_part()];
        if (!copied->last || !copied->copied || copied->length != bytes || copied->foreign()) {
          code(LabelCode::parts);
          return write_parts(label, now);
        }
        label = copied->label;
        break;
      case Label::Kind::one:
      case Label::Kind::unordered:  // only ever a part
        break;
    }
    const uint64_t distance = now - label.time(), moved = zigzag(label.time() - history.time);
    const bool item = label.item() == history.item;
    const uint64_t before[2] = {single_time(at, which, 1), single_time(at, which, 2)};
    const auto tell = [&](LabelCode with_item, LabelCode without) {
      code(item ? without : with_item, copied);
      if (!item) column(BlockColumn::items).varint(label.item());
    };
    if (item && distance == history.distance) {
      code(LabelCode::same, copied);
    } else if (item && label.time() == history.time) {
      code(LabelCode::same_moment, copied);
    } else if (label.item() == history.item2 && distance == history.distance2) {
      code(LabelCode::second, copied);
    } else if (item && label.time() - history.time == history.time - history.time2) {
      code(LabelCode::stride, copied);
    } else if (before[0] != 0 && before[0] + history.beside[0] == label.time()) {
      tell(LabelCode::beside_item, LabelCode::beside);
    } else if (before[1] != 0 && before[1] + history.beside[1] == label.time()) {
      tell(LabelCode::beside2_item, LabelCode::beside2);
    } else if (history.time != 0 && moved < distance) {
      tell(LabelCode::moved_item, LabelCode::moved);
      write_number(moved);
    } else {
      tell(LabelCode::distance_item, LabelCode::distance);
      write_number(distance);
    }
    if (copied) {
      column(BlockColumn::parts).svarint(static_cast<int64_t>(copied->offset - history.offset));
      history.offset = copied->offset;
    }
    history.add(now, label.time(), label.item(), before);
  }

  static uint64_t zigzag(uint64_t difference) {
    return difference << 1 ^ (difference >> 63 != 0 ? UINT64_MAX : 0);
  }

  void write_number(uint64_t number) {
    uint8_t size = 1;
    while (size < 8 && number >> (8 * size) != 0) ++size;
    column(BlockColumn::sizes).u8(size);
    column(BlockColumn::low).u8(static_cast<uint8_t>(number));
    if (size > 1) column(BlockColumn::middle).u8(static_cast<uint8_t>(number >> 8));
    for (uint8_t i = 2; i < size; ++i)
      column(BlockColumn::high).u8(static_cast<uint8_t>(number >> (8 * i)));
  }

  void write_parts(Label label, uint64_t now) {
    ByteWriter& out = column(BlockColumn::parts);
    uint64_t before = now;
    for (uint64_t i = label.first_part();; ++i) {
      const LabelPart& part = block_.parts[i];
      const bool one = part.label.kind() == Label::Kind::one;
      const uint8_t kind = part.foreign() ? kForeignPart : static_cast<uint8_t>(part.label.kind());
      out.u8(static_cast<uint8_t>(kind << 2 | part.copied << 1 | part.last));
      out.varint(part.length);
      if (part.foreign()) {
        out.varint(part.thread);
        out.svarint(static_cast<int64_t>(part.label.time() - foreign_time_));
        foreign_time_ = part.label.time();
        out.varint(part.label.item());
        if (part.copied) out.varint(part.offset);
      } else if (one) {
        out.svarint(static_cast<int64_t>(before - part.label.time()));
        before = part.label.time();
        out.varint(part.label.item());
        if (part.copied) out.varint(part.offset);
      }
      if (part.last) break;
    }
  }

  void write_effects() {
    ByteWriter& out = column(BlockColumn::effects);
    out.varint(block_.effects_of.size());
    uint32_t path = 0;
    for (const RawBlock::Effects& of : block_.effects_of) {
      out.varint(of.path - path);
      path = of.path;
      out.varint(of.count);
      for (uint32_t i = of.first; i < of.first + of.count; ++i) {
        const CallEffect& effect = block_.effects[i];
        const Label label = effect.label;
        out.u8(static_cast<uint8_t>(static_cast<uint8_t>(label.kind()) << 2 |
                                    static_cast<uint8_t>(effect.kind)));
        if (!effect.reads_memory()) continue;
        out.varint(effect.length);
        if (label.kind() == Label::Kind::one) {
          out.varint(time_of(path) - label.time());
          out.varint(label.item());
        } else if (label.kind() == Label::Kind::parts) {
          write_parts(label, time_of(path));
        }
      }
    }
  }

  const RawBlock& block_;
  PathShapes& shapes_;
  std::vector<Used> used_;
  std::vector<uint32_t> first_label_;  // by path
  uint64_t foreign_time_ = 0;          // of the last part of another thread
  std::array<ByteWriter, kBlockColumns> columns_;
};

}  // namespace

Bytes encode_block(const RawBlock& block, PathShapes& shapes) {
  return BlockEncoder(block, shapes).encode();
}

}  // namespace vestige
