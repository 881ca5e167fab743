#include <algorithm>

#include "base/squeeze.h"
#include "query/dependences/block.h"
#include "query/dependences/block_columns.h"

namespace vestige {

namespace {

std::unexpected<Error> corrupt() {
  return fail(ErrorKind::corrupt, "block of an index of dependences: makes no sense");
}

// Everything is checked that does not take another block: that a label's item is one that wrote is
// for whoever follows it.
class BlockReading {
 public:
  static constexpr uint64_t kMostLabels = 2 * kBlockLabels + Label::kMostItems;

  BlockReading(const Trace& trace, const CallNames& names, PathShapes& shapes, uint64_t paths,
               DependenceBlock& block)
      : trace_(trace), steps_(names), shapes_(shapes), count_(paths), block_(block) {}

  Result<void> read(ByteView bytes) {
    ByteReader in(bytes);
    for (Bytes& column : bytes_) {
      const uint64_t size = in.varint();
      if (in.failed() || size > bytes.size() - in.at()) return corrupt();
      auto raw = unsqueeze(bytes.subspan(in.at(), size), "block of an index of dependences");
      if (!raw) return std::unexpected(std::move(raw.error()));
      column = std::move(*raw);
      in.bytes(size);
    }
    for (size_t i = 0; i < kBlockColumns; ++i) columns_[i] = ByteReader(bytes_[i]);
    if (!read_head() || !read_paths() || !walk()) return corrupt();
    for (size_t i = 0; i < used_.size(); ++i)
      if (!read_labels(i)) return corrupt();
    if (!read_effects()) return corrupt();
    if (std::ranges::any_of(columns_, [](const ByteReader& c) { return c.failed(); }))
      return corrupt();
    return {};
  }

 private:
  struct Used {
    const Path* path = nullptr;
    const PathShape* shape = nullptr;
    std::vector<uint32_t> at;
  };

  ByteReader& column(BlockColumn which) { return columns_[static_cast<size_t>(which)]; }

  bool frame(PathSteps::Frame& frame) {
    ByteReader& head = column(BlockColumn::head);
    const uint64_t id = head.varint(), back = head.varint(), root = head.varint();
    const uint64_t end = block_.first_time + count_;
    if (head.failed() || id > UINT32_MAX || back > end || root > trace_.functions().size())
      return false;
    frame.last = id == 0 ? nullptr : trace_.path(static_cast<uint32_t>(id));
    if (id != 0 && !frame.last) return false;
    frame.time = end - back;
    frame.root = root == 0 ? kNone : static_cast<uint32_t>(root - 1);
    return true;
  }

  bool read_head() {
    ByteReader& head = column(BlockColumn::head);
    PathSteps::Position position;
    const uint64_t base = head.varint();
    if (base > UINT32_MAX / 2) return false;
    position.base = static_cast<uint32_t>(base);
    position.stack.resize(head.count(3));
    for (PathSteps::Frame& f : position.stack)
      if (!frame(f)) return false;
    PathSteps::Frame last;
    if (!frame(last)) return false;
    position.time = last.time;
    position.last = last.last;
    position.last_root = last.root;
    const uint64_t level = head.varint();
    if (level > UINT32_MAX) return false;
    position.last_level = static_cast<uint32_t>(level);
    steps_.go_to(std::move(position));
    changes_.resize(head.count(3));
    uint64_t before = block_.first_time - 1, pushed = 0;
    for (PathSteps::Change& change : changes_) {
      change.time = before += head.varint();
      change.keep = head.varint();
      change.pushed = head.varint();
      if (change.pushed > PathSteps::kMostPushed ||
          (pushed += change.pushed) > PathSteps::kMostPushed)
        return false;
    }
    used_.resize(head.count(1));
    uint64_t id = 0;
    for (Used& used : used_) {
      id += head.varint();
      if (id > UINT32_MAX) return false;
      used.path = trace_.path(static_cast<uint32_t>(id));
      if (!used.path) return false;
      used.shape = &shapes_.of(*used.path);
    }
    return !head.failed() && !used_.empty();
  }

  bool read_paths() {
    const Bytes& bytes = bytes_[static_cast<size_t>(BlockColumn::paths)];
    if (bytes.size() % count_ != 0) return false;
    numbers_.assign(count_, 0);
    for (size_t plane = 0; plane < bytes.size() / count_; ++plane) {
      if (plane >= 4) return false;
      for (size_t i = 0; i < count_; ++i)
        numbers_[i] |= uint32_t{bytes[plane * count_ + i]} << (8 * plane);
    }
    for (uint32_t i = 0; i < count_; ++i) {
      if (numbers_[i] >= used_.size()) return false;
      used_[numbers_[i]].at.push_back(i);
    }
    return true;
  }

  bool walk() {
    block_.steps.resize(count_);
    block_.shapes.resize(count_);
    block_.first_label.resize(count_);
    size_t change = 0;
    uint64_t labels = 0;
    for (size_t i = 0; i < count_; ++i) {
      const Used& used = used_[numbers_[i]];
      const uint64_t time = block_.first_time + i;
      for (; change < changes_.size() && changes_[change].time < time; ++change)
        steps_.change(changes_[change]);
      if (!steps_.next(*used.path, time, block_.steps[i])) return false;
      block_.shapes[i] = used.shape;
      block_.first_label[i] = static_cast<uint32_t>(labels);
      labels += used.shape->labels;
      if (labels > kMostLabels) return false;
    }
    block_.labels.assign(labels, Label());
    block_.parts.clear();
    return true;
  }

  bool read_labels(size_t number) {
    const Used& used = used_[number];
    for (uint32_t which = 0; which < used.shape->labels; ++which)
      if (!used.at.empty() && !read_label(used, which)) return false;
    return true;
  }

  Label& label(uint32_t at, uint32_t which) {
    return block_.labels[block_.first_label[at] + which];
  }

  bool written(uint32_t at, uint32_t which, uint64_t distance, uint64_t item) {
    const uint64_t now = block_.first_time + at;
    if (distance >= now || item >= Label::kMostItems) return false;
    label(at, which) = Label::written(now - distance, static_cast<uint32_t>(item));
    return true;
  }

  bool read_label(const Used& used, uint32_t which) {
    ByteReader& classes = column(BlockColumn::classes);
    const auto all = [&](const auto& set) { return std::ranges::all_of(used.at, set); };
    switch (static_cast<LabelClass>(classes.u8())) {
      case LabelClass::local: {
        const uint64_t item = classes.varint();
        return all([&](uint32_t at) { return written(at, which, 0, item); });
      }
      case LabelClass::distance: {
        const uint64_t distance = classes.varint(), item = classes.varint();
        return all([&](uint32_t at) { return written(at, which, distance, item); });
      }
      case LabelClass::moment: {
        const uint64_t distance = classes.varint(), item = classes.varint();
        return all(
            [&](uint32_t at) { return written(at, which, distance + (at - used.at[0]), item); });
      }
      case LabelClass::nobody:
        return true;
      case LabelClass::changed:
        return all([&](uint32_t at) {
          label(at, which) = Label::changed();
          return true;
        });
      case LabelClass::nowhere:
        return all([&](uint32_t at) {
          label(at, which) = Label::nowhere();
          return true;
        });
      case LabelClass::shared: {
        const uint64_t other = classes.varint(), item = classes.varint();
        if (other >= which) return false;
        return all([&](uint32_t at) {
          const Label from = label(at, static_cast<uint32_t>(other));
          return from.kind() == Label::Kind::one &&
                 written(at, which, block_.first_time + at - from.time(), item);
        });
      }
      case LabelClass::codes: {
        LabelHistory history;
        const uint32_t bytes = used.shape->label_bytes[which];
        return all([&](uint32_t at) { return read_code(at, which, bytes, history); });
      }
    }
    return false;
  }

  uint64_t single_time(uint32_t at, uint32_t which, uint32_t back) {
    if (which < back) return 0;
    const Label beside = label(at, which - back);
    return beside.kind() == Label::Kind::one ? beside.time() : 0;
  }

  bool read_code(uint32_t at, uint32_t which, uint32_t bytes, LabelHistory& history) {
    const uint64_t now = block_.first_time + at;
    uint8_t number = column(BlockColumn::codes).u8();
    const bool copied = number >= static_cast<uint8_t>(LabelCode::copied);
    if (copied) number -= static_cast<uint8_t>(LabelCode::copied);
    const auto code = static_cast<LabelCode>(number);
    if (copied && code > LabelCode::moved_item) return false;
    const uint64_t before[2] = {single_time(at, which, 1), single_time(at, which, 2)};
    uint64_t time = 0, item = history.item;
    switch (code) {
      case LabelCode::nobody:
        return true;
      case LabelCode::changed:
        label(at, which) = Label::changed();
        return true;
      case LabelCode::nowhere:
        label(at, which) = Label::nowhere();
        return true;
      case LabelCode::parts:
        return read_parts(now, label(at, which));
      case LabelCode::same:
        time = now - history.distance;
        break;
      case LabelCode::same_moment:
        time = history.time;
        break;
      case LabelCode::stride:
        time = history.time + (history.time - history.time2);
        break;
      case LabelCode::second:
        time = now - history.distance2;
        item = history.item2;
        break;
      case LabelCode::beside:
      case LabelCode::beside_item:
        time = before[0] + history.beside[0];
        break;
      case LabelCode::beside2:
      case LabelCode::beside2_item:
        time = before[1] + history.beside[1];
        break;
      case LabelCode::distance:
      case LabelCode::distance_item:
        time = now - read_number();
        break;
      case LabelCode::moved:
      case LabelCode::moved_item: {
        const uint64_t moved = read_number();
        time = history.time + (moved >> 1 ^ (0 - (moved & 1)));
        break;
      }
      default:
        return false;
    }
    if (code == LabelCode::beside_item || code == LabelCode::beside2_item ||
        code == LabelCode::distance_item || code == LabelCode::moved_item)
      item = column(BlockColumn::items).varint();
    if (!written(at, which, now - time, item)) return false;
    if (copied) {
      history.offset += static_cast<uint64_t>(column(BlockColumn::parts).svarint());
      block_.parts.push_back({bytes, history.offset, label(at, which), true, true});
      label(at, which) = Label::parts(block_.parts.size() - 1);
    }
    history.add(now, time, static_cast<uint32_t>(item), before);
    return true;
  }

  uint64_t read_number() {
    const uint8_t size = column(BlockColumn::sizes).u8();
    uint64_t number = column(BlockColumn::low).u8();
    if (size > 1) number |= uint64_t{column(BlockColumn::middle).u8()} << 8;
    for (unsigned i = 2; i < std::min<unsigned>(size, 8); ++i)
      number |= uint64_t{column(BlockColumn::high).u8()} << (8 * i);
    return number;
  }

  bool read_parts(uint64_t now, Label& label) {
    ByteReader& in = column(BlockColumn::parts);
    label = Label::parts(block_.parts.size());
    uint64_t before = now;
    while (true) {
      LabelPart part;
      const uint8_t head = in.u8();
      part.last = (head & 1) != 0;
      part.copied = (head & 2) != 0;
      part.length = in.varint();
      if (head >> 2 == kForeignPart) {
        if (!read_foreign(in, part)) return false;
        block_.parts.push_back(part);
        if (part.last) return true;
        continue;
      }
      const auto kind = static_cast<Label::Kind>(head >> 2);
      if (kind == Label::Kind::one) {
        before -= static_cast<uint64_t>(in.svarint());
        const uint64_t item = in.varint();
        if (part.copied) part.offset = in.varint();
        if (before == 0 || before > now || item >= Label::kMostItems) return false;
        part.label = Label::written(before, static_cast<uint32_t>(item));
      } else {
        const auto label = Label::of_nobody(kind);
        if (!label || kind == Label::Kind::nowhere) return false;
        part.label = *label;
      }
      if (in.failed()) return false;
      block_.parts.push_back(part);
      if (part.last) return true;
    }
  }

  bool read_foreign(ByteReader& in, LabelPart& part) {
    const uint64_t thread = in.varint();
    foreign_time_ += static_cast<uint64_t>(in.svarint());
    const uint64_t item = in.varint();
    if (part.copied) part.offset = in.varint();
    if (in.failed() || thread >= trace_.threads().size() || foreign_time_ == 0 ||
        foreign_time_ >= Label::kEndOfTime || item >= Label::kMostItems)
      return false;
    part.thread = static_cast<uint32_t>(thread);
    part.label = Label::written(foreign_time_, static_cast<uint32_t>(item));
    return true;
  }

  bool read_effects() {
    ByteReader& in = column(BlockColumn::effects);
    block_.effects.clear();
    block_.first_effect.assign(count_ + 1, 0);
    uint64_t path = 0, filled = 0;
    for (size_t left = in.count(2); left > 0; --left) {
      path += in.varint();
      if (in.failed() || path >= count_ || path < filled) return false;
      while (filled <= path)
        block_.first_effect[filled++] = static_cast<uint32_t>(block_.effects.size());
      if (!comes_back(block_.steps[path])) return false;
      for (size_t effects = in.count(1); effects > 0; --effects)
        if (!read_effect(in, block_.first_time + path)) return false;
    }
    while (filled <= count_)
      block_.first_effect[filled++] = static_cast<uint32_t>(block_.effects.size());
    return !in.failed();
  }

  bool comes_back(const PathStep& step) const {
    return step.before && step.before->end == SegmentEnd::call &&
           stopped_at(trace_.functions()[step.before->function], *step.before) != kNone;
  }

  bool read_effect(ByteReader& in, uint64_t now) {
    CallEffect& effect = block_.effects.emplace_back();
    const uint8_t head = in.u8();
    effect.kind = static_cast<CallEffect::Kind>(head & 3);
    if (!effect.reads_memory()) return !in.failed();
    effect.length = in.varint();
    switch (static_cast<Label::Kind>(head >> 2)) {
      case Label::Kind::one: {
        const uint64_t distance = in.varint(), item = in.varint();
        if (distance >= now || item >= Label::kMostItems) return false;
        effect.label = Label::written(now - distance, static_cast<uint32_t>(item));
        return !in.failed();
      }
      case Label::Kind::parts:
        return read_parts(now, effect.label);
      case Label::Kind::nobody:
        return !in.failed();
      case Label::Kind::changed:
        effect.label = Label::changed();
        return !in.failed();
      default:
        return false;
    }
  }

  const Trace& trace_;
  PathSteps steps_;
  PathShapes& shapes_;
  const uint64_t count_;
  DependenceBlock& block_;
  std::array<Bytes, kBlockColumns> bytes_;
  std::array<ByteReader, kBlockColumns> columns_ = []<size_t... i>(std::index_sequence<i...>) {
    return std::array<ByteReader, kBlockColumns>{((void)i, ByteReader(ByteView()))...};
  }(std::make_index_sequence<kBlockColumns>());
  std::vector<PathSteps::Change> changes_;
  std::vector<Used> used_;
  uint64_t foreign_time_ = 0;
  std::vector<uint32_t> numbers_;  // by path of the block: among `used_`
};

}  // namespace

Result<void> BlockDecoder::decode(ByteView bytes, uint64_t first_time, uint64_t paths,
                                  DependenceBlock& block) {
  shapes_.trim();
  block.first_time = first_time;
  return BlockReading(trace_, names_, shapes_, paths, block).read(bytes);
}

}  // namespace vestige
