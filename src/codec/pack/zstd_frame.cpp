#include "codec/pack/zstd_frame.h"

#include <zstd.h>

#include <memory>

namespace vestige {

namespace {

struct Free {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

Bytes zstd_compress(ByteView raw, ByteView prefix) {
  thread_local const auto context = [] {
    std::unique_ptr<ZSTD_CCtx, Free> fresh(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(fresh.get(), ZSTD_c_compressionLevel, kZstdLevel);
    // Every reader here knows the raw size.
    ZSTD_CCtx_setParameter(fresh.get(), ZSTD_c_contentSizeFlag, 0);
    return fresh;
  }();
  // Also takes back the prefix of the call before.
  ZSTD_CCtx_refPrefix(context.get(), prefix.data(), prefix.size());
  Bytes out(ZSTD_compressBound(raw.size()));
  const size_t n = ZSTD_compress2(context.get(), out.data(), out.size(), raw.data(), raw.size());
  out.resize(n);  // compressBound was given: it cannot fail
  return out;
}

bool zstd_decompress(ByteView frame, std::span<uint8_t> out, ByteView prefix) {
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  ZSTD_DCtx_refPrefix(context.get(), prefix.data(), prefix.size());
  const size_t n =
      ZSTD_decompressDCtx(context.get(), out.data(), out.size(), frame.data(), frame.size());
  return !ZSTD_isError(n) && n == out.size();
}

}  // namespace vestige
