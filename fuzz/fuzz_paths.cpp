// Hostile bytes as a chunk index and as a grammar of whole program paths: refused, or safe to walk.
#include <cstring>

#include "kinds.h"
#include "query/paths/activation.h"
#include "trace/paths/whole_paths.h"

namespace vestige {
namespace {

void use_chunks(ByteView bytes) {
  ChunkIndex index;
  ByteReader in(bytes);
  if (!index.decode(in)) return;
  ByteWriter out;
  index.encode(out);
  ChunkIndex again;
  ByteReader written(out.buffer());
  require(again.decode(written) && written.remaining() == 0, "what was written is not read");
  require(again.chunks().size() == index.chunks().size(), "a chunk is lost");
  for (uint32_t function = 0; function < 64; ++function)
    require(again.holding(function) == index.holding(function), "a set is another one");
}

// Counts first, then the arrays, as they lie in the file. Facts of rules are hard to guess:
// `mended` are those of the bodies.
void use_grammar(ByteView bytes, bool mended) {
  ByteReader in(bytes);
  const size_t terminals = in.u8(), runs = in.u8(), rules = in.u8(), symbols = in.u16();
  std::vector<Terminal> terminal_array(terminals);
  std::vector<RunRecord> run_array(runs);
  std::vector<RuleFacts> rule_array(rules);
  std::vector<uint32_t> end_array(rules), symbol_array(symbols);
  const auto fill = [&](auto& array) {
    const ByteView from = in.bytes(array.size() * sizeof(array[0]));
    if (!in.failed() && !from.empty())
      std::memcpy(static_cast<void*>(array.data()), from.data(), from.size());
  };
  fill(terminal_array);
  fill(run_array);
  fill(rule_array);
  fill(end_array);
  fill(symbol_array);
  if (in.failed()) return;
  WholePaths::Thread thread;
  thread.parts.push_back({terminal_array, run_array, rule_array, end_array, symbol_array});
  const PathGrammar& part = thread.parts.front();
  for (uint32_t rule = 0; mended && rule < rules; ++rule) {
    const auto facts = part.facts_of(rule);
    if (!facts) return;
    rule_array[rule] = *facts;
  }
  if (!part.check()) return;
  PathChunk all{0, part.begin(part.start()), part.ends[part.start()], 1, {1000, 0, 0}};
  thread.by_rule.add(all, {});
  for (const uint64_t time : {1, 2, 3, 10, 999}) {
    (void)find_activation(thread, time);
    (void)innermost_function(thread, time);
  }
}

}  // namespace

void use_input(uint8_t kind, ByteView rest) {
  if (kind % 2 == 0)
    use_chunks(rest);
  else
    use_grammar(rest, kind % 4 == 3);
}

}  // namespace vestige
