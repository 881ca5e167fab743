#include "record/collect/ring_drain.h"

#include <algorithm>

namespace vestige {

using namespace protocol;

namespace {

// One past the last word that is not zero. Pieces are handed over nearly full, so it looks from
// the end.
size_t used_words(const uint32_t* piece, size_t words) {
  constexpr size_t kStride = 16;
  while (words >= kStride) {
    uint32_t any = 0;
    for (size_t i = 0; i < kStride; ++i) any |= piece[words - kStride + i];
    if (any != 0) break;
    words -= kStride;
  }
  while (words > 0 && piece[words - 1] == 0) --words;
  return words;
}

// An upper bound of the words from `from` on that were written to a piece nobody writes to any
// more, without touching pages behind them (reading a hole of shared memory fills it). Zeros may
// stand inside an event, but never as many as this.
size_t written_until(const uint32_t* piece, size_t from, size_t words) {
  constexpr size_t kStride = 256;
  for (size_t at = from / kStride * kStride; at < words; at += kStride) {
    uint32_t any = 0;
    for (size_t i = 0; i < kStride; ++i) any |= piece[at + i];
    if (any == 0) return at;
  }
  return words;
}

}  // namespace

RingDrain::RingDrain(const Session& session, uint32_t ring, ThreadLog& log, PathKinds& kinds,
                     SessionDirectory& directory)
    : reader_(session, ring),
      serial_(reader_.entry().serial),
      log_(log),
      parser_(log, kinds, directory, reader_.entry().process, serial_) {}

uint32_t RingDrain::take_pieces(uint32_t most, Concurrency concurrency) {
  uint32_t taken = 0;
  for (uint64_t end = reader_.filled(); reader_.drained() < end && taken < most; ++taken) {
    uint32_t* piece = reader_.piece();
    const size_t used = used_words(piece, kPieceWords);
    if (used > offset_) {
      const size_t parsed =
          parser_.parse(piece + offset_, used - offset_, kPieceWords - offset_, concurrency);
      if (parser_.needs_exclusive()) {
        offset_ += parsed;
        break;
      }
    }
    std::memset(piece, 0, used * sizeof(uint32_t));
    offset_ = 0;
    reader_.give_back(end);
  }
  return taken;
}

void RingDrain::peek(Until until) {
  if (has_pieces()) return;  // a whole piece waits: that comes first
  uint32_t* piece = reader_.piece();
  const auto load = [&](size_t at) {
    return std::atomic_ref<uint32_t>(piece[at]).load(std::memory_order_acquire);
  };
  copy_.clear();
  for (size_t at = offset_; at < kPieceWords;) {
    const uint32_t word = load(at);
    if (word == 0) break;
    // An event's header is stored last: its payload is there.
    const size_t size = word < kFirstPath ? 1 + (word >> 8 & 0xff) : 1;
    if (size > kPieceWords - at) break;
    // A run goes on until something stands behind it.
    const bool is_run = word < kFirstPath && (word & 0xff) == static_cast<uint32_t>(EventKind::run);
    const bool goes_on = is_run && (size == kPieceWords - at || load(at + size) == 0);
    if (goes_on && until == Until::now) break;
    const size_t first = copy_.size();
    copy_.push_back(word);
    for (size_t i = 1; i < size; ++i) copy_.push_back(load(at + i));
    // How far it is stands in two words.
    for (bool same = !goes_on; !same;) {
      same = true;
      for (size_t i = 1; i < size; ++i) {
        const uint32_t again = load(at + i);
        same &= again == copy_[first + i];
        copy_[first + i] = again;
      }
    }
    at += size;
  }
  offset_ += parser_.parse(copy_.data(), copy_.size(), copy_.size());
}

void RingDrain::take_rest() {
  while (take_pieces(kPieces) != 0) {
  }
  uint32_t* piece = reader_.piece();
  const size_t used = used_words(piece, written_until(piece, offset_, kPieceWords));
  if (used > offset_) parser_.parse(piece + offset_, used - offset_, kPieceWords - offset_);
  parser_.finish();
  std::memset(piece, 0, used * sizeof(uint32_t));
}

}  // namespace vestige
