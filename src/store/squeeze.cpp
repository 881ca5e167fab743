#include "store/squeeze.h"

#include <zstd.h>

#include <algorithm>

namespace vestige {

namespace {

constexpr int kLevel = 3;
constexpr size_t kWorthwhile = 64;  // below this a zstd frame's own header eats the gain

uint64_t most_raw(uint64_t frame) {
  return std::min(kSqueezeLimit, kSqueezeAllowance + kSqueezeRatio * std::min(frame, kSqueezeLimit));
}

}  // namespace

Bytes squeeze(Bytes raw) {
  if (raw.size() >= kWorthwhile && raw.size() <= kSqueezeLimit) {
    ByteWriter out;
    out.u8(1);
    out.varint(raw.size());
    const size_t head = out.size();
    Bytes bytes = out.take();
    bytes.resize(head + ZSTD_compressBound(raw.size()));
    const size_t n = ZSTD_compress(bytes.data() + head, bytes.size() - head, raw.data(), raw.size(),
                                   kLevel);
    if (!ZSTD_isError(n) && head + n < raw.size() && raw.size() <= most_raw(n)) {
      bytes.resize(head + n);
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
  if (in.failed() || size > most_raw(frame.size())) return bad("claims to expand out of proportion");
  Bytes raw(size);
  const size_t got = ZSTD_decompress(raw.data(), raw.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) || got != raw.size()) return bad("does not decompress");
  return raw;
}

}  // namespace vestige
