// Any values through Diff∘RLE∘SEQ and back, and run by run.
#include "codec/stream/runs/runs_stream.h"
#include "codec/stream/runs/strided_runs.h"
#include "use_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  const std::vector<uint64_t> values = values_of(data, size);
  section::RunsWriter writer(size % 2 ? section::RunsWriter::kMostBytes : 20000);
  writer.append(values);
  const Bytes bytes = writer.finish();
  auto cursor = open_runs(bytes);
  require(cursor.has_value(), "what was written is not read");
  require_stream(**cursor, values);

  const auto runs = section::RunsGrammar::load(bytes);
  section::StridedRunCursor by_run(*runs);
  section::StridedRun run;
  size_t at = 0;
  while (by_run.next(run)) {
    require(run.position == at && run.count <= values.size() - at, "where a run is");
    for (uint64_t i = 0; i < run.count; ++i)
      require(values[at++] == run.start + i * run.stride, "a value of a run");
  }
  require(at == values.size(), "runs do not cover the stream");
  return 0;
}
