#include "archive/archive_writer.h"

namespace vestige {

Result<void> ArchiveWriter::put(ByteView bytes) {
  if (Result<void> written = sink_.write(bytes); !written) return written;
  written_ += bytes.size();
  return {};
}

Result<void> ArchiveWriter::begin(const ArchiveHeader& header) {
  const Bytes bytes = header.encode();
  std::memcpy(&total_, bytes.data() + bytes.size() - sizeof total_, sizeof total_);
  return put(bytes);
}

Result<void> ArchiveWriter::frame(uint32_t rows, ByteView payload) {
  frame_.buffer().clear();
  frame_.u32(rows);
  frame_.u32(static_cast<uint32_t>(payload.size()));
  frame_.bytes(payload);
  frame_.u32(static_cast<uint32_t>(checksum(frame_.buffer())));
  frame_.u32(static_cast<uint32_t>(total_));
  return put(frame_.buffer());
}

Result<void> ArchiveWriter::block(uint32_t rows, ByteView raw, ByteView payload) {
  if (payload.size() > max_payload(raw.size()) || payload.size() > UINT32_MAX)
    return fail(ErrorKind::unsupported, "the codec made " + std::to_string(payload.size()) +
                                            " bytes of a block of " + std::to_string(raw.size()));
  total_ = fold_checksum(total_, raw);
  records_ += rows;
  return frame(rows, payload);
}

Result<void> ArchiveWriter::end(ByteView tail) {
  total_ = fold_checksum(total_, tail);
  ByteWriter payload;
  payload.u64(records_);
  payload.u64(total_);
  payload.bytes(tail);
  return frame(0, payload.buffer());
}

}  // namespace vestige
