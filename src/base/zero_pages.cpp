#include "base/zero_pages.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace vestige {

ZeroPages::ZeroPages(size_t size) : size_(size) {
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<uint8_t*>(at);
}

ZeroPages::~ZeroPages() {
  if (data_) ::munmap(data_, size_);
}

void ZeroPages::clear() {
  if (::madvise(data_, size_, MADV_DONTNEED) != 0) std::memset(data_, 0, size_);
}

}  // namespace vestige
