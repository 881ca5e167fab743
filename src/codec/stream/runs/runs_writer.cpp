// The encoder of runs_stream.h.

#include "codec/sequitur/grammar_bytes.h"
#include "codec/stream/runs/runs_stream.h"

namespace vestige::section {

void RunsWriter::append(std::span<const uint64_t> values) {
  size_ += values.size();
  for (const uint64_t value : values) {
    const uint64_t difference = value - last_;
    last_ = value;
    if (difference == run_.difference && run_.count > 0) {
      ++run_.count;
      continue;
    }
    if (run_.count > 0) end_run();
    run_ = {difference, 1};
  }
}

void RunsWriter::end_run() {
  constexpr size_t kAtOnce = 1024;
  ended_.push_back(table_.add(run_));
  if (ended_.size() < kAtOnce) return;
  builder_.append(ended_);
  ended_.clear();
  if (builder_.bytes() + table_.bytes() > most_bytes_) write_part();
}

void RunsWriter::write_part() {
  builder_.append(ended_);
  ended_.clear();
  const Bytes table = encode_run_table(std::vector(table_.data(), table_.data() + table_.size()));
  const Bytes grammar = sequitur::encode_grammar(builder_.finish());
  for (const Bytes& bytes : {table, grammar}) {
    written_.varint(bytes.size());
    written_.bytes(bytes);
  }
  table_ = {};
  ++parts_;
}

Bytes RunsWriter::finish() {
  if (run_.count > 0) end_run();
  if (table_.size() > 0) write_part();
  ByteWriter out;
  out.varint(parts_);
  out.bytes(written_.take());
  *this = RunsWriter(most_bytes_);
  return out.take();
}

}  // namespace vestige::section
