// Indexes: a window's bytes as an evaluation would use them, a list of counts, a whole file.
#include <cstring>

#include "base/squeeze.h"
#include "kinds.h"
#include "memory_file.h"
#include "some_trace.h"
#include "trace/index/index_file.h"
#include "trace/index/index_format.h"
#include "trace/index/window_bytes.h"
#include "trace/windows/windows.h"

namespace vestige {
namespace {

void use_window(ByteView raw) {
  const auto record = decode_window(squeeze(Bytes(raw.begin(), raw.end())));
  if (!record) return;
  const Bytes once = encode_window(*record);
  const auto again = decode_window(once);
  require(again && encode_window(*again) == once, "what was written is not what is read");
  static const ProcessAddresses all(some_trace());
  const auto& addresses = all.of(0);
  ToldValues told(some_trace().state(), 0), other(some_trace().state(), 0);
  auto evaluator = Evaluator::open(some_trace(), 0, {&addresses, &told});
  require(evaluator.has_value(), "no evaluation");
  if (evaluator->go_to(record->keyframe, other)) (void)evaluator->run(50);
}

void use_counts(ByteView raw) {
  const auto counts = decode_counts(squeeze(Bytes(raw.begin(), raw.end())));
  if (!counts) return;
  const auto again = decode_counts(encode_counts(*counts));
  require(again && *again == *counts, "what was written is not what is read");
}

void use_file(ByteView bytes) {
  static MemoryFile file;
  file.write(bytes);
  index_format::Header header{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  const auto reader = IndexReader::open(file.name(), header.identity);
  if (!reader) return;
  for (const auto& windows : reader->threads()) {
    for (const IndexedWindow& window : windows) {
      if (const auto blob = reader->window(window)) (void)decode_window(*blob);
      if (const auto blob = reader->counts(window)) (void)decode_counts(*blob);
    }
  }
}

}  // namespace

void use_input(uint8_t kind, ByteView rest) {
  if (kind == 1)
    use_window(rest);
  else if (kind == 2)
    use_counts(rest);
  else
    use_file(rest);
}

}  // namespace vestige
