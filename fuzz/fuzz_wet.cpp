// Stored whole execution traces: the parts of a small one, changed here and there, behind checksums
// that match. The file is asked for all of it: paths, values, labels, slices.
//
//   input := edit*
//   edit  := part:u8 how:u8 place:u16 byte:u8
//
// Layouts and tables are changed before they are squeezed.
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "answers.h"
#include "base/squeeze.h"
#include "file_parts.h"
#include "memory_file.h"
#include "some_trace.h"
#include "store/chunks.h"
#include "store/wet_chunk.h"
#include "vestige/slice.h"
#include "vestige/values.h"
#include "vestige/wet.h"

namespace vestige {
namespace {

// A piece of the file: what comes before its parts, and how many of them are squeezed.
struct Taken {
  size_t piece = 0;
  Bytes head;
  std::vector<Bytes> parts;
  size_t squeezed = 0;
};

Bytes copied(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

Taken take(size_t number, const hostile::FileParts::Piece& piece) {
  Taken taken{number, {}, {}, 0};
  if (piece.kind == format::ChunkKind::control) {
    const auto chunk = ControlChunk::decode(piece.payload);
    require(chunk.has_value(), "a control chunk");
    taken.parts.push_back(chunk->words);
    return taken;
  }
  if (piece.kind == kRunsChunk) {
    taken.parts.push_back(piece.payload);
    return taken;
  }
  ByteReader in(piece.payload);
  ByteWriter head;
  WetChunkHead::read(in).encode(head);
  taken.head = head.take();
  taken.squeezed = piece.kind == kNodeEdgesChunk ? 2 : 1;
  for (size_t i = 0; i < taken.squeezed; ++i) {
    auto raw = unsqueeze(in.bytes(in.varint()), "a part");
    require(raw.has_value(), "a part");
    taken.parts.push_back(std::move(*raw));
  }
  taken.parts.push_back(copied(in.bytes(in.remaining())));
  return taken;
}

Bytes joined(const Taken& taken, const hostile::FileParts::Piece& piece) {
  if (piece.kind == format::ChunkKind::control) {
    auto chunk = ControlChunk::decode(piece.payload);
    chunk->words = taken.parts[0];
    return chunk->encode();
  }
  ByteWriter out;
  out.bytes(taken.head);
  for (size_t i = 0; i < taken.parts.size(); ++i) {
    if (i >= taken.squeezed) {
      out.bytes(taken.parts[i]);
      continue;
    }
    const Bytes squeezed = squeeze(taken.parts[i]);
    out.varint(squeezed.size());
    out.bytes(squeezed);
  }
  return out.take();
}

struct Original {
  hostile::FileParts file;
  std::vector<Taken> taken;
};

const Original& original() {
  static const Original made = [] {
    const auto recording = windows_test::record_random(
        {.seed = 5, .threads = 3, .paths = 60, .throws = 0.05, .empty = 0.2});
    const auto trace = Trace::open(recording.path);
    require(trace.has_value(), "no trace");
    const std::string name = recording.path + ".wet";
    const uint64_t paths = trace->counts() ? trace->counts()->paths : 0;
    const auto written = write_wet(*trace, name, {.most_paths = paths / 5 + 1});
    require(written.has_value(), "no whole execution trace");
    std::ifstream in(name, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(in), {}};
    unlink(name.c_str());
    unlink(recording.path.c_str());
    auto parts = hostile::take_apart(bytes);
    require(parts.has_value(), "no parts");
    Original original{std::move(*parts), {}};
    for (size_t i = 0; i < original.file.pieces.size(); ++i) {
      const format::ChunkKind kind = original.file.pieces[i].kind;
      if (is_wet_chunk(kind) || kind == format::ChunkKind::control)
        original.taken.push_back(take(i, original.file.pieces[i]));
    }
    require(!original.taken.empty(), "no chunks");
    return original;
  }();
  return made;
}

void edit(Bytes& bytes, uint8_t how, size_t place, uint8_t byte) {
  if (bytes.empty()) return;
  place %= bytes.size();
  const auto at = bytes.begin() + static_cast<ptrdiff_t>(place);
  switch (how % 5) {
    case 0:
      *at = byte;
      return;
    case 1:
      *at = static_cast<uint8_t>(*at + byte);
      return;
    case 2:
      bytes.insert(at, byte);
      return;
    case 3:
      bytes.erase(at, at + static_cast<ptrdiff_t>(std::min<size_t>(byte, bytes.size() - place)));
      return;
    default: {
      const Bytes again(at,
                        at + static_cast<ptrdiff_t>(std::min<size_t>(byte, bytes.size() - place)));
      bytes.insert(at, again.begin(), again.end());
    }
  }
}

void ask(const Trace& trace) {
  (void)check_wet(trace);
  const std::vector<StatementRef> all = all_values(trace);
  for (size_t i = 0; i < 6 && !all.empty(); ++i) {
    SliceOptions options;
    options.statement = all[i * all.size() / 6];
    options.forward = i % 2 == 1;
    options.instances = true;
    options.most_instances = 1 << 14;
    (void)slice(trace, options);
  }
}

}  // namespace
}  // namespace vestige

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  const Original& from = original();
  std::vector<std::pair<size_t, size_t>> places;  // piece and part
  for (size_t t = 0; t < from.taken.size(); ++t)
    for (size_t p = 0; p < from.taken[t].parts.size(); ++p) places.emplace_back(t, p);
  std::vector<Taken> taken = from.taken;
  ByteReader in({data, size});
  for (int edits = 0; edits < 20 && in.remaining() >= 5; ++edits) {
    const auto [t, p] = places[in.u8() % places.size()];
    const uint8_t how = in.u8();
    const uint16_t place = in.u16();
    edit(taken[t].parts[p], how, place, in.u8());
  }
  hostile::FileParts parts = from.file;
  for (const Taken& t : taken) parts.pieces[t.piece].payload = joined(t, from.file.pieces[t.piece]);
  static MemoryFile file;
  file.write(hostile::put_together(parts));
  hostile::survive(file.name(), 100);
  hostile::survive_values(file.name(), 100);
  if (const auto trace = Trace::open(file.name())) ask(*trace);
  return 0;
}
