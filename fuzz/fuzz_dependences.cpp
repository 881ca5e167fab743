// Indexes of dependences: a block's columns as slices would use them, a whole file.
//
//   input   := 1:u8 columns | other:u8 file
//   columns := (size:u16 bytes)*      as they are before they are squeezed; missing ones are empty
#include "base/squeeze.h"
#include "kinds.h"
#include "memory_file.h"
#include "query/dependences/block_columns.h"
#include "query/slice/backward.h"
#include "query/slice/forward.h"
#include "some_trace.h"

namespace vestige {
namespace {

void use_columns(ByteView raw) {
  ByteReader in(raw);
  ByteWriter piece;
  piece.varint(0);  // pages
  size_t paths = 1;
  for (size_t i = 0; i < kBlockColumns; ++i) {
    const ByteView column = in.bytes(std::min<size_t>(in.u16(), in.remaining()));
    if (i == static_cast<size_t>(BlockColumn::paths)) paths = std::max<size_t>(column.size(), 1);
    const Bytes squeezed = squeeze(Bytes(column.begin(), column.end()));
    piece.varint(squeezed.size());
    piece.bytes(squeezed);
  }
  if (paths > kBlockPaths) return;
  DependenceWriter writer(nullptr, 1);
  require(writer.append(0, {.first_time = 1, .paths = paths}, piece.buffer()).has_value(),
          "not written");
  writer.set_order(Interleaving(1, {{.thread = 0, .first_time = 1, .paths = paths}}));
  const DependenceReader reader = writer.take();
  static const CallNames names(some_trace());
  DependenceBlockCursor cursor(some_trace(), names, reader, 0);
  if (!cursor.go_to(0)) return;
  for (size_t i = 0; i < 4; ++i) {
    const size_t path = i * (paths - 1) / 3;
    const PathShape& shape = *cursor.block().shapes[path];
    if (shape.items.empty()) continue;
    SliceOptions options;
    options.statement = {cursor.block().steps[path].path->function, shape.items.back().statement};
    options.instances = true;
    const CriterionPlace place{.thread = 0, .instance = 1, .time = 1 + path};
    SliceMembers back(some_trace(), options), forth(some_trace(), options);
    const SliceGround ground{some_trace(), names, reader};
    (void)slice_backwards(ground, options, place, back);
    (void)slice_forwards(ground, options, place, forth);
  }
}

void use_file(ByteView bytes) {
  static MemoryFile file;
  file.write(bytes);
  const auto reader = DependenceReader::open(file.name(), some_trace());
  if (!reader) return;
  static const CallNames names(some_trace());
  DependenceBlockCursor cursor(some_trace(), names, *reader, 0);
  for (size_t i = 0; i < cursor.places().size(); ++i) {
    (void)cursor.go_to(i);
    (void)reader->pages(0, cursor.places()[i]);
  }
}

}  // namespace

void use_input(uint8_t kind, ByteView rest) {
  if (kind == 1)
    use_columns(rest);
  else
    use_file(rest);
}

}  // namespace vestige
