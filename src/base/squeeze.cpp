#include "base/squeeze.h"

#include <algorithm>

#include "base/zstd_context.h"

namespace vestige {

namespace {

constexpr size_t kWorthwhile = 64;  // below this a zstd frame's own header eats the gain

uint64_t most_raw(uint64_t frame) {
  return std::min(kSqueezeLimit,
                  kSqueezeAllowance + kSqueezeRatio * std::min(frame, kSqueezeLimit));
}

// Appends a skippable frame to frames of `size` bytes until a reader accepts `raw`.
void pad(Bytes& bytes, uint64_t size, uint64_t raw) {
  if (raw <= most_raw(size)) return;
  constexpr uint64_t kHeader = 8;
  const uint64_t wanted = (raw - kSqueezeAllowance + kSqueezeRatio - 1) / kSqueezeRatio;
  const uint64_t content = wanted > size + kHeader ? wanted - size - kHeader : 0;
  ByteWriter header;
  header.u32(0x184d2a50);
  header.u32(static_cast<uint32_t>(content));
  bytes.insert(bytes.end(), header.buffer().begin(), header.buffer().end());
  bytes.resize(bytes.size() + content);
}

// Its tables are megabytes, what is squeezed is often less than a page: each thread keeps one.
ZSTD_CCtx* context() {
  thread_local const ZstdCompression context = make_zstd_compression();
  return context.get();
}

}  // namespace

Bytes squeeze(Bytes raw, int level) {
  if (raw.size() >= kWorthwhile && raw.size() <= kSqueezeLimit) {
    ByteWriter out;
    out.u8(1);
    out.varint(raw.size());
    const size_t head = out.size();
    Bytes bytes = out.take();
    bytes.resize(head + ZSTD_compressBound(raw.size()));
    const size_t n = ZSTD_compressCCtx(context(), bytes.data() + head, bytes.size() - head,
                                       raw.data(), raw.size(), level);
    if (!ZSTD_isError(n) && head + n < raw.size()) {
      bytes.resize(head + n);
      pad(bytes, n, raw.size());
      return bytes;
    }
  }
  raw.insert(raw.begin(), 0);
  return raw;
}

Result<Bytes> unsqueeze(ByteView squeezed, const char* what) {
  const auto bad = [&](const char* how) {
    return fail(ErrorKind::corrupt, std::string(what) + ": " + how);
  };
  ByteReader in(squeezed);
  const uint8_t method = in.u8();
  if (method == 0 && !in.failed()) return Bytes(squeezed.begin() + 1, squeezed.end());
  if (method != 1) return bad("stored in a way this build does not know");
  const uint64_t size = in.varint();
  const ByteView frame = squeezed.subspan(in.at());
  if (in.failed() || size > most_raw(frame.size()))
    return bad("claims to expand out of proportion");
  Bytes raw(size);
  const size_t got = ZSTD_decompress(raw.data(), raw.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) || got != raw.size()) return bad("does not decompress");
  return raw;
}

}  // namespace vestige
