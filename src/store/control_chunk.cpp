// The control chunk: a stretch of one thread's paths in three sections.
//
//     payload := varint thread, varint first time, varint path count, u8 codec,
//                varint stack size, varint event size, stack, events, words
//     stack   := squeezed(change, svarint depth*)   of blocks 1, 2 …, each minus the one before
//     events  := squeezed(varint count, event*)     empty when there are none
//     words   := what the codec's finish() gave
#include "base/squeeze.h"
#include "store/chunks.h"

namespace vestige {

namespace {

using format::EventKind;

// A chunk holds at most this many events, so that a small file cannot ask for much memory.
constexpr uint64_t kMaxEvents = uint64_t{1} << 20;

void put_change(ByteWriter& out, const StackChange& change) {
  out.varint(change.keep);
  out.varint(change.frames.size());
  Frame before;
  for (const Frame& frame : change.frames) {
    out.svarint(static_cast<int64_t>(frame.path) - before.path);
    out.svarint(static_cast<int64_t>(frame.time - before.time));
    before = frame;
  }
}

StackChange get_change(ByteReader& in) {
  StackChange change;
  change.keep = in.varint();
  const size_t n = in.count(2);
  change.frames.reserve(n);
  Frame frame;
  for (size_t i = 0; i < n && !in.failed(); ++i) {
    const uint64_t path = frame.path + static_cast<uint64_t>(in.svarint());
    if (path > UINT32_MAX) in.fail();
    frame.path = static_cast<uint32_t>(path);
    frame.time += static_cast<uint64_t>(in.svarint());
    change.frames.push_back(frame);
  }
  return change;
}

Bytes encode_events(const std::vector<Event>& events) {
  ByteWriter out;
  out.varint(events.size());
  uint64_t before = 0;
  for (const Event& event : events) {
    out.u8(static_cast<uint8_t>(event.kind));
    out.varint(event.time - before);
    before = event.time;
    if (event.kind == EventKind::resync) {
      out.u8(static_cast<uint8_t>(event.reason));
      put_change(out, event.stack);
    } else {
      out.varint(event.numbers.size());
      for (const uint64_t number : event.numbers) out.varint(number);
    }
  }
  return squeeze(out.take());
}

}  // namespace

Result<StackSection> decode_stack(ByteView section) {
  auto raw = unsqueeze(section, "control chunk, stack section");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  StackSection stack;
  stack.change = get_change(in);
  uint64_t depth = 0;
  while (in.remaining() > 0 && !in.failed())
    stack.depths.push_back(depth += static_cast<uint64_t>(in.svarint()));
  if (in.failed()) return fail(ErrorKind::corrupt, "control chunk: its stack section is malformed");
  return stack;
}

Result<std::vector<Event>> decode_events(ByteView section) {
  std::vector<Event> events;
  if (section.empty()) return events;
  auto raw = unsqueeze(section, "control chunk, event section");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  const size_t n = in.count(3);
  if (n > kMaxEvents) in.fail();
  uint64_t time = 0;
  for (size_t i = 0; i < n && !in.failed(); ++i) {
    Event event;
    event.kind = static_cast<EventKind>(in.u8());
    time += in.varint();
    event.time = time;
    if (event.kind == EventKind::resync) {
      const uint8_t reason = in.u8();
      if (reason > 2) in.fail();
      event.reason = static_cast<format::ResyncReason>(reason);
      event.stack = get_change(in);
    } else {
      for (size_t k = in.count(); k > 0 && !in.failed(); --k) event.numbers.push_back(in.varint());
    }
    events.push_back(std::move(event));
  }
  if (in.failed()) return fail(ErrorKind::corrupt, "control chunk: its event section is malformed");
  return events;
}

Bytes ControlChunk::encode() const {
  ByteWriter change;
  put_change(change, stack);
  uint64_t before = 0;
  for (const uint64_t depth : depths) {
    change.svarint(static_cast<int64_t>(depth - before));
    before = depth;
  }
  const Bytes stack_section = squeeze(change.take());
  const Bytes event_section = events.empty() ? Bytes{} : encode_events(events);
  ByteWriter out;
  out.buffer().reserve(64 + stack_section.size() + event_section.size() + words.size());
  out.varint(thread);
  out.varint(first_time);
  out.varint(path_count);
  out.u8(static_cast<uint8_t>(codec));
  out.varint(stack_section.size());
  out.varint(event_section.size());
  out.bytes(stack_section);
  out.bytes(event_section);
  out.bytes(words);
  return out.take();
}

Result<ControlChunk::View> ControlChunk::view(ByteView payload) {
  ByteReader in(payload);
  View view;
  view.thread = in.varint32();
  view.first_time = in.varint();
  view.path_count = in.varint();
  view.codec = static_cast<WordCodec>(in.u8());
  const uint64_t stack_size = in.varint();
  const uint64_t event_size = in.varint();
  view.stack = in.bytes(stack_size);
  view.events = in.bytes(event_size);
  view.words = in.bytes(in.remaining());
  // Times are 64 bits with room to add: a count that wraps is damage, not a long run.
  const bool wraps = view.first_time == 0 || view.path_count > INT64_MAX ||
                     view.first_time > static_cast<uint64_t>(INT64_MAX) - view.path_count;
  if (in.failed() || wraps)
    return fail(ErrorKind::corrupt, "control chunk: its payload is malformed");
  return view;
}

Result<ControlChunk> ControlChunk::decode(ByteView payload) {
  auto view = ControlChunk::view(payload);
  if (!view) return std::unexpected(std::move(view.error()));
  auto stack = decode_stack(view->stack);
  if (!stack) return std::unexpected(std::move(stack.error()));
  auto events = decode_events(view->events);
  if (!events) return std::unexpected(std::move(events.error()));
  ControlChunk chunk;
  chunk.thread = view->thread;
  chunk.first_time = view->first_time;
  chunk.path_count = view->path_count;
  chunk.codec = view->codec;
  chunk.stack = std::move(stack->change);
  chunk.depths = std::move(stack->depths);
  chunk.events = std::move(*events);
  chunk.words.assign(view->words.begin(), view->words.end());
  return chunk;
}

}  // namespace vestige
