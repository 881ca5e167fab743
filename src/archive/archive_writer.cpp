#include "archive/archive_writer.h"

#include "base/check.h"

namespace vestige {

Result<void> ArchiveWriter::put(ByteView bytes) {
  if (Result<void> written = sink_.write(bytes); !written) return written;
  written_ += bytes.size();
  return {};
}

Result<void> ArchiveWriter::begin(const ArchiveHeader& header) {
  const Bytes bytes = header.encode();
  std::memcpy(&header_check_, bytes.data() + bytes.size() - sizeof header_check_,
              sizeof header_check_);
  chain_ = header_check_;
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

Result<void> ArchiveWriter::block(uint32_t rows, ByteView raw, ByteView payload, bool restarts) {
  VESTIGE_CHECK(restarts || records_ > 0);
  if (payload.size() > max_payload(raw.size()) || payload.size() > UINT32_MAX)
    return fail(ErrorKind::unsupported, "the codec made " + std::to_string(payload.size()) +
                                            " bytes of a block of " + std::to_string(raw.size()));
  if (restarts) {
    if (records_ > 0) chain_ = fold_numbers(chain_, total_);
    total_ = fold_numbers(header_check_, records_);
    directory_.sections.push_back({written_, records_});
  }
  total_ = fold_checksum(total_, raw);
  records_ += rows;
  return frame(restarts ? rows | kRestart : rows, payload);
}

Result<void> ArchiveWriter::end(ByteView tail) {
  if (records_ > 0) chain_ = fold_numbers(chain_, total_);
  total_ = fold_checksum(chain_, tail);
  directory_.end = written_;
  directory_.records = records_;
  ByteWriter payload;
  payload.u64(records_);
  payload.u64(total_);
  payload.bytes(tail);
  if (Result<void> ended = frame(0, payload.buffer()); !ended) return ended;
  return put(directory_.encode(written_));
}

}  // namespace vestige
