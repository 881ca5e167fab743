#include "codec/record/vpc/zstd_stage.h"

#include <algorithm>
#include <new>

namespace vestige::vpc {

namespace {

constexpr int kLevel = 17;  // 19 brings 0.6 % and takes up to half as long again
constexpr int kWindowLog = 22;
// A quarter of what the level takes for itself, which brings nothing and costs 36 MiB to clear.
constexpr int kChainLog = 21;
constexpr int kHashLog = 20;

}  // namespace

ZstdCompressor::ZstdCompressor() : context_(make_zstd_compression()) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kWindowLog);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_chainLog, kChainLog);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_hashLog, kHashLog);
}

Bytes ZstdCompressor::compress(ByteView bytes) {
  Bytes out(ZSTD_compressBound(bytes.size()));
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  // Gives what is left to flush; only memory can fail it.
  while (const size_t left = ZSTD_compressStream2(context_.get(), &to, &in, ZSTD_e_flush)) {
    if (ZSTD_isError(left)) throw std::bad_alloc();
    out.resize(out.size() + left + 64);
    to.dst = out.data();
    to.size = out.size();
  }
  out.resize(to.pos);
  return out;
}

ZstdDecompressor::ZstdDecompressor() : context_(make_zstd_decompression()) {
  ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLog);
}

bool ZstdDecompressor::decompress(ByteView bytes, size_t most, Bytes& out) {
  out.clear();
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (;;) {
    // Grown as it fills: `most` is what rows could take, mostly they take far less.
    const size_t begin = out.size();
    out.resize(std::min(most + 1, std::max<size_t>(2 * begin, 4 * bytes.size() + 1024)));
    ZSTD_outBuffer to{out.data() + begin, out.size() - begin, 0};
    const size_t left = ZSTD_decompressStream(context_.get(), &to, &in);
    const bool full = to.pos == to.size;
    out.resize(begin + to.pos);
    if (ZSTD_isError(left) || out.size() > most) return false;
    // Nothing may be held back: a part ends where its bytes do.
    if (in.pos == in.size && !full) return true;
    // After the frame's end more input would start another.
    if (left == 0 && in.pos < in.size) return false;
    if (!full && to.pos == 0) return false;
  }
}

}  // namespace vestige::vpc
