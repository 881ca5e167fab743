// Random values for every kind of chunk.
#pragma once

#include <random>

#include "store/chunks.h"
#include "store/sync_rows.h"

namespace vestige::test {

class RandomChunks {
 public:
  explicit RandomChunks(uint64_t seed) : random_(seed) {}

  // Numbers of all magnitudes, not just large ones.
  uint64_t number(uint64_t most = UINT64_MAX) {
    const uint64_t v = random_() >> (random_() % 64);
    return most == UINT64_MAX ? v : v % (most + 1);
  }
  uint32_t number32() { return static_cast<uint32_t>(number(UINT32_MAX)); }
  uint32_t index() {
    return random_() % 4 == 0 ? kNone : static_cast<uint32_t>(number(UINT32_MAX - 1));
  }
  bool coin() { return random_() % 2; }
  std::string text() {
    std::string s(number(20), 'x');
    for (char& c : s) c = static_cast<char>(random_());
    return s;
  }
  Bytes bytes(size_t most) {
    Bytes b(number(most));
    for (uint8_t& byte : b) byte = static_cast<uint8_t>(random_());
    return b;
  }
  MetaChunk meta() {
    MetaChunk c;
    for (uint64_t n = number(8); n > 0; --n) c.entries.emplace_back(text(), text());
    return c;
  }
  ProcessChunk process() {
    ProcessChunk c{number32(), number32(), number32(), index(), text(), {}};
    for (uint64_t n = number(5); n > 0; --n) c.arguments.push_back(text());
    return c;
  }
  ModuleChunk module() {
    ModuleChunk c;
    c.index = number32();
    c.name = text();
    c.load_address = number();
    c.first_path = static_cast<uint32_t>(number(1 << 30));
    c.path_count = static_cast<uint32_t>(number(1 << 30));
    for (uint64_t n = number(8); n > 0; --n)
      c.functions.push_back(
          {c.first_path + static_cast<uint32_t>(number(c.path_count)), bytes(200)});
    return c;
  }
  ThreadChunk thread() {
    return {number32(), number32(),
            number32(), coin() ? format::ThreadKind::handler : format::ThreadKind::thread,
            index(),    number()};
  }
  EndChunk end() {
    return {coin(), number32(), static_cast<format::EndReason>(number(4)),
            static_cast<int32_t>(number32()), number()};
  }
  StackChange change() {
    StackChange c;
    c.keep = number();
    for (uint64_t n = number(40); n > 0; --n) c.frames.push_back({number32(), number()});
    return c;
  }
  Event event(uint64_t& time) {
    Event e;
    e.kind = static_cast<format::EventKind>(1 + number(10));
    e.time = time += number(100);
    if (e.kind == format::EventKind::resync) {
      e.reason = static_cast<format::ResyncReason>(number(1));
      e.stack = change();
    } else {
      for (uint64_t n = number(25); n > 0; --n) e.numbers.push_back(number());
    }
    return e;
  }
  ControlChunk control() {
    ControlChunk c;
    c.thread = number32();
    c.first_time = 1 + number(uint64_t{1} << 60);
    c.path_count = number(uint64_t{1} << 60);
    c.stack = change();
    uint64_t time = c.first_time;
    for (uint64_t n = number(20); n > 0; --n) c.events.push_back(event(time));
    c.codec = coin() ? WordCodec::packed : WordCodec::context;
    c.words = bytes(300);
    return c;
  }
  std::vector<SyncRow> sync_rows(uint64_t most) {
    std::vector<SyncRow> rows;
    uint64_t time = number(1 << 20), stamp = 0;
    const std::vector<uint64_t> objects = {number(), number(), number(), 0};
    for (uint64_t n = number(most); n > 0; --n) {
      SyncRow row;
      row.kind = static_cast<SyncKind>(1 + number(21));
      if (number(4) == 0) row.kind = static_cast<SyncKind>(32 + number(4));
      row.result = number(3) == 0 ? static_cast<uint32_t>(number(0xffffff)) : 0;
      row.time = time += number(3);
      row.stamp = stamp += 1 + number(100);
      row.object = number(5) == 0 ? number() : objects[number(3)];
      if (has_other(row.kind, row.result)) row.other = number();
      rows.push_back(row);
    }
    return rows;
  }
  SyncChunk sync() {
    SyncChunk c;
    c.thread = number32();
    c.first = number(uint64_t{1} << 60);
    SyncRowsEncoder rows;
    for (const SyncRow& row : sync_rows(200)) rows.append(row), c.last_time = row.time;
    c.count = rows.count();
    c.atomics = rows.atomics();
    c.rows = rows.finish();
    return c;
  }
  DirectoryChunk directory() {
    DirectoryChunk d;
    uint64_t offset = 64;
    for (uint64_t n = number(30); n > 0; --n) {
      DirectoryChunk::Row row;
      row.kind = static_cast<format::ChunkKind>(1 + number(7));
      row.offset = offset += number(1 << 20);
      row.payload_size = number();
      if (row.kind == format::ChunkKind::control) {
        row.thread = number32();
        row.first_time = number();
        row.path_count = number();
        row.stack_bytes = number();
        row.event_bytes = number();
        row.word_bytes = number();
      }
      d.rows.push_back(row);
    }
    return d;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace vestige::test
