// The module chunk: a program table. All of it is squeezed, since function records repeat types,
// files and names.
#include "base/squeeze.h"
#include "store/chunks.h"

namespace vestige {

Bytes ModuleChunk::encode() const {
  ByteWriter out;
  out.varint(index);
  out.string(name);
  out.varint(load_address);
  out.varint(first_path);
  out.varint(path_count);
  out.varint(functions.size());
  for (const Entry& function : functions) {
    out.varint(function.first_path - first_path);
    out.varint(function.record.size());
    out.bytes(function.record);
  }
  return squeeze(out.take());
}

Result<ModuleChunk> ModuleChunk::decode(ByteView payload) {
  auto raw = unsqueeze(payload, "module chunk");
  if (!raw) return std::unexpected(std::move(raw.error()));
  ByteReader in(*raw);
  ModuleChunk module;
  module.index = in.varint32();
  module.name = in.string();
  module.load_address = in.varint();
  module.first_path = in.varint32();
  module.path_count = in.varint32();
  const size_t n = in.count(2);
  bool outside = false;
  for (size_t i = 0; i < n && !in.failed(); ++i) {
    Entry entry;
    const uint64_t first = in.varint();
    outside |= first > module.path_count || first > UINT32_MAX - module.first_path;
    entry.first_path = module.first_path + static_cast<uint32_t>(first);
    const ByteView record = in.bytes(in.varint());
    entry.record.assign(record.begin(), record.end());
    module.functions.push_back(std::move(entry));
  }
  if (in.failed()) return fail(ErrorKind::corrupt, "module chunk: its payload is malformed");
  if (outside)
    return fail(ErrorKind::corrupt, "module chunk: a function's paths lie outside the module's");
  return module;
}

}  // namespace vestige
