// The questions that only representations answer: by counts in the grammars.
#include <algorithm>

#include "codec/sequitur/grammar_cursor.h"
#include "codec/stream/runs/strided_runs.h"
#include "codec/word/sequitur/grammar_words.h"
#include "query/represent/access_streams.h"
#include "query/represent/pattern_cursor.h"
#include "query/represent/sync_index.h"
#include "trace/state.h"
#include "vestige/represent.h"

namespace vestige {

namespace {

std::unexpected<Error> not_a(const Trace& trace, const char* what) {
  return fail(ErrorKind::unsupported,
              trace.file() + ": this is no " + what + "; make one with vestige represent");
}

Result<AccessChunk> accesses_of(const Trace& trace, uint32_t thread, const char* what) {
  for (const size_t row : trace.state().access_rows) {
    const auto payload = trace.state().store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    ByteReader in(*payload);
    if (in.varint32() == thread && !in.failed()) return AccessChunk::decode(*payload);
  }
  if (trace.state().access_rows.empty()) return not_a(trace, what);
  return AccessChunk{.thread = thread, .streams = {}};
}

Result<std::shared_ptr<const GrammarWords>> words_of(const Trace& trace, uint32_t thread,
                                                     size_t chunk) {
  const auto view = trace.state().view(thread, chunk);
  if (!view) return std::unexpected(view.error());
  if (view->codec != WordCodec::sequitur) return not_a(trace, "cor or cdr");
  return trace.state().grammars.open(trace.state().chunks[thread][chunk].row, view->words);
}

}  // namespace

Result<uint64_t> time_of_sync(const Trace& trace, uint32_t thread, uint64_t m) {
  const auto& chunks = trace.state().chunks[thread];
  const auto index = sync_index(trace, thread);
  uint64_t before = 0;
  for (size_t c = 0; c < chunks.size() && m > 0; ++c) {
    // The index says whether it is in this grammar; old files have none.
    if (index) {
      before = index->chunks[c].before;
      if (m <= before) break;
      if (m - before > index->chunks[c].marks) {
        before += index->chunks[c].marks;
        continue;
      }
    }
    const auto words = words_of(trace, thread, c);
    if (!words) return std::unexpected(words.error());
    if (m - before <= (*words)->marks())
      return chunks[c].first_time - 1 + (*words)->before_mark(m - before - 1);
    before += (*words)->marks();
  }
  return fail(ErrorKind::missing, "the thread has " + std::to_string(before) +
                                      " synchronization operations, not " + std::to_string(m));
}

Result<uint64_t> syncs_before(const Trace& trace, uint32_t thread, uint64_t time) {
  const auto& chunks = trace.state().chunks[thread];
  const auto index = sync_index(trace, thread);
  uint64_t before = 0;
  for (size_t c = 0; c < chunks.size() && chunks[c].first_time <= time; ++c) {
    const bool is_last = c + 1 == chunks.size() || chunks[c + 1].first_time > time;
    if (index && !is_last) {
      before = index->chunks[c].before + index->chunks[c].marks;
      continue;
    }
    if (index) before = index->chunks[c].before;
    const auto words = words_of(trace, thread, c);
    if (!words) return std::unexpected(words.error());
    before += (*words)->marks_before(std::min(time - chunks[c].first_time, (*words)->words()));
  }
  return before;
}

// ---- dor ----------------------------------------------------------------------------------------

struct SharedAccessCursor::State {
  explicit State(sequitur::Grammar from)
      : grammar(std::move(from)),
        syncs(grammar.rules(),
              [&](uint32_t t) { return uint64_t{grammar.value(t) == kSyncInOrder}; }),
        cursor(grammar) {}
  sequitur::Grammar grammar;
  sequitur::RuleSums syncs;
  sequitur::GrammarCursor cursor;
  SharedAccess access;
};

SharedAccessCursor::SharedAccessCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
SharedAccessCursor::SharedAccessCursor(SharedAccessCursor&&) noexcept = default;
SharedAccessCursor& SharedAccessCursor::operator=(SharedAccessCursor&&) noexcept = default;
SharedAccessCursor::~SharedAccessCursor() = default;

Result<SharedAccessCursor> SharedAccessCursor::open(const Trace& trace, uint32_t thread) {
  if (representation_of(trace) != Representation::dor) return not_a(trace, "dor");
  const auto chunk = accesses_of(trace, thread, "dor");
  if (!chunk) return std::unexpected(chunk.error());
  auto grammar = chunk->streams.empty() ? sequitur::Grammar::make({})
                                        : sequitur::load_stream(*chunk->streams[0].bytes);
  if (!grammar) return std::unexpected(std::move(grammar.error()));
  return SharedAccessCursor(std::make_unique<State>(std::move(*grammar)));
}

uint64_t SharedAccessCursor::size() const { return state_->grammar.size(); }

bool SharedAccessCursor::next() {
  uint32_t terminal = 0;
  if (!state_->cursor.next(terminal)) return false;
  const uint64_t value = state_->grammar.value(terminal);
  state_->access = {value == kSyncInOrder, (value - 1) % 2 != 0, (value - 1) / 2};
  return true;
}
const SharedAccess& SharedAccessCursor::access() const { return state_->access; }

bool SharedAccessCursor::seek_sync(uint64_t m) {
  if (m > state_->syncs.total()) return false;
  if (m == 0) return state_->cursor.seek(0);
  state_->cursor.seek(state_->syncs, m - 1);
  uint32_t terminal = 0;
  return state_->cursor.next(terminal);
}

// ---- cdr ----------------------------------------------------------------------------------------

Result<std::vector<AddressPattern>> address_patterns(const Trace& trace, uint32_t thread) {
  if (representation_of(trace) != Representation::cdr) return not_a(trace, "cdr");
  const auto chunk = accesses_of(trace, thread, "cdr");
  if (!chunk) return std::unexpected(chunk.error());
  std::vector<AddressPattern> patterns;
  for (const AccessChunk::Stream& stream : chunk->streams)
    patterns.push_back({stream.key / 2, stream.key % 2 != 0, stream.count, stream.bytes->size()});
  return patterns;
}

Result<void> read_pattern(const Trace& trace, uint32_t thread, const AddressPattern& pattern,
                          const std::function<bool(const PatternRun&)>& take) {
  const auto chunk = accesses_of(trace, thread, "cdr");
  if (!chunk) return std::unexpected(chunk.error());
  for (const AccessChunk::Stream& stream : chunk->streams) {
    if (stream.key != 2 * pattern.statement_id + pattern.write) continue;
    auto cursor = PatternCursor::open(stream);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    for (PatternRun run; cursor->next(run);)
      if (!take(run)) return {};
    if (const Error* error = cursor->error()) return std::unexpected(*error);
    return {};
  }
  return fail(ErrorKind::missing, "the thread has no such load or store");
}

}  // namespace vestige
