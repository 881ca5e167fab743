#include "vestige/trace.h"

#include <algorithm>

#include "store/access_details_chunk.h"
#include "store/order_chunk.h"
#include "store/sync_index_chunk.h"
#include "store/wet_chunk.h"
#include "trace/load.h"
#include "trace/state.h"

namespace vestige {

Result<Trace> Trace::open(const std::string& path) {
  auto state = load_trace(path);
  if (!state) return std::unexpected(std::move(state.error()));
  return Trace(std::move(*state));
}

Result<Trace> Trace::follow(const std::string& path, uint64_t bytes) {
  auto state = follow_trace(path, bytes);
  if (!state) return std::unexpected(std::move(state.error()));
  return Trace(std::move(*state));
}
Result<bool> Trace::catch_up(uint64_t bytes) { return vestige::catch_up(*state_, bytes); }

Trace::Trace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

const std::string& Trace::file() const { return state_->file; }
uint64_t Trace::file_bytes() const { return state_->store.file_bytes(); }
const std::vector<std::pair<std::string, std::string>>& Trace::meta() const { return state_->meta; }
const std::vector<ProcessInfo>& Trace::processes() const { return state_->processes; }
const std::vector<ThreadInfo>& Trace::threads() const { return state_->threads; }
const std::vector<ModuleInfo>& Trace::modules() const { return state_->program.modules(); }
const std::vector<Function>& Trace::functions() const { return state_->program.functions(); }
const Path* Trace::path(uint32_t id) const { return state_->paths.find(id); }

std::optional<std::string> Trace::meta(const std::string& key) const {
  for (const auto& [k, value] : state_->meta)
    if (k == key) return value;
  return std::nullopt;
}

std::vector<std::pair<std::string, uint64_t>> Trace::sections() const {
  uint64_t control = 0, events = 0, stack = 0, program = 0, values = 0, sync = 0, order = 0,
           accesses = 0, wet_values = 0, wet_edges = 0;
  for (const DirectoryChunk::Row& row : state_->store.rows()) {
    if (row.kind == format::ChunkKind::module) program += row.payload_size;
    if (row.kind == format::ChunkKind::values || row.kind == format::ChunkKind::addresses)
      values += row.payload_size;
    if (row.kind == format::ChunkKind::sync || row.kind == format::ChunkKind::memory ||
        row.kind == kSyncIndexChunk)
      sync += row.payload_size;
    if (row.kind == kOrderChunk) order += row.payload_size;
    if (row.kind == format::ChunkKind::accesses || row.kind == kAccessDetailsChunk)
      accesses += row.payload_size;
    if (row.kind == kNodeValuesChunk) wet_values += row.payload_size;
    if (row.kind == kNodeEdgesChunk || row.kind == kRunsChunk) wet_edges += row.payload_size;
    if (row.kind != format::ChunkKind::control) continue;
    control += row.word_bytes;
    events += row.event_bytes;
    stack += row.stack_bytes;
  }
  const uint64_t known = std::min(control + events + stack + program + values + sync + order +
                                      accesses + wet_values + wet_edges,
                                  file_bytes());
  std::vector<std::pair<std::string, uint64_t>> sections = {
      {"control", control}, {"events", events}, {"stack", stack}, {"program", program}};
  if (values != 0) sections.emplace_back("values", values);
  if (sync != 0) sections.emplace_back("sync", sync);
  if (order != 0) sections.emplace_back("order", order);
  if (accesses != 0) sections.emplace_back("accesses", accesses);
  if (wet_values != 0) sections.emplace_back("node_values", wet_values);
  if (wet_edges != 0) sections.emplace_back("node_edges", wet_edges);
  sections.emplace_back("other", file_bytes() - known);
  return sections;
}

Error Trace::State::in_chunk(const ChunkPlace& chunk, const Error& error) const {
  return {error.kind,
          file + ": control chunk at byte " + std::to_string(chunk.offset) + ": " + error.message};
}

Result<ControlChunk::View> Trace::State::view(uint32_t thread, size_t chunk) const {
  const ChunkPlace& place = chunks[thread][chunk];
  auto payload = store.payload(place.row);
  if (!payload) return std::unexpected(std::move(payload.error()));  // names the file itself
  auto view = ControlChunk::view(*payload);
  if (!view) return std::unexpected(in_chunk(place, view.error()));
  if (view->thread != thread || view->first_time != place.first_time ||
      view->path_count != place.path_count) {
    return std::unexpected(in_chunk(
        place, {ErrorKind::corrupt, "its thread or times are not those the directory lists"}));
  }
  return view;
}

Result<WordCursor> Trace::State::words(const ChunkPlace& place,
                                       const ControlChunk::View& view) const {
  const auto in_place = [&](const Error& error) { return std::unexpected(in_chunk(place, error)); };
  if (view.codec == WordCodec::sequitur) {
    auto grammar = grammars.open(place.row, view.words);
    if (!grammar) return in_place(grammar.error());
    return WordCursor(open_grammar_blocks(std::move(*grammar)));
  }
  auto words = WordCursor::open(view.codec, view.words);
  if (!words) return in_place(words.error());
  return words;
}

Result<std::vector<Event>> Trace::State::events(const ChunkPlace& place,
                                                const ControlChunk::View& view) const {
  auto events = decode_events(view.events);
  if (!events) return std::unexpected(in_chunk(place, events.error()));
  uint64_t least = place.first_time - 1;
  for (const Event& event : *events) {
    if (event.time < least || event.time >= place.end_time()) {
      return std::unexpected(
          in_chunk(place, {ErrorKind::corrupt,
                           "an event at time " + std::to_string(event.time) + " is out of order"}));
    }
    least = event.time;
  }
  return events;
}

size_t Trace::State::chunk_at(uint32_t thread, uint64_t time) const {
  const auto& list = chunks[thread];
  const auto found = std::ranges::partition_point(
      list, [&](const ChunkPlace& chunk) { return chunk.end_time() <= time; });
  return static_cast<size_t>(found - list.begin());
}

Result<void> Trace::State::check_thread(uint32_t thread) const {
  if (thread < threads.size()) return {};
  if (threads.empty()) return fail(ErrorKind::missing, file + ": the trace has no threads");
  return fail(ErrorKind::usage, file + ": there is no thread " + std::to_string(thread) +
                                    "; threads are 0 to " + std::to_string(threads.size() - 1));
}

}  // namespace vestige
