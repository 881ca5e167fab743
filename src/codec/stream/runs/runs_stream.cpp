#include "codec/stream/runs/runs_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "codec/sequitur/grammar_bytes.h"
#include "codec/sequitur/grammar_cursor.h"

namespace vestige {

namespace section {

RunsGrammar::RunsGrammar(sequitur::Grammar grammar, std::vector<DifferenceRun> table)
    : grammar_(std::move(grammar)), table_(std::move(table)) {
  counts_ = {grammar_.rules(), [&](uint32_t t) { return run(t).count; }};
  sums_ = {grammar_.rules(), [&](uint32_t t) { return run(t).difference * run(t).count; }};
}

Result<RunsGrammar> RunsGrammar::load(ByteView bytes) {
  ByteReader in(bytes);
  const size_t count = in.count();
  std::vector<DifferenceRun> table;
  std::vector<sequitur::PlainGrammar> parts;
  for (size_t i = 0; i < count; ++i) {
    const ByteView table_bytes = in.bytes(in.varint());
    const ByteView grammar_bytes = in.bytes(in.varint());
    if (in.failed()) break;
    const auto runs = decode_run_table(table_bytes);
    if (!runs) return std::unexpected(runs.error());
    auto grammar = sequitur::decode_grammar(grammar_bytes);
    if (!grammar) return std::unexpected(grammar.error());
    for (uint64_t& number : grammar->terminals) {
      if (number >= runs->size())
        return fail(ErrorKind::corrupt, "a grammar uses run " + std::to_string(number) +
                                            " of a table of " + std::to_string(runs->size()));
      number += table.size();
    }
    table.insert(table.end(), runs->begin(), runs->end());
    parts.push_back(std::move(*grammar));
  }
  if (in.failed() || in.remaining() > 0)
    return fail(ErrorKind::corrupt, "the parts of a stream of runs do not add up to its bytes");
  auto grammar = sequitur::Grammar::make(sequitur::join(parts));
  if (!grammar) return std::unexpected(grammar.error());
  RunsGrammar out(std::move(*grammar), std::move(table));
  if (out.counts_.overflowed())
    return fail(ErrorKind::corrupt, "a stream of runs stands for 2^64 values or more");
  return out;
}

}  // namespace section

namespace {

class RunsEncoder final : public StreamEncoder {
 public:
  void append(std::span<const uint64_t> values) override { writer_.append(values); }
  uint64_t size() const override { return writer_.size(); }
  Bytes finish() override { return writer_.finish(); }

 private:
  section::RunsWriter writer_;
};

// Moves over values. `value_` is the value before the cursor; `done_` of the values of the run
// ahead lie before it.
class RunsCursor final : public StreamCursor {
 public:
  explicit RunsCursor(section::RunsGrammar runs)
      : runs_(std::move(runs)), cursor_(runs_.grammar()) {}

  uint64_t size() const override { return runs_.size(); }
  uint64_t position() const override { return position_; }

  bool next(uint64_t& value) override {
    if (cursor_.at_end()) return false;
    const section::DifferenceRun& run = runs_.run(cursor_.terminal());
    value = value_ += run.difference;
    ++position_;
    if (++done_ == run.count) leave();
    return true;
  }
  bool prev(uint64_t& value) override {
    if (position_ == 0) return false;
    if (done_ == 0) {
      uint32_t terminal = 0;
      cursor_.prev(terminal);
      done_ = runs_.run(terminal).count;
    }
    value = value_;
    value_ -= runs_.run(cursor_.terminal()).difference;
    --done_;
    --position_;
    return true;
  }
  bool seek(uint64_t position) override {
    if (position > size()) return false;
    position_ = position;
    if (position == size()) {
      cursor_.seek(runs_.grammar().size());
      done_ = 0;
      value_ = runs_.sums().total();
    } else {
      done_ = cursor_.seek(runs_.counts(), position);
      value_ = cursor_.before(runs_.sums()) + done_ * runs_.run(cursor_.terminal()).difference;
    }
    return true;
  }
  size_t read(std::span<uint64_t> out) override {
    size_t at = 0;
    while (at < out.size() && !cursor_.at_end()) {
      const section::DifferenceRun& run = runs_.run(cursor_.terminal());
      const size_t end = at + std::min<uint64_t>(run.count - done_, out.size() - at);
      done_ += end - at;
      position_ += end - at;
      while (at < end) out[at++] = value_ += run.difference;
      if (done_ == run.count) leave();
    }
    return at;
  }
  size_t read_back(std::span<uint64_t> out) override {
    size_t at = 0;
    while (at < out.size() && prev(out[at])) ++at;
    return at;
  }
  const Error* error() const override { return nullptr; }  // all damage is found on opening

 private:
  void leave() {
    uint32_t terminal = 0;
    cursor_.next(terminal);
    done_ = 0;
  }
  section::RunsGrammar runs_;
  sequitur::GrammarCursor cursor_;
  uint64_t value_ = 0, done_ = 0, position_ = 0;
};

}  // namespace

std::unique_ptr<StreamEncoder> make_runs_encoder() { return std::make_unique<RunsEncoder>(); }

Result<std::unique_ptr<StreamCursor>> open_runs(ByteView bytes) {
  auto runs = section::RunsGrammar::load(bytes);
  if (!runs) return std::unexpected(runs.error());
  return std::make_unique<RunsCursor>(std::move(*runs));
}

}  // namespace vestige
