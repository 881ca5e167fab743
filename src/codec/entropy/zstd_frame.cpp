#include "codec/entropy/zstd_frame.h"

#include "base/zstd_context.h"

namespace vestige {

Bytes zstd_compress(ByteView raw, ByteView prefix) {
  thread_local const auto context = [] {
    ZstdCompression fresh = make_zstd_compression();
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
  thread_local const ZstdDecompression context = make_zstd_decompression();
  ZSTD_DCtx_refPrefix(context.get(), prefix.data(), prefix.size());
  const size_t n =
      ZSTD_decompressDCtx(context.get(), out.data(), out.size(), frame.data(), frame.size());
  return !ZSTD_isError(n) && n == out.size();
}

}  // namespace vestige
