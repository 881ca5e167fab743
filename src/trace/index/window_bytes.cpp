#include "trace/index/window_bytes.h"

#include "base/squeeze.h"

namespace vestige {

namespace {

enum Flag : uint8_t { kBeginning = 1, kShadowKnown = 4, kNotTold = 8 };

void put_word(ByteWriter& out, uint64_t value, bool known) {
  out.varint(value);
  out.u8(known);
}
Machine::Passed get_word(ByteReader& in) {
  Machine::Passed word;
  word.value = in.varint();
  word.known = in.u8() != 0;
  return word;
}

// kNone as 0.
void put_index(ByteWriter& out, uint32_t index) { out.varint(index == kNone ? 0 : index + 1ull); }
uint32_t get_index(ByteReader& in) {
  const uint64_t number = in.varint();
  if (number > kNone) in.fail();
  return number == 0 ? kNone : static_cast<uint32_t>(number - 1);
}

void put_row(ByteWriter& out, const std::vector<ValueKind>& kinds,
             const std::vector<Machine::Passed>& values) {
  out.varint(kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    out.varint(kinds[i]);
    put_word(out, values[i].value, values[i].known);
  }
}
void get_row(ByteReader& in, std::vector<ValueKind>& kinds, std::vector<Machine::Passed>& values) {
  const size_t count = in.count(3);
  for (size_t i = 0; i < count && !in.failed(); ++i) {
    kinds.push_back(static_cast<ValueKind>(in.varint()));
    values.push_back(get_word(in));
  }
}

void put_words(ByteWriter& out, const Keyframe& from) {
  put_word(out, from.callee.value, from.callee.known);
  put_word(out, from.ack.value, from.ack.known);
  put_word(out, from.returned.value, from.returned.known);
  out.varint(from.returned_kind);
  put_row(out, from.returned_kinds, from.returned_parts);
  put_row(out, from.kinds, from.passed);
}

void get_words(ByteReader& in, Keyframe& to) {
  const Machine::Passed callee = get_word(in), ack = get_word(in);
  to.callee = {callee.value, callee.known};
  to.ack = {ack.value, ack.known};
  to.returned = get_word(in);
  to.returned_kind = static_cast<ValueKind>(in.varint());
  get_row(in, to.returned_kinds, to.returned_parts);
  get_row(in, to.kinds, to.passed);
}

void put_frames(ByteWriter& out, const Keyframe& from) {
  out.varint(from.frames.size());
  uint32_t place = 0;
  for (const Keyframe::Frame& frame : from.frames) {
    out.varint(frame.place - place);
    place = frame.place;
    put_index(out, frame.function);
    put_index(out, frame.block);
    put_index(out, frame.invoke);
    out.varint(from.time - frame.time);
    out.u8(frame.exact);
    out.varint(frame.slots.size());
    uint32_t slot = 0;
    for (const Keyframe::Slot& value : frame.slots) {
      out.varint(value.slot - slot);
      slot = value.slot;
      put_word(out, value.value, value.known);
    }
  }
}

void get_frames(ByteReader& in, Keyframe& to) {
  const size_t frames = in.count(7);
  uint64_t place = 0;
  for (size_t i = 0; i < frames && !in.failed(); ++i) {
    Keyframe::Frame& frame = to.frames.emplace_back();
    place += in.varint32();
    if (place > kNone) return in.fail();
    frame.place = static_cast<uint32_t>(place);
    frame.function = get_index(in);
    frame.block = get_index(in);
    frame.invoke = get_index(in);
    frame.time = to.time - in.varint();
    frame.exact = in.u8() != 0;
    const size_t slots = in.count(3);
    frame.slots.reserve(slots);
    uint64_t slot = 0;
    for (size_t s = 0; s < slots && !in.failed(); ++s) {
      slot += in.varint32();
      if (slot > kNone) return in.fail();
      const Machine::Passed value = get_word(in);
      frame.slots.push_back({static_cast<uint32_t>(slot), value.known, value.value});
    }
  }
}

void put_shadow(ByteWriter& out, const Keyframe& from) {
  out.varint(from.runs.size());
  uint32_t end = 0;
  for (const FirstTouches::Run& run : from.runs) {
    out.varint(run.at - end);
    out.varint(run.size);
    end = run.at + run.size;
  }
  out.bytes(from.bytes);
}

void get_shadow(ByteReader& in, Keyframe& to) {
  const size_t runs = in.count(2);
  to.runs.reserve(runs);
  uint64_t end = 0, size = 0;
  for (size_t i = 0; i < runs && !in.failed(); ++i) {
    FirstTouches::Run run;
    end += in.varint32();
    run.at = static_cast<uint32_t>(end);
    run.size = in.varint32();
    end += run.size;
    size += run.size;
    if (end > Shadow::kSize) return in.fail();
    to.runs.push_back(run);
  }
  const ByteView bytes = in.bytes(size);
  to.bytes.assign(bytes.begin(), bytes.end());
}

void put_told(ByteWriter& out, const std::vector<ToldValue>& told, uint64_t time) {
  out.varint(told.size());
  for (const ToldValue& told_value : told) {
    out.svarint(static_cast<int64_t>(told_value.time - time));
    time = told_value.time;
  }
  for (const ToldValue& told_value : told) out.varint(told_value.index);
  for (const ToldValue& told_value : told) out.varint(told_value.value);
}

std::vector<ToldValue> get_told(ByteReader& in, uint64_t time) {
  std::vector<ToldValue> told(in.count(3));
  for (ToldValue& told_value : told) told_value.time = time += static_cast<uint64_t>(in.svarint());
  for (ToldValue& told_value : told) told_value.index = in.varint32();
  for (ToldValue& told_value : told) told_value.value = in.varint();
  return told;
}

}  // namespace

Bytes encode_window(const WindowRecord& record) {
  const Keyframe& keyframe = record.keyframe;
  ByteWriter out;
  out.u8(static_cast<uint8_t>((keyframe.beginning ? kBeginning : 0) |
                              (keyframe.shadow_known ? kShadowKnown : 0) |
                              (record.told ? 0 : kNotTold)));
  if (!keyframe.beginning) {
    out.varint(keyframe.time);
    out.varint(keyframe.depth);
    out.varint(keyframe.rounding);
    put_words(out, keyframe);
    put_frames(out, keyframe);
    put_shadow(out, keyframe);
  }
  out.varint(record.told_before);
  if (record.told) put_told(out, *record.told, keyframe.time);
  return squeeze(out.take());
}

Result<WindowRecord> decode_window(ByteView bytes) {
  auto raw = unsqueeze(bytes, "window of an index");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  WindowRecord record;
  Keyframe& keyframe = record.keyframe;
  const uint8_t flags = in.u8();
  keyframe.beginning = flags & kBeginning;
  keyframe.shadow_known = flags & kShadowKnown;
  if (!keyframe.beginning) {
    keyframe.time = in.varint();
    keyframe.depth = in.varint32();
    keyframe.rounding = in.varint32();
    get_words(in, keyframe);
    get_frames(in, keyframe);
    get_shadow(in, keyframe);
  }
  record.told_before = in.varint();
  if (!(flags & kNotTold)) record.told = get_told(in, keyframe.time);
  if (in.failed() || in.remaining() != 0)
    return fail(ErrorKind::corrupt, "window of an index: it is malformed");
  return record;
}

Bytes encode_counts(std::span<const PathCount> counts) {
  ByteWriter out;
  out.varint(counts.size());
  uint32_t path = 0;
  for (const PathCount& count : counts) {
    out.varint(count.path - path);
    out.varint(count.count);
    path = count.path;
  }
  return squeeze(out.take());
}

Result<std::vector<PathCount>> decode_counts(ByteView bytes) {
  auto raw = unsqueeze(bytes, "path counts of an index");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  std::vector<PathCount> counts(in.count(2));
  uint64_t path = 0;
  for (PathCount& count : counts) {
    path += in.varint32();
    if (path > UINT32_MAX) in.fail();
    count.path = static_cast<uint32_t>(path);
    count.count = in.varint();
  }
  if (in.failed() || in.remaining() != 0)
    return fail(ErrorKind::corrupt, "path counts of an index: they are malformed");
  return counts;
}

}  // namespace vestige
