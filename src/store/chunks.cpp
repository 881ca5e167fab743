// The small chunks: meta, process, thread, end; and the directory.
//
// Decoders ignore bytes behind the last field they know: that is how a minor version adds fields.
#include "store/chunks.h"

#include "base/squeeze.h"

namespace vestige {

namespace {

// An index that may be absent is stored plus one, 0 meaning absent.
void optional_index(ByteWriter& out, uint32_t index) {
  out.varint(index == kNone ? 0 : uint64_t{index} + 1);
}
uint32_t optional_index(ByteReader& in) {
  const uint64_t v = in.varint();
  if (v > kNone) in.fail();
  return v == 0 || in.failed() ? kNone : static_cast<uint32_t>(v - 1);
}

std::unexpected<Error> cut_short(const char* kind) {
  return fail(ErrorKind::corrupt, std::string(kind) + " chunk: its payload is malformed");
}

}  // namespace

Bytes MetaChunk::encode() const {
  ByteWriter out;
  out.varint(entries.size());
  for (const auto& [key, value] : entries) {
    out.string(key);
    out.string(value);
  }
  return out.take();
}

Result<MetaChunk> MetaChunk::decode(ByteView payload) {
  ByteReader in(payload);
  MetaChunk meta;
  for (size_t n = in.count(2); n > 0; --n) {
    std::string key = in.string();
    meta.entries.emplace_back(std::move(key), in.string());
  }
  if (in.failed()) return cut_short("meta");
  return meta;
}

Bytes ProcessChunk::encode() const {
  ByteWriter out;
  out.varint(index);
  out.varint(pid);
  out.varint(parent_pid);
  optional_index(out, forked_from);
  out.string(executable);
  out.varint(arguments.size());
  for (const std::string& argument : arguments) out.string(argument);
  return out.take();
}

Result<ProcessChunk> ProcessChunk::decode(ByteView payload) {
  ByteReader in(payload);
  ProcessChunk process;
  process.index = in.varint32();
  process.pid = in.varint32();
  process.parent_pid = in.varint32();
  process.forked_from = optional_index(in);
  process.executable = in.string();
  for (size_t n = in.count(); n > 0; --n) process.arguments.push_back(in.string());
  if (in.failed()) return cut_short("process");
  return process;
}

Bytes ThreadChunk::encode() const {
  ByteWriter out;
  out.varint(index);
  out.varint(process);
  out.varint(tid);
  out.u8(static_cast<uint8_t>(kind));
  optional_index(out, parent);
  out.varint(parent_time);
  if (handle != 0) out.varint(handle);
  return out.take();
}

Result<ThreadChunk> ThreadChunk::decode(ByteView payload) {
  ByteReader in(payload);
  ThreadChunk thread;
  thread.index = in.varint32();
  thread.process = in.varint32();
  thread.tid = in.varint32();
  const uint8_t kind = in.u8();
  thread.kind = static_cast<format::ThreadKind>(kind);
  thread.parent = optional_index(in);
  thread.parent_time = in.varint();
  if (in.remaining() != 0) thread.handle = in.varint();
  if (in.failed() || kind > 1) return cut_short("thread");
  return thread;
}

Bytes EndChunk::encode() const {
  ByteWriter out;
  out.u8(is_process ? 1 : 0);
  out.varint(index);
  out.u8(static_cast<uint8_t>(reason));
  out.svarint(status);
  out.varint(paths);
  return out.take();
}

Result<EndChunk> EndChunk::decode(ByteView payload) {
  ByteReader in(payload);
  EndChunk end;
  const uint8_t is_process = in.u8();
  end.is_process = is_process == 1;
  end.index = in.varint32();
  const uint8_t reason = in.u8();
  end.reason = static_cast<format::EndReason>(reason);
  const int64_t status = in.svarint();
  end.status = static_cast<int32_t>(status);
  end.paths = in.varint();
  if (in.failed() || is_process > 1 || reason > 4 || status != end.status) return cut_short("end");
  return end;
}

Bytes DirectoryChunk::encode() const {
  ByteWriter out;
  out.varint(rows.size());
  uint64_t before = 0;
  for (const Row& row : rows) {
    out.varint(static_cast<uint16_t>(row.kind));
    out.varint(row.offset - before);
    before = row.offset;
    out.varint(row.payload_size);
    if (row.kind != format::ChunkKind::control) continue;
    out.varint(row.thread);
    out.varint(row.first_time);
    out.varint(row.path_count);
    out.varint(row.stack_bytes);
    out.varint(row.event_bytes);
    out.varint(row.word_bytes);
  }
  return squeeze(out.take());
}

Result<DirectoryChunk> DirectoryChunk::decode(ByteView payload) {
  auto raw = unsqueeze(payload, "directory chunk");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  DirectoryChunk directory;
  const size_t n = in.count(3);
  uint64_t before = 0;
  for (size_t i = 0; i < n && !in.failed(); ++i) {
    Row row;
    const uint64_t kind = in.varint();
    if (kind > UINT16_MAX) in.fail();
    row.kind = static_cast<format::ChunkKind>(kind);
    row.offset = before + in.varint();
    if (row.offset < before) in.fail();
    before = row.offset;
    row.payload_size = in.varint();
    if (row.kind == format::ChunkKind::control) {
      row.thread = in.varint32();
      row.first_time = in.varint();
      row.path_count = in.varint();
      row.stack_bytes = in.varint();
      row.event_bytes = in.varint();
      row.word_bytes = in.varint();
    }
    directory.rows.push_back(row);
  }
  if (in.failed()) return cut_short("directory");
  return directory;
}

}  // namespace vestige
