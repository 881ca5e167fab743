#include "archive/file_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace vestige {
namespace {

Error system_error(const std::string& what) {
  return {ErrorKind::io, what + ": " + std::strerror(errno)};
}

std::string proc_name(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  std::unique_ptr<FileSource> file(new FileSource);
  if (path == "-") {
    file->name_ = "standard input";
    file->fd_ = STDIN_FILENO;
  } else {
    file->name_ = path;
    file->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file->fd_ < 0) return std::unexpected(system_error("cannot open " + path));
  }
  struct stat st{};
  if (::fstat(file->fd_, &st) == 0) {
    if (S_ISDIR(st.st_mode)) return fail(ErrorKind::io, file->name_ + " is a directory");
    // A redirected standard input may stand anywhere in its file.
    const off_t at = S_ISREG(st.st_mode) ? ::lseek(file->fd_, 0, SEEK_CUR) : 0;
    if (S_ISREG(st.st_mode) && at >= 0) {
      file->regular_ = true;
      file->begin_ = static_cast<uint64_t>(at);
      if (at < st.st_size) file->size_ = static_cast<uint64_t>(st.st_size - at);
    }
    ::posix_fadvise(file->fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  return file;
}

FileSource::~FileSource() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

Result<size_t> FileSource::read(std::span<uint8_t> out) {
  size_t got = 0;
  while (got < out.size()) {
    const ssize_t n = ::read(fd_, out.data() + got, out.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(system_error("cannot read " + name_));
    if (n == 0) break;
    got += static_cast<size_t>(n);
  }
  return got;
}

namespace {

// The same file again, by positions: it moves nobody else's.
class FilePart final : public ByteSource {
 public:
  FilePart(int fd, uint64_t at, uint64_t size, const std::string& name)
      : fd_(fd), at_(at), size_(size), name_(name) {}
  Result<size_t> read(std::span<uint8_t> out) override {
    size_t got = 0;
    while (got < out.size()) {
      const ssize_t n = ::pread(fd_, out.data() + got, out.size() - got, static_cast<off_t>(at_));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return std::unexpected(system_error("cannot read " + name_));
      if (n == 0) break;
      got += static_cast<size_t>(n);
      at_ += static_cast<uint64_t>(n);
    }
    return got;
  }
  uint64_t size() const override { return size_; }
  const std::string& name() const override { return name_; }

 private:
  const int fd_;
  uint64_t at_;
  const uint64_t size_;
  const std::string& name_;
};

}  // namespace

std::unique_ptr<ByteSource> FileSource::from(uint64_t at) const {
  if (!regular_) return nullptr;
  return std::make_unique<FilePart>(fd_, begin_ + at, size_ - std::min(at, size_), name_);
}

Error FileSink::refused(const char* what) const {
  return system_error("cannot " + std::string(what) + " " + name_);
}

Result<std::unique_ptr<FileSink>> FileSink::open(const std::string& path) {
  std::unique_ptr<FileSink> file(new FileSink);
  if (path == "-") {
    file->name_ = "standard output";
    file->fd_ = STDOUT_FILENO;
    return file;
  }
  file->name_ = path;
  struct stat st{};
  const bool exists = ::stat(path.c_str(), &st) == 0;
  if (exists && !S_ISREG(st.st_mode)) {
    file->fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file->fd_ < 0) return std::unexpected(file->refused("write"));
    return file;
  }
  file->target_ = path;
  if (exists) {
    if (::access(path.c_str(), W_OK) != 0) return std::unexpected(file->refused("write"));
    // Through links, so that what they point to is replaced and not the link.
    if (char* real = ::realpath(path.c_str(), nullptr)) {
      file->target_ = real;
      std::free(real);
    }
  }
  if (Result<void> opened = file->open_beside(); !opened) return std::unexpected(opened.error());
  if (exists) (void)::fchmod(file->fd_, st.st_mode & 07777);
  return file;
}

Result<void> FileSink::open_beside() {
  const size_t slash = target_.rfind('/');
  const std::string folder = slash == target_.npos ? "." : target_.substr(0, slash + 1);
  fd_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  // A nameless file gets its name through /proc.
  if (fd_ >= 0 && ::access(proc_name(fd_).c_str(), F_OK) == 0) return {};
  if (fd_ >= 0) ::close(fd_);
  beside_ = target_ + ".part" + std::to_string(::getpid());
  fd_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ >= 0) return {};
  beside_.clear();
  return std::unexpected(refused("write"));
}

FileSink::~FileSink() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

Result<void> FileSink::write(ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return std::unexpected(refused("write"));
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return {};
}

Result<void> FileSink::finish() {
  if (!target_.empty() && beside_.empty()) {
    // linkat replaces nothing, rename does: two steps.
    std::string name = target_ + ".part" + std::to_string(::getpid());
    if (::linkat(AT_FDCWD, proc_name(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
      return std::unexpected(refused("write"));
    beside_ = std::move(name);
  }
  if (fd_ > STDERR_FILENO) {
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0 && errno != EINTR) return std::unexpected(refused("write"));
  }
  if (!target_.empty() && ::rename(beside_.c_str(), target_.c_str()) != 0)
    return std::unexpected(refused("write"));
  beside_.clear();
  return {};
}

Result<void> refuse_same_file(const FileSource& in, const std::string& out) {
  struct stat a{}, b{};
  const bool known = ::fstat(in.descriptor(), &a) == 0 && S_ISREG(a.st_mode) &&
                     (out == "-" ? ::fstat(STDOUT_FILENO, &b) : ::stat(out.c_str(), &b)) == 0;
  if (known && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    return fail(ErrorKind::usage, in.name() + " would overwrite itself; give another output name");
  return {};
}

}  // namespace vestige
