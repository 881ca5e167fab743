// Hostile bytes for Diff∘RLE∘SEQ. The first byte says how to take the rest:
//   0   as a stream
//   1   as the bits of a table of runs that says it has as many as it may
//   2   as the number of runs in a table that is right, and the grammar that goes with it
#include "codec/stream/runs/runs_stream.h"
#include "codec/stream/runs/strided_runs.h"
#include "kinds.h"
#include "use_stream.h"

namespace vestige {
namespace {

void use(ByteView bytes) {
  if (auto cursor = open_runs(bytes)) use_stream(**cursor);
  const auto runs = section::RunsGrammar::load(bytes);
  if (!runs) return;
  section::StridedRunCursor cursor(*runs);
  section::StridedRun run, back;
  for (int i = 0; i < 500 && cursor.next(run); ++i) {
  }
  if (runs->size() > 0) {
    require(cursor.seek(runs->size() / 2) && cursor.next(run), "a run in the middle");
    require(cursor.prev(back) && back == run, "backwards is not the reverse of forwards");
  }
}

}  // namespace

void use_input(uint8_t kind, ByteView rest) {
  if (rest.empty()) return;
  switch (kind % 3) {
    case 0:
      use(rest);
      break;
    case 1: {
      ByteWriter table;
      table.varint(rest.size() * 16);
      table.bytes(rest);
      (void)section::decode_run_table(table.buffer());
      break;
    }
    default: {
      std::vector<section::DifferenceRun> runs;
      for (uint64_t i = 0; i < rest[0]; ++i) runs.push_back({i * i - 7, uint64_t{1} << i % 64});
      const Bytes table = section::encode_run_table(runs);
      ByteWriter stream;
      stream.varint(1);
      stream.varint(table.size());
      stream.bytes(table);
      stream.varint(rest.size() - 1);
      stream.bytes(rest.subspan(1));
      use(stream.buffer());
      break;
    }
  }
}

}  // namespace vestige
