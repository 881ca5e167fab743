#include "exchange/import/cf/event_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "archive/codec_set.h"
#include "archive/decompression.h"
#include "base/spill_file.h"

namespace vestige::cf {
namespace {

constexpr size_t kPiece = 64 * 1024;  // events

Error system_error(const std::string& what) {
  return {ErrorKind::io, what + ": " + std::strerror(errno)};
}

class TemporaryFile final : public ByteSink {
 public:
  static Result<TemporaryFile> create() {
    const int fd = open_nameless_file();
    if (fd < 0)
      return std::unexpected(
          system_error("cannot create a temporary file (TMPDIR says where they go)"));
    return TemporaryFile(fd);
  }
  TemporaryFile(TemporaryFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~TemporaryFile() override {
    if (fd_ >= 0) ::close(fd_);
  }

  Result<void> write(ByteView bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0)
        return std::unexpected(
            system_error("cannot write a temporary file (TMPDIR says where they go)"));
      bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return {};
  }
  int descriptor() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  explicit TemporaryFile(int fd) : fd_(fd) {}
  int fd_;
};

// A file by its descriptor, from a place in it on.
class DescriptorSource final : public ByteSource {
 public:
  DescriptorSource(int fd, uint64_t at, uint64_t size, std::string name)
      : fd_(fd), at_(at), size_(size), name_(std::move(name)) {}
  Result<size_t> read(std::span<uint8_t> out) override {
    size_t got = 0;
    while (got < out.size()) {
      const ssize_t n =
          ::pread(fd_, out.data() + got, out.size() - got, static_cast<off_t>(at_ + got));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return std::unexpected(system_error("cannot read " + name_));
      if (n == 0) break;
      got += static_cast<size_t>(n);
    }
    at_ += got;
    return got;
  }
  uint64_t size() const override { return size_; }
  const std::string& name() const override { return name_; }

 private:
  int fd_;
  uint64_t at_, size_;
  std::string name_;
};

Result<uint64_t> copy(ByteSource& from, ByteSink& to) {
  Bytes piece(4 * kPiece);
  uint64_t total = 0;
  while (true) {
    const auto got = from.read(piece);
    if (!got) return std::unexpected(got.error());
    if (auto done = to.write(ByteView(piece).first(*got)); !done)
      return std::unexpected(done.error());
    total += *got;
    if (*got < piece.size()) return total;
  }
}

// The events of an archive. Records of other kinds than these are no control flow.
Result<uint64_t> unpack(ByteSource& from, ByteSink& to) {
  auto work = Decompression::open(from, {}, registered_codecs());
  if (!work) return std::unexpected(work.error());
  const auto report = work->run(to);
  if (!report) return std::unexpected(report.error());
  if (!report->problem.empty()) return fail(ErrorKind::corrupt, report->problem);
  for (const char* other : {"vpc", "refs", "u64"})
    if (report->format == other)
      return fail(ErrorKind::corrupt, from.name() + " holds records of format " + report->format +
                                          ", not control flow (cf)");
  return report->out;
}

}  // namespace

EventFile::EventFile(EventFile&& other) noexcept
    : name_(std::move(other.name_)),
      source_(std::move(other.source_)),
      fd_(std::exchange(other.fd_, -1)),
      own_(std::exchange(other.own_, false)),
      begin_(other.begin_),
      bytes_(other.bytes_) {}

EventFile::~EventFile() {
  if (own_) ::close(fd_);
}

Result<EventFile> EventFile::open(const std::string& in, const std::string& out) {
  auto source = FileSource::open(in);
  if (!source) return std::unexpected(source.error());
  if (auto apart = refuse_same_file(**source, out); !apart) return std::unexpected(apart.error());

  EventFile file;
  file.name_ = (*source)->name();
  file.fd_ = (*source)->descriptor();
  struct stat st{};
  if (::fstat(file.fd_, &st) == 0 && S_ISREG(st.st_mode)) {
    file.begin_ = static_cast<uint64_t>(std::max<off_t>(0, ::lseek(file.fd_, 0, SEEK_CUR)));
    file.bytes_ = (*source)->size();
    file.source_ = std::move(*source);
  } else {
    auto copied = TemporaryFile::create();
    if (!copied) return std::unexpected(copied.error());
    const auto bytes = copy(**source, *copied);
    if (!bytes) return std::unexpected(bytes.error());
    file.fd_ = copied->release();
    file.own_ = true;
    file.bytes_ = *bytes;
  }

  uint8_t magic[sizeof kArchiveMagic] = {};
  DescriptorSource head(file.fd_, file.begin_, file.bytes_, file.name_);
  if (auto got = head.read(magic); !got) return std::unexpected(got.error());
  if (std::ranges::equal(magic, kArchiveMagic)) {
    auto unpacked = TemporaryFile::create();
    if (!unpacked) return std::unexpected(unpacked.error());
    DescriptorSource packed(file.fd_, file.begin_, file.bytes_, file.name_);
    const auto bytes = unpack(packed, *unpacked);
    if (!bytes) return std::unexpected(bytes.error());
    if (file.own_) ::close(file.fd_);
    file.source_.reset();
    file.fd_ = unpacked->release();
    file.own_ = true;
    file.begin_ = 0;
    file.bytes_ = *bytes;
  }
  if (file.bytes_ % 4 != 0) {
    return fail(ErrorKind::corrupt, file.name_ + " has " + std::to_string(file.bytes_) +
                                        " bytes, which is no whole number of u32 events; it is cut "
                                        "short, or no trace of control flow");
  }
  return file;
}

std::unexpected<Error> EventFile::wrong(uint64_t at, const std::string& what) const {
  return fail(ErrorKind::corrupt, name_ + ": event " + std::to_string(at + 1) + " (byte " +
                                      std::to_string(4 * at) + "): " + what);
}

Result<void> EventFile::each(const Use& use) const {
  DescriptorSource source(fd_, begin_, bytes_, name_);
  std::vector<uint32_t> piece(kPiece);
  for (uint64_t first = 0; first < events();) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(kPiece, events() - first));
    const auto got = source.read({reinterpret_cast<uint8_t*>(piece.data()), 4 * wanted});
    if (!got) return std::unexpected(got.error());
    if (*got != 4 * wanted) return fail(ErrorKind::io, name_ + " became shorter while it was read");
    for (size_t i = 0; i < wanted; ++i) {
      if (piece[i] <= kExit) continue;
      char text[16];
      std::snprintf(text, sizeof text, "0x%08x", piece[i]);
      return wrong(first + i,
                   std::string(text) +
                       " is no event; events are blocks and entries (below 0x80000000) and "
                       "exits (0x80000000)");
    }
    if (auto done = use({piece.data(), wanted}, first); !done) return done;
    first += wanted;
  }
  return {};
}

}  // namespace vestige::cf
