#include "mutate.h"

#include <algorithm>

#include "base/squeeze.h"
#include "store/chunks.h"

namespace vestige::hostile {

namespace {

struct Range {
  ptrdiff_t begin, end;
};

Range any_range(const Bytes& bytes, std::mt19937_64& random) {
  const size_t at = random() % bytes.size();
  const size_t most = random() % 4 == 0 ? bytes.size() : 64;
  return {static_cast<ptrdiff_t>(at),
          static_cast<ptrdiff_t>(std::min(bytes.size(), at + 1 + random() % most))};
}

Range any_chunk(const Bytes& file, std::mt19937_64& random) {
  const auto offsets = chunk_offsets(file);
  if (offsets.empty()) return any_range(file, random);
  const size_t n = random() % offsets.size();
  return {static_cast<ptrdiff_t>(offsets[n]),
          static_cast<ptrdiff_t>(n + 1 < offsets.size() ? offsets[n + 1] : file.size() - 32)};
}

Bytes copy(const Bytes& bytes, Range range) {
  return {bytes.begin() + range.begin, bytes.begin() + range.end};
}

void insert(Bytes& bytes, const Bytes& piece, std::mt19937_64& random) {
  const auto at = static_cast<ptrdiff_t>(random() % (bytes.size() + 1));
  bytes.insert(bytes.begin() + at, piece.begin(), piece.end());
}

void insert_chunk(Bytes& file, const Bytes& piece, std::mt19937_64& random) {
  const Range before = any_chunk(file, random);
  file.insert(file.begin() + before.begin, piece.begin(), piece.end());
}

// A few changes to bytes that mean something.
void nudge(Bytes& bytes, std::mt19937_64& random) {
  for (uint64_t n = 1 + random() % 4; n > 0; --n) {
    if (bytes.empty()) {
      bytes.push_back(static_cast<uint8_t>(random()));
      continue;
    }
    const Range range = any_range(bytes, random);
    uint8_t& byte = bytes[static_cast<size_t>(range.begin)];
    switch (random() % 8) {
      case 0:
        byte = static_cast<uint8_t>(random());
        break;
      case 1:
        byte = 0xff;
        break;
      case 2:
        byte ^= 0x80;
        break;  // makes a varint longer or shorter
      case 3:
        ++byte;
        break;
      case 4:
        bytes.erase(bytes.begin() + range.begin, bytes.begin() + range.end);
        break;
      case 5:
        insert(bytes, copy(bytes, range), random);
        break;
      case 6:
        insert(bytes, Bytes(9, 0xff), random);
        break;
      default:
        byte ^= static_cast<uint8_t>(1u << random() % 8);
        break;
    }
  }
}

void nudge_squeezed(Bytes& squeezed, std::mt19937_64& random) {
  auto raw = unsqueeze(squeezed, "");
  if (!raw) return nudge(squeezed, random);
  nudge(*raw, random);
  squeezed = squeeze(std::move(*raw));
}

// The sections of a control chunk, changed one by one.
void nudge_control(Bytes& payload, std::mt19937_64& random) {
  const auto view = ControlChunk::view(payload);
  if (!view) return nudge(payload, random);
  Bytes stack(view->stack.begin(), view->stack.end()),
      events(view->events.begin(), view->events.end()),
      words(view->words.begin(), view->words.end());
  switch (random() % 4) {
    case 0:
      nudge_squeezed(stack, random);
      break;
    case 1:
      nudge_squeezed(events, random);
      break;
    case 2:
      nudge(words, random);
      break;
    default:
      break;
  }
  const bool other_counts = random() % 4 == 0;
  ByteWriter out;
  out.varint(random() % 16 == 0 ? random() % 8 : view->thread);
  out.varint(other_counts ? random() >> (random() % 64) : view->first_time);
  out.varint(other_counts ? random() >> (random() % 64) : view->path_count);
  out.u8(random() % 16 == 0 ? static_cast<uint8_t>(random() % 4)
                            : static_cast<uint8_t>(view->codec));
  out.varint(stack.size());
  out.varint(events.size());
  out.bytes(stack);
  out.bytes(events);
  out.bytes(words);
  payload = out.take();
}

// Function records keep their lengths, so that one bad record does not shift all behind it.
void nudge_module(Bytes& payload, std::mt19937_64& random) {
  auto module = ModuleChunk::decode(payload);
  if (!module || module->functions.empty() || random() % 4 == 0)
    return nudge_squeezed(payload, random);
  nudge(module->functions[random() % module->functions.size()].record, random);
  payload = module->encode();
}

}  // namespace

Bytes damage(const Bytes& file, const Bytes& other, std::mt19937_64& random) {
  Bytes bytes = file;
  for (uint64_t n = random() % 4 == 0 ? 1 + random() % 4 : 1; n > 0 && !bytes.empty(); --n) {
    const Range range = any_range(bytes, random);
    const auto begin = bytes.begin() + range.begin, end = bytes.begin() + range.end;
    switch (random() % 12) {
      case 0:
      case 1:
        bytes[static_cast<size_t>(range.begin)] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
      case 2:
        std::generate(begin, end, [&] { return static_cast<uint8_t>(random()); });
        break;
      case 3:
        std::fill(begin, end, 0);
        break;
      case 4:
        bytes.resize(static_cast<size_t>(range.begin));
        break;
      case 5:
        bytes.erase(begin, end);
        break;
      case 6:
        insert(bytes, copy(bytes, range), random);
        break;
      case 7:
        insert(bytes, copy(other, any_range(other, random)), random);
        break;
      case 8: {
        const Bytes piece = copy(bytes, range);
        bytes.erase(begin, end);
        insert(bytes, piece, random);
        break;
      }
      case 9:
        insert_chunk(bytes, copy(bytes, any_chunk(bytes, random)), random);
        break;
      case 10:
        insert_chunk(bytes, copy(other, any_chunk(other, random)), random);
        break;
      default: {
        const Range chunk = any_chunk(bytes, random);
        bytes.erase(bytes.begin() + chunk.begin, bytes.begin() + chunk.end);
        break;
      }
    }
  }
  return bytes;
}

Bytes forge(const Bytes& file, const Bytes& other, std::mt19937_64& random) {
  if (random() % 8 == 0) {
    Bytes bytes = damage(file, other, random);
    sign(bytes);
    return bytes;
  }
  auto parts = take_apart(file);
  const auto others = take_apart(other);
  bool keep_directory = false;
  for (uint64_t n = 1 + random() % 2; n > 0; --n) {
    auto& pieces = parts->pieces;
    FileParts::Piece& piece = pieces[random() % pieces.size()];
    switch (random() % 10) {
      case 0:
        std::swap(piece, pieces[random() % pieces.size()]);
        break;
      case 1: {
        auto copy = others->pieces[random() % others->pieces.size()];
        pieces.insert(pieces.begin() + static_cast<ptrdiff_t>(random() % pieces.size()),
                      std::move(copy));
        break;
      }
      case 2:
        nudge_squeezed(parts->directory, random);
        keep_directory = true;
        break;
      case 3:
        piece.kind = static_cast<format::ChunkKind>(random() % 9);
        break;
      default:
        if (piece.kind == format::ChunkKind::control)
          nudge_control(piece.payload, random);
        else if (piece.kind == format::ChunkKind::module)
          nudge_module(piece.payload, random);
        else
          nudge(piece.payload, random);
    }
  }
  return put_together(*parts, keep_directory);
}

}  // namespace vestige::hostile
