#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/checksum.h"
#include "spmd/extrapolate.h"
#include "spmd/fold_trace.h"
#include "spmd/form_bytes.h"
#include "spmd/lossy.h"
#include "spmd/player.h"
#include "spmd/rows.h"
#include "spmd/sync_marks.h"
#include "store/reader.h"
#include "store/writer.h"
#include "vestige/spmd.h"

namespace vestige {

using namespace spmd;

struct Descriptors::State {
  Form form;
  std::string file;
  uint64_t file_bytes = 0;
  FormSizes sizes;
  std::vector<DescriptorThread> threads;
  std::vector<std::pair<std::string, std::string>> notes;

  void list_threads() {
    const auto fact = [](const ThreadForm& thread, uint8_t part) -> uint64_t {
      const auto found = thread.streams.find({Contexts::kRoot, StreamKind::facts, 0, part});
      if (found == thread.streams.end() || found->second.sections.empty()) return 0;
      return found->second.sections[0].event.constant;
    };
    for (const ThreadForm& thread : form.threads)
      threads.push_back(
          {thread.rank, thread.number, fact(thread, 0), fact(thread, 2), lost_references(thread)});
  }
};

Descriptors::Descriptors(std::unique_ptr<State> state) : state_(std::move(state)) {}
Descriptors::Descriptors(Descriptors&&) noexcept = default;
Descriptors& Descriptors::operator=(Descriptors&&) noexcept = default;
Descriptors::~Descriptors() = default;

Result<Descriptors> Descriptors::fold(const Trace& trace, const FoldOptions& options) {
  auto form = fold_trace(trace, options);
  if (!form) return std::unexpected(form.error());
  return of(std::move(*form), trace.file());
}

Descriptors Descriptors::of(Form form, std::string file) {
  auto state = std::make_unique<State>();
  state->form = std::move(form);
  state->file = std::move(file);
  state->list_threads();
  return Descriptors(std::move(state));
}

Result<Descriptors> Descriptors::merge(std::vector<Descriptors> ranks) {
  std::vector<Form> forms;
  for (Descriptors& rank : ranks) forms.push_back(std::move(rank.state_->form));
  auto state = std::make_unique<State>();
  state->form = merge_forms(std::move(forms));
  state->list_threads();
  return Descriptors(std::move(state));
}

Result<std::optional<Descriptors>> Descriptors::merge_over(Transport& transport,
                                                           Result<std::vector<Numbered>> own) {
  Result<Gathered> gathered = Gathered();
  if (!own) {
    gathered = std::unexpected(own.error());
  } else {
    for (auto& [index, descriptors] : *own)
      join(*gathered, gather(std::move(descriptors.state_->form), index));
  }
  auto merged = merge_rounds(transport, std::move(gathered));
  if (!merged) return std::unexpected(merged.error());
  if (!*merged) return std::optional<Descriptors>();
  auto state = std::make_unique<State>();
  state->form = finish(std::move(**merged));
  state->list_threads();
  return std::optional<Descriptors>(Descriptors(std::move(state)));
}

namespace {

std::optional<size_t> descriptor_row(const StoreReader& store) {
  for (size_t row = 0; row < store.rows().size(); ++row)
    if (store.rows()[row].kind == format::ChunkKind::descriptors) return row;
  return std::nullopt;
}

// Of the meta chunks: what this version writes there.
std::vector<std::pair<std::string, std::string>> notes_in(const StoreReader& store) {
  std::vector<std::pair<std::string, std::string>> out;
  for (size_t row = 0; row < store.rows().size(); ++row) {
    if (store.rows()[row].kind != format::ChunkKind::meta) continue;
    const auto payload = store.payload(row);
    if (!payload) continue;
    const auto meta = MetaChunk::decode(*payload);
    if (!meta) continue;
    for (const auto& entry : meta->entries)
      if (entry.first == "extrapolated" || entry.first == "merged" || entry.first == "missing")
        out.push_back(entry);
  }
  return out;
}

}  // namespace

bool Descriptors::is_in(const std::string& file) {
  const auto store = StoreReader::open(file);
  return store && descriptor_row(*store);
}

Result<Descriptors> Descriptors::open(const std::string& file) {
  const auto store = StoreReader::open(file);
  if (!store) return std::unexpected(store.error());
  const auto row = descriptor_row(*store);
  if (!row)
    return fail(ErrorKind::unsupported, file + " holds no descriptors; vestige represent " + file +
                                            " --as eprsd -o NEW.vst makes them");
  const auto payload = store->payload(*row);
  if (!payload) return std::unexpected(payload.error());
  auto state = std::make_unique<State>();
  auto form = decode_form(*payload, &state->sizes);
  if (!form)
    return fail(form.error().kind, file + ": chunk at byte " +
                                       std::to_string(store->rows()[*row].offset) + ": " +
                                       form.error().message);
  state->form = std::move(*form);
  state->file = file;
  for (auto& [name, text] : notes_in(*store))
    if (name == "missing")
      state->form.missing.insert(std::move(text));
    else
      state->notes.emplace_back(std::move(name), std::move(text));
  state->file_bytes = store->file_bytes();
  state->list_threads();
  return Descriptors(std::move(state));
}

Result<void> Descriptors::write(const std::string& file) const {
  Bytes payload = encode_form(state_->form);
  uint8_t id[16];
  const uint64_t sum = checksum(payload);
  payload.push_back(0);
  const uint64_t other = checksum(payload);
  payload.pop_back();
  std::memcpy(id, &sum, 8);
  std::memcpy(id + 8, &other, 8);
  auto writer = StoreWriter::create(file, id);
  if (!writer) return std::unexpected(writer.error());
  MetaChunk meta;
  meta.entries.emplace_back("what", "eprsd");
  for (const auto& note : state_->notes) meta.entries.push_back(note);
  for (const std::string& missing : state_->form.missing)
    meta.entries.emplace_back("missing", missing);
  auto done = writer->append(meta);
  if (done) done = writer->append_descriptors(payload);
  if (done) done = writer->finish();
  if (!done) writer->discard();
  return done;
}

const std::vector<DescriptorThread>& Descriptors::threads() const { return state_->threads; }
uint32_t Descriptors::ranks() const { return state_->form.ranks; }
std::vector<std::pair<std::string, std::string>> Descriptors::notes() const {
  auto notes = state_->notes;
  std::string missing;
  for (const std::string& text : state_->form.missing)
    missing += (missing.empty() ? "" : "; ") + text;
  if (!missing.empty()) notes.emplace_back("missing", std::move(missing));
  if (std::string text = lossy_text(state_->form); !text.empty())
    notes.emplace_back("lossy", std::move(text));
  return notes;
}

void Descriptors::say_missing(std::string text) { state_->form.missing.insert(std::move(text)); }
void Descriptors::say_merged(std::string how) {
  state_->notes.emplace_back("merged", std::move(how));
}

Result<void> Descriptors::make_lossy(const LossyOptions& options) {
  if (auto made = spmd::make_lossy(state_->form, options); !made) return made;
  state_->threads.clear();
  state_->list_threads();
  return {};
}

Configuration Descriptors::configuration() const {
  Configuration out{state_->form.ranks, 0, 0};
  // Numbers have holes: MPI's own threads are not recorded.
  std::map<uint32_t, uint32_t> threads;
  for (const ThreadForm& thread : state_->form.threads)
    out.threads = std::max(out.threads, ++threads[thread.rank]);
  return out;
}

Result<Descriptors> Descriptors::extrapolate(const std::vector<Descriptors>& from,
                                             const std::vector<uint64_t>& sizes,
                                             const Configuration& wanted,
                                             ExtrapolationReport* report) {
  if (from.size() < 2)
    return fail(ErrorKind::usage, "extrapolation needs two recorded configurations at least");
  if (sizes.size() != from.size())
    return fail(ErrorKind::usage, "there must be a size for each recorded configuration");
  constexpr uint64_t kMostSize = uint64_t{1} << 40;
  constexpr uint32_t kMostThreads = 1 << 16;
  if (wanted.ranks == 0 || wanted.threads == 0 || wanted.ranks > kMostThreads ||
      wanted.threads > kMostThreads / wanted.ranks || wanted.size > kMostSize ||
      std::ranges::any_of(sizes, [](uint64_t size) { return size > kMostSize; }))
    return fail(ErrorKind::usage, "at most 65,536 threads in all, sizes of at most 2^40");
  std::vector<Known> known;
  std::string names;
  for (size_t i = 0; i < from.size(); ++i) {
    known.push_back({&from[i].state_->form, from[i].configuration()});
    known.back().configuration.size = sizes[i];
    for (size_t j = 0; j < i; ++j)
      if (known[j].configuration == known[i].configuration)
        return fail(ErrorKind::usage, "two of the recorded configurations are the same");
    const Configuration& c = known.back().configuration;
    names += (i ? "; " : "") + std::to_string(c.ranks) + " ranks, " + std::to_string(c.threads) +
             " threads, size " + std::to_string(c.size);
  }
  auto made = spmd::extrapolate(known, wanted);
  if (!made) return std::unexpected(made.error());
  if (report) *report = {made->numbers, made->unchecked, made->bases};
  auto state = std::make_unique<State>();
  state->form = std::move(made->form);
  state->notes.emplace_back("extrapolated", names);
  state->list_threads();
  return Descriptors(std::move(state));
}

const TraceCounts& Descriptors::counts() const { return state_->form.counts; }
uint64_t Descriptors::file_bytes() const { return state_->file_bytes; }

std::vector<std::pair<std::string, uint64_t>> Descriptors::sections() const {
  const FormSizes& s = state_->sizes;
  const uint64_t known = s.program + s.contexts + s.threads + s.labels + s.descriptors + s.literals;
  return {{"descriptors", s.descriptors},
          {"literals", s.literals},
          {"contexts", s.contexts},
          {"labels", s.labels},
          {"program", s.program},
          {"threads", s.threads},
          {"other", state_->file_bytes - std::min(known, state_->file_bytes)}};
}

Result<void> Descriptors::replay(uint32_t thread, const Sink& sink) const {
  if (thread >= state_->form.threads.size())
    return fail(ErrorKind::usage, "there is no thread " + std::to_string(thread));
  auto played = Player(state_->form, thread).run(sink);
  if (!played) return fail(played.error().kind, state_->file + ": " + played.error().message);
  return {};
}

Result<void> Descriptors::replay_runs(uint32_t thread, const RunSink& sink) const {
  if (thread >= state_->form.threads.size())
    return fail(ErrorKind::usage, "there is no thread " + std::to_string(thread));
  auto played = Player(state_->form, thread).run(sink);
  if (!played) return fail(played.error().kind, state_->file + ": " + played.error().message);
  return {};
}

Result<void> read_communication(const Trace& trace, uint32_t thread,
                                const CommunicationSink& sink) {
  return read_messages(trace, thread, sink);
}

Result<void> Descriptors::communication(uint32_t thread, const CommunicationSink& sink) const {
  if (thread >= state_->form.threads.size())
    return fail(ErrorKind::usage, "there is no thread " + std::to_string(thread));
  auto played = Player(state_->form, thread).run_messages(sink);
  if (!played) return fail(played.error().kind, state_->file + ": " + played.error().message);
  return {};
}

Result<void> Descriptors::replay_in_sync_order(
    uint64_t turn, const std::function<bool(const Reference&)>& take) const {
  if (!has_sync_marks(state_->form))
    return fail(ErrorKind::unsupported,
                state_->file +
                    " does not say in which order threads synchronized; vestige "
                    "represent --as eprsd --order keeps that");
  auto played = interleave(interleaved_threads(state_->form), turn, take);
  if (!played) return fail(played.error().kind, state_->file + ": " + played.error().message);
  return {};
}

std::vector<DescriptorStatement> Descriptors::statements() const {
  std::map<uint64_t, DescriptorStatement> found;
  for (const auto& [digest, function] : state_->form.functions)
    for (const auto& [id, facts] : function.statements)
      found.try_emplace(
          id, DescriptorStatement{id, function.name, facts.file, facts.line, facts.variable});
  std::vector<DescriptorStatement> out;
  for (auto& [id, statement] : found) out.push_back(std::move(statement));
  return out;
}

Result<uint32_t> Descriptors::find_thread(const std::string& name) const {
  uint32_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, failure] = std::from_chars(name.data(), end, number);
  if (failure == std::errc() && stop == end && number < state_->threads.size()) return number;
  for (uint32_t t = 0; t < state_->threads.size(); ++t)
    if (state_->threads[t].name() == name) return t;
  return fail(ErrorKind::usage, state_->file + " has no thread " + name + "; it has " +
                                    std::to_string(state_->threads.size()));
}

std::vector<ContextRow> Descriptors::contexts() const { return context_rows(state_->form); }
std::vector<DescriptorRow> Descriptors::rows() const { return descriptor_rows(state_->form); }

std::vector<std::string> Descriptors::check() const {
  std::vector<std::string> problems;
  for (uint32_t t = 0; t < state_->form.threads.size(); ++t) {
    const auto played = replay(t, [](std::span<const Reference>) { return true; });
    if (!played) problems.push_back(played.error().message);
    const auto told = communication(t, [](const Communication&) { return true; });
    if (played && !told) problems.push_back(told.error().message);
  }
  return problems;
}

}  // namespace vestige
