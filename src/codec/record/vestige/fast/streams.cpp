#include "codec/record/vestige/fast/streams.h"

#include <new>

namespace vestige::fast {

void StreamPacker::pack(ByteView raw, ByteWriter& out) {
  out.varint(raw.size());
  if (raw.size() < kLeastPacked) {
    out.bytes(raw);
    return;
  }
  if (context_ == nullptr) {
    context_ = make_zstd_compression();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level_);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kWindowLog);
  }
  packed_.resize(std::max(packed_.size(), ZSTD_compressBound(raw.size()) + 64));
  ZSTD_inBuffer in{raw.data(), raw.size(), 0};
  ZSTD_outBuffer flushed{packed_.data(), packed_.size(), 0};
  for (;;) {
    const size_t left = ZSTD_compressStream2(context_.get(), &flushed, &in, ZSTD_e_flush);
    if (ZSTD_isError(left)) throw std::bad_alloc();  // nothing else can go wrong here
    if (left == 0) break;
    packed_.resize(packed_.size() + left);
    flushed.dst = packed_.data();
    flushed.size = packed_.size();
  }
  out.varint(flushed.pos);
  out.bytes({packed_.data(), flushed.pos});
}

bool StreamUnpacker::unpack(ByteReader& in, size_t limit, Bytes& raw) {
  const uint64_t size = in.varint();
  if (in.failed() || size > limit) return false;
  raw.resize(size);
  if (size < kLeastPacked) {
    const ByteView stored = in.bytes(size);
    std::copy(stored.begin(), stored.end(), raw.begin());
    return !in.failed();
  }
  const ByteView packed = in.bytes(in.varint());
  if (in.failed()) return false;
  if (context_ == nullptr) {
    context_ = make_zstd_decompression();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }
  ZSTD_inBuffer from{packed.data(), packed.size(), 0};
  ZSTD_outBuffer to{raw.data(), raw.size(), 0};
  while (from.pos < from.size || to.pos < to.size) {
    const size_t before = from.pos + to.pos;
    if (ZSTD_isError(ZSTD_decompressStream(context_.get(), &to, &from))) return false;
    if (from.pos + to.pos == before) return false;
  }
  return true;
}

}  // namespace vestige::fast
