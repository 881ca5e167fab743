#include "archive/archive_reader.h"

#include <cstring>

namespace vestige {
namespace {

constexpr size_t kFrameHead = 8;    // rows, size
constexpr size_t kFrameChecks = 8;  // frame check, raw check
constexpr size_t kTrailerFields = 16;
constexpr size_t kStep = 1 << 20;

template <class T>
T load(const Bytes& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::unexpected<Error> ArchiveReader::damaged(const std::string& what) const {
  return fail(ErrorKind::corrupt,
              source_.name() + " is damaged at byte " + std::to_string(frame_at_) + ": " + what);
}

Result<void> ArchiveReader::append(uint64_t n) {
  while (n > 0) {
    const size_t size = frame_.size(), step = std::min<uint64_t>(n, kStep);
    frame_.resize(size + step);
    const Result<size_t> got = source_.read(std::span(frame_).subspan(size));
    if (!got) return std::unexpected(got.error());
    read_ += *got;
    if (*got < step)
      return fail(
          ErrorKind::corrupt,
          source_.name() + " is cut short: it ends at byte " + std::to_string(read_) +
              (read_ == frame_at_ ? ", where more should begin"
                                  : ", inside what begins at byte " + std::to_string(frame_at_)));
    n -= step;
  }
  return {};
}

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(ByteSource& source) {
  std::unique_ptr<ArchiveReader> reader(new ArchiveReader(source));
  if (Result<void> read = reader->read_header(); !read) return std::unexpected(read.error());
  return reader;
}

Result<void> ArchiveReader::read_header() {
  const auto refuse = [&](ErrorKind kind, const std::string& why) {
    return fail(kind, source_.name() + " " + why);
  };
  if (Result<void> read = append(kArchivePrefix); !read) {
    if (read.error().kind != ErrorKind::corrupt) return read;
    if (read_ == 0)
      return refuse(ErrorKind::corrupt, "is empty; vestige compress never makes an empty file");
    const size_t seen = std::min<size_t>(read_, sizeof kArchiveMagic);
    if (std::memcmp(frame_.data(), kArchiveMagic, seen) == 0) return read;
  }
  if (std::memcmp(frame_.data(), kArchiveMagic, sizeof kArchiveMagic) != 0)
    return refuse(ErrorKind::corrupt, "is not a file that vestige compress made");
  const uint16_t major = load<uint16_t>(frame_, 8);
  if (major < 1 || major > kArchiveMajor)
    return refuse(ErrorKind::unsupported, "is of version " + std::to_string(major) +
                                              "; this vestige reads versions 1 to " +
                                              std::to_string(kArchiveMajor));
  const uint32_t size = load<uint32_t>(frame_, 12);
  if (size > kMaxDescription) return damaged("the header has an impossible size");
  if (Result<void> read = append(uint64_t{size} + sizeof(uint64_t)); !read) return read;
  const size_t end = kArchivePrefix + size;
  total_ = load<uint64_t>(frame_, end);
  if (total_ != checksum(ByteView(frame_).first(end)))
    return damaged("the header's checksum does not match");
  chain_ = header_check_ = total_;
  header_bytes_ = read_;
  auto header =
      ArchiveHeader::decode_description(ByteView(frame_).subspan(kArchivePrefix, size), major);
  if (!header) return damaged(header.error().message);
  header_ = std::move(*header);
  return {};
}

std::unique_ptr<ArchiveReader> ArchiveReader::resume(ByteSource& source,
                                                     const ArchiveReader& opened,
                                                     const ArchiveSection& section) {
  std::unique_ptr<ArchiveReader> reader(new ArchiveReader(source));
  reader->header_ = opened.header_;
  reader->header_bytes_ = opened.header_bytes_;
  reader->header_check_ = reader->total_ = opened.header_check_;
  reader->chain_ = opened.header_check_;
  reader->frame_at_ = reader->read_ = section.at;
  reader->records_ = section.first;
  return reader;
}

std::unique_ptr<ArchiveReader> ArchiveReader::resume_at_trailer(ByteSource& source,
                                                                const ArchiveReader& opened,
                                                                ArchiveDirectory passed,
                                                                uint64_t chain) {
  auto reader = resume(source, opened, {passed.end, passed.records});
  reader->chain_ = chain;
  reader->passed_ = std::move(passed);
  return reader;
}

Result<ArchiveReader::Frame> ArchiveReader::next() {
  frame_at_ = read_;
  frame_.clear();
  if (Result<void> read = append(kFrameHead); !read) return std::unexpected(read.error());
  rows_ = load<uint32_t>(frame_, 0);
  const bool restarts = has_sections() ? rows_ & kRestart : !in_section_;
  if (has_sections()) rows_ &= ~kRestart;
  const uint32_t size = load<uint32_t>(frame_, 4);
  const uint64_t row_bytes = header_.layout.width();
  if (rows_ > header_.block_rows || (rows_ > 0 && size > max_payload(rows_ * row_bytes)) ||
      (rows_ == 0 && (size < kTrailerFields || size >= kTrailerFields + row_bytes)))
    return damaged("a block has an impossible size");
  if (Result<void> read = append(size + kFrameChecks); !read) return std::unexpected(read.error());
  const size_t end = kFrameHead + size;
  raw_check_ = load<uint32_t>(frame_, end + 4);
  if (load<uint32_t>(frame_, end) != static_cast<uint32_t>(checksum(ByteView(frame_).first(end))))
    return damaged("the block's checksum does not match");
  const ByteView payload = ByteView(frame_).subspan(kFrameHead, size);
  if (rows_ == 0) return trailer(payload);
  if (!restarts && !in_section_) return damaged("the first block goes on from another");
  if (has_sections() && restarts) {
    if (in_section_) chain_ = fold_numbers(chain_, total_);
    total_ = fold_numbers(header_check_, records_);
    passed_.sections.push_back({frame_at_, records_});
    section_first_ = records_;
  }
  in_section_ = true;
  records_ += rows_;
  return Frame{rows_, restarts, payload};
}

Result<ArchiveReader::Frame> ArchiveReader::trailer(ByteView payload) {
  ByteReader in(payload);
  const uint64_t records = in.u64();
  final_total_ = in.u64();
  if (records != records_)
    return damaged("it counts " + std::to_string(records) + " records, and there are " +
                   std::to_string(records_));
  if (has_sections()) {
    if (in_section_) chain_ = fold_numbers(chain_, total_);
    total_ = chain_;
    passed_.end = frame_at_;
    passed_.records = records_;
  }
  return Frame{0, false, in.bytes(in.remaining())};
}

Result<void> ArchiveReader::confirm(ByteView raw) {
  total_ = fold_checksum(total_, raw);
  if (raw_check_ != static_cast<uint32_t>(total_) || (rows_ == 0 && final_total_ != total_))
    return damaged("what came out is not what went in");
  return {};
}

Result<void> ArchiveReader::expect_directory() {
  frame_at_ = read_;
  const Bytes expected = passed_.encode(read_);
  frame_.clear();
  if (Result<void> read = append(expected.size()); !read) return read;
  if (frame_ != expected) return damaged("the directory does not fit the blocks");
  return {};
}

Result<void> ArchiveReader::expect_end() {
  if (has_sections())
    if (Result<void> directory = expect_directory(); !directory) return directory;
  uint8_t more;
  const Result<size_t> got = source_.read({&more, 1});
  if (!got) return std::unexpected(got.error());
  if (*got == 0) return {};
  frame_at_ = read_;
  return damaged("something follows the end of the compressed trace");
}

}  // namespace vestige
