#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/checksum.h"
#include "store/squeeze.h"
#include "trace/index/index_file.h"
#include "trace/index/index_format.h"

namespace vestige {

using index_format::Header;

namespace {

std::unexpected<Error> refused(const char* what, const std::string& file) {
  return fail(ErrorKind::io,
              std::string("cannot ") + what + " " + file + ": " + std::strerror(errno));
}

}  // namespace

IndexWriter::IndexWriter(std::string file, std::string temporary, int descriptor, size_t threads)
    : file_(std::move(file)),
      temporary_(std::move(temporary)),
      descriptor_(descriptor),
      end_(sizeof(Header)),
      threads_(threads) {}

Result<std::unique_ptr<IndexWriter>> IndexWriter::create(const std::string& file, size_t threads,
                                                         unsigned mode) {
  std::string temporary = file + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return refused("write", file);
  ::fchmod(descriptor, mode);
  return std::unique_ptr<IndexWriter>(
      new IndexWriter(file, std::move(temporary), descriptor, threads));
}

IndexWriter::~IndexWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> IndexWriter::write(ByteView bytes, uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return refused("write", temporary_);
    bytes = bytes.subspan(static_cast<size_t>(n));
    at += static_cast<uint64_t>(n);
  }
  return {};
}

Result<void> IndexWriter::append(size_t thread, IndexedWindow window, ByteView bytes,
                                 ByteView counts) {
  window.size = bytes.size();
  window.counts_size = counts.size();
  window.checksum = checksum(bytes);
  window.counts_checksum = checksum(counts);
  {
    const std::lock_guard lock(mutex_);
    window.offset = end_;
    end_ += bytes.size() + counts.size();
  }
  threads_[thread].push_back(window);
  if (auto written = write(bytes, window.offset); !written) return written;
  return write(counts, window.offset + bytes.size());
}

Result<uint64_t> IndexWriter::finish(uint64_t identity, uint64_t window_statements) {
  ByteWriter out;
  out.varint(window_statements);
  out.varint(threads_.size());
  for (const auto& windows : threads_) {
    out.varint(windows.size());
    uint64_t end_time = 1, end_byte = 0;
    for (const IndexedWindow& window : windows) {
      const bool last = &window == &windows.back();
      const uint64_t paths = last ? 0 : window.last_time - window.first_time + 1;
      out.varint(window.first_time - end_time);
      out.varint(paths);
      out.varint(window.statements);
      out.u8(window.complete);
      out.varint(window.offset - end_byte);
      out.varint(window.size);
      out.varint(window.counts_size);
      out.u64(window.checksum);
      out.u64(window.counts_checksum);
      end_time = window.first_time + paths;
      end_byte = window.offset + window.size + window.counts_size;
    }
  }
  const Bytes table = squeeze(out.take());
  Header header{};
  std::memcpy(header.magic, index_format::kMagic, sizeof header.magic);
  header.version = kIndexVersion;
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
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) return refused("write", file_);
  temporary_.clear();
  return header.file_size;
}

}  // namespace vestige
