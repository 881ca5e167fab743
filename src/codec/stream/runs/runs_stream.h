// The stream codec `runs`: Diff∘RLE∘SEQ of the parallel-executions paper (section 2.4), for
// sequences of addresses and counters.
//
// Idea. A load or store in a loop walks through memory in constant strides. The differences of
// neighbouring values are constant over a run; a run is one symbol (difference, count); and loops
// around the loop repeat the same runs, which SEQUITUR makes rules of. So a sweep over a sub-grid
// of a matrix, any number of times, is a few symbols.
//
// The encoder does all three at once: a symbol goes to the grammar when a run ends (as in the
// paper). The different runs are numbered, and the numbers are the grammar's terminals. Differences
// are modulo 2^64, so any values come back exactly.
//
//   stream := parts:varint part*
//   part   := size:varint table  size:varint grammar   table: difference_run.h
//                                                      grammar: sequitur/grammar_bytes.h
//
// A part ends when table and grammar reach StreamWriter::kMostBytes.
//
// Reading makes one grammar of all parts. Two sums for each of its rules, of values and of
// differences, let a cursor seek in the depth of the grammar; strided_runs.h moves run by run.
#pragma once

#include <memory>
#include <vector>

#include "codec/sequitur/grammar.h"
#include "codec/sequitur/grammar_builder.h"
#include "codec/sequitur/rule_sums.h"
#include "codec/stream/runs/difference_run.h"
#include "codec/stream_codec.h"

namespace vestige {

namespace section {

// Values in, bytes out, in bounded memory.
class RunsWriter {
 public:
  static constexpr size_t kMostBytes = size_t{64} << 20;
  explicit RunsWriter(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  void append(std::span<const uint64_t> values);
  uint64_t size() const { return size_; }
  Bytes finish();

 private:
  void end_run();
  void write_part();

  size_t most_bytes_;
  uint64_t last_ = 0;
  DifferenceRun run_;  // going on; its count is 0 before the first value
  sequitur::NumberTable<DifferenceRun> table_;
  sequitur::GrammarBuilder builder_;
  std::vector<uint64_t> ended_;  // numbers of runs, not yet in the grammar
  uint64_t size_ = 0, parts_ = 0;
  ByteWriter written_;
};

// A stream of runs to be read: a grammar whose terminals are numbers of `table`.
class RunsGrammar {
 public:
  static Result<RunsGrammar> load(ByteView bytes);

  uint64_t size() const { return counts_.total(); }  // values
  const sequitur::Grammar& grammar() const { return grammar_; }
  const sequitur::RuleSums& counts() const { return counts_; }  // of values
  const sequitur::RuleSums& sums() const { return sums_; }      // of differences, modulo 2^64
  const DifferenceRun& run(uint32_t terminal) const { return table_[grammar_.value(terminal)]; }

 private:
  RunsGrammar(sequitur::Grammar grammar, std::vector<DifferenceRun> table);
  sequitur::Grammar grammar_;
  std::vector<DifferenceRun> table_;
  sequitur::RuleSums counts_, sums_;
};

}  // namespace section

std::unique_ptr<StreamEncoder> make_runs_encoder();
Result<std::unique_ptr<StreamCursor>> open_runs(ByteView bytes);

}  // namespace vestige
