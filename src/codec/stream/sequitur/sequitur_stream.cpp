#include "codec/stream/sequitur/sequitur_stream.h"

#include <algorithm>
#include <utility>

#include "codec/sequitur/grammar_bytes.h"
#include "codec/sequitur/grammar_cursor.h"

namespace vestige {

namespace sequitur {

void StreamWriter::append(std::span<const uint64_t> values) {
  // So few that the limit is not passed by much.
  constexpr size_t kAtOnce = 4096;
  while (!values.empty()) {
    const auto some = values.first(std::min(values.size(), kAtOnce));
    builder_.append(some);
    size_ += some.size();
    values = values.subspan(some.size());
    if (builder_.bytes() > most_bytes_) write();
  }
}

void StreamWriter::write() {
  const Bytes grammar = encode_grammar(builder_.finish());
  written_.varint(grammar.size());
  written_.bytes(grammar);
  ++grammars_;
}

Bytes StreamWriter::finish() {
  if (builder_.size() > 0) write();
  ByteWriter out;
  out.varint(std::exchange(grammars_, 0));
  out.bytes(written_.take());
  written_ = {};
  size_ = 0;
  return out.take();
}

Result<Grammar> load_stream(ByteView bytes) {
  ByteReader in(bytes);
  const size_t count = in.count();
  std::vector<PlainGrammar> parts;
  for (size_t i = 0; i < count; ++i) {
    const ByteView part = in.bytes(in.varint());
    if (in.failed()) break;
    auto grammar = decode_grammar(part);
    if (!grammar) return std::unexpected(grammar.error());
    parts.push_back(std::move(*grammar));
  }
  if (in.failed() || in.remaining() > 0)
    return fail(ErrorKind::corrupt, "the grammars of a stream do not add up to its bytes");
  return Grammar::make(parts.size() == 1 ? std::move(parts[0]) : join(parts));
}

}  // namespace sequitur

namespace {

class SequiturEncoder final : public StreamEncoder {
 public:
  void append(std::span<const uint64_t> values) override { writer_.append(values); }
  uint64_t size() const override { return writer_.size(); }
  Bytes finish() override { return writer_.finish(); }

 private:
  sequitur::StreamWriter writer_;
};

class SequiturCursor final : public StreamCursor {
 public:
  explicit SequiturCursor(sequitur::Grammar grammar)
      : grammar_(std::move(grammar)), cursor_(grammar_) {}

  uint64_t size() const override { return grammar_.size(); }
  uint64_t position() const override { return cursor_.position(); }
  bool next(uint64_t& value) override {
    uint32_t terminal = 0;
    if (!cursor_.next(terminal)) return false;
    value = grammar_.value(terminal);
    return true;
  }
  bool prev(uint64_t& value) override {
    uint32_t terminal = 0;
    if (!cursor_.prev(terminal)) return false;
    value = grammar_.value(terminal);
    return true;
  }
  bool seek(uint64_t position) override { return cursor_.seek(position); }
  size_t read(std::span<uint64_t> out) override { return cursor_.read(out); }
  size_t read_back(std::span<uint64_t> out) override { return cursor_.read_back(out); }
  const Error* error() const override { return nullptr; }  // all damage is found on opening

 private:
  sequitur::Grammar grammar_;
  sequitur::GrammarCursor cursor_;
};

}  // namespace

std::unique_ptr<StreamEncoder> make_sequitur_encoder() {
  return std::make_unique<SequiturEncoder>();
}

Result<std::unique_ptr<StreamCursor>> open_sequitur(ByteView bytes) {
  auto grammar = sequitur::load_stream(bytes);
  if (!grammar) return std::unexpected(grammar.error());
  return std::make_unique<SequiturCursor>(std::move(*grammar));
}

}  // namespace vestige
