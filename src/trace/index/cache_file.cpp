#include "trace/index/cache_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/checksum.h"
#include "trace/index/index_format.h"

namespace vestige {

using index_format::Header;

namespace {

std::unexpected<Error> refused(const char* what, const std::string& file) {
  return fail(ErrorKind::io,
              std::string("cannot ") + what + " " + file + ": " + std::strerror(errno));
}

std::string descriptor_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

// -1: the file system has none, or they could not be named later.
int open_nameless(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0 || ::access(descriptor_path(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

// As mkostemp makes them: a dot and six letters and digits.
std::string leftover_suffix(unsigned number) {
  std::string text = ".000000";
  unsigned left = static_cast<unsigned>(::getpid()) * 0x1000u + number;
  for (size_t i = 6; i > 0; --i, left /= 36)
    text[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[left % 36];
  return text;
}

// Files of builds that were killed. That of a build that goes on is locked.
void remove_leftovers(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string begin = path.filename().string() + ".";
  std::error_code failure;
  for (std::filesystem::directory_iterator
           at(path.has_parent_path() ? path.parent_path() : ".", failure),
       end;
       !failure && at != end; at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name.size() != begin.size() + 6 || !name.starts_with(begin)) continue;
    if (!std::all_of(name.begin() + static_cast<ptrdiff_t>(begin.size()), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; }))
      continue;
    const int descriptor = ::open(at->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(at->path().c_str());
    ::close(descriptor);
  }
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
  remove_leftovers(file);
  std::string temporary;
  int descriptor = open_nameless(file);
  while (descriptor < 0) {
    temporary = file + ".XXXXXX";
    const int named = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (named < 0) return refused("write", file);
    // Before it was locked somebody may have taken it for a leftover.
    struct stat status{};
    if (::flock(named, LOCK_EX | LOCK_NB) == 0 && ::fstat(named, &status) == 0 &&
        status.st_nlink > 0)
      descriptor = named;
    else
      ::close(named);
  }
  ::fchmod(descriptor, mode);
  return std::unique_ptr<CacheWriter>(new CacheWriter(file, std::move(temporary), descriptor));
}

CacheWriter::~CacheWriter() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Gives a nameless file its name.
Result<void> CacheWriter::put_in_place() {
  if (temporary_.empty()) {
    const std::string self = descriptor_path(descriptor_);
    const auto link = [&](const std::string& name) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(file_)) return {};
    // What is there is replaced; a name is needed for that.
    for (unsigned n = 0; temporary_.empty() && errno == EEXIST && n < 0x1000; ++n) {
      const std::string name = file_ + leftover_suffix(n);
      if (link(name)) temporary_ = name;
    }
    if (temporary_.empty()) return refused("write", file_);
  }
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) return refused("write", file_);
  temporary_.clear();
  return {};
}

Result<void> CacheWriter::write(ByteView bytes, uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return refused("write", file_);
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
    return refused("write", file_);
  if (auto placed = put_in_place(); !placed) return std::unexpected(std::move(placed.error()));
  return header.file_size;
}

}  // namespace vestige
