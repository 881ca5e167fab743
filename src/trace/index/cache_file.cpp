#include "trace/index/cache_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/checksum.h"
#include "trace/index/index_format.h"

namespace vestige {

using index_format::Header;

namespace {

std::unexpected<Error> refused(const char* what, const std::string& file) {
  return fail(ErrorKind::io,
              std::string("cannot ") + what + " " + file + ": " + std::strerror(errno));
}

}  // namespace

Result<CacheReader> CacheReader::open(const std::string& file, const CacheKind& kind,
                                      uint64_t identity) {
  CacheReader reader;
  reader.file_ = file;
  auto mapped = MappedFile::open(file);
  if (!mapped) return std::unexpected(std::move(mapped.error()));
  reader.mapped_ = std::move(*mapped);
  const ByteView bytes = reader.mapped_.bytes();
  const auto bad = [&](const char* how) {
    return fail(ErrorKind::corrupt, file + ": " + how + "; it is made anew when it is needed");
  };
  Header header;
  if (bytes.size() < sizeof header) return bad("is too short to be an index");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kind.magic, sizeof header.magic) != 0)
    return bad("is not an index");
  if (header.checksum != checksum(bytes.first(offsetof(Header, checksum))))
    return bad("its header is damaged");
  if (header.version != kind.version || header.reserved != 0) return bad("has another version");
  if (header.identity != identity) return bad("belongs to another trace");
  if (header.file_size != bytes.size() || header.table_offset > bytes.size() ||
      header.table_size > bytes.size() - header.table_offset)
    return bad("was cut");
  reader.table_ = bytes.subspan(header.table_offset, header.table_size);
  if (checksum(reader.table_) != header.table_checksum) return bad("its table is damaged");
  return reader;
}

Result<ByteView> CacheReader::piece(uint64_t offset, uint64_t size, uint64_t sum) const {
  const ByteView bytes = mapped_.bytes();
  if (offset > bytes.size() || size > bytes.size() - offset ||
      checksum(bytes.subspan(offset, size)) != sum)
    return fail(ErrorKind::corrupt,
                file_ + ": the bytes at " + std::to_string(offset) + " are damaged");
  return bytes.subspan(offset, size);
}

CacheWriter::CacheWriter(std::string file, std::string temporary, int descriptor)
    : file_(std::move(file)),
      temporary_(std::move(temporary)),
      descriptor_(descriptor),
      end_(sizeof(Header)) {}

Result<std::unique_ptr<CacheWriter>> CacheWriter::create(const std::string& file, unsigned mode) {
  std::string temporary = file + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return refused("write", file);
  ::fchmod(descriptor, mode);
  return std::unique_ptr<CacheWriter>(new CacheWriter(file, std::move(temporary), descriptor));
}

CacheWriter::~CacheWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> CacheWriter::write(ByteView bytes, uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return refused("write", temporary_);
    bytes = bytes.subspan(static_cast<size_t>(n));
    at += static_cast<uint64_t>(n);
  }
  return {};
}

Result<uint64_t> CacheWriter::append(ByteView piece) {
  uint64_t offset;
  {
    const std::lock_guard lock(mutex_);
    offset = end_;
    end_ += (piece.size() + 7) / 8 * 8;
  }
  if (auto written = write(piece, offset); !written) return std::unexpected(written.error());
  return offset;
}

Result<uint64_t> CacheWriter::finish(const CacheKind& kind, uint64_t identity, ByteView table) {
  Header header{};
  std::memcpy(header.magic, kind.magic, sizeof header.magic);
  header.version = kind.version;
  header.identity = identity;
  header.file_size = end_ + table.size();
  header.table_offset = end_;
  header.table_size = table.size();
  header.table_checksum = checksum(table);
  header.checksum =
      checksum({reinterpret_cast<const uint8_t*>(&header), offsetof(Header, checksum)});
  if (auto written = write(table, end_); !written) return std::unexpected(written.error());
  auto written = write({reinterpret_cast<const uint8_t*>(&header), sizeof header}, 0);
  if (!written) return std::unexpected(written.error());
  if (table.empty() && ::ftruncate(descriptor_, static_cast<off_t>(header.file_size)) != 0)
    return refused("write", temporary_);
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) return refused("write", file_);
  temporary_.clear();
  return header.file_size;
}

}  // namespace vestige
