// zstd's contexts, freed where their owner ends. Each belongs to one thread.
#pragma once

#include <zstd.h>

#include <memory>
#include <new>

namespace vestige {

struct FreeZstdContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using ZstdCompression = std::unique_ptr<ZSTD_CCtx, FreeZstdContext>;
using ZstdDecompression = std::unique_ptr<ZSTD_DCtx, FreeZstdContext>;

// Throw std::bad_alloc, as containers do.
inline ZstdCompression make_zstd_compression() {
  ZstdCompression context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  return context;
}
inline ZstdDecompression make_zstd_decompression() {
  ZstdDecompression context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  return context;
}

}  // namespace vestige
