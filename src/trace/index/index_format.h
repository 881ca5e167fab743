// The fixed part of the files of cache_file.h.
#pragma once

#include <cstdint>

namespace vestige::index_format {

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t reserved;  // 0
  uint64_t identity;
  uint64_t file_size;
  uint64_t table_offset;
  uint64_t table_size;
  uint64_t table_checksum;
  uint64_t checksum;  // of the bytes before it
};
static_assert(sizeof(Header) == 64);

}  // namespace vestige::index_format
