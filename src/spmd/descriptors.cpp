#include <charconv>
#include <optional>

#include "base/checksum.h"
#include "spmd/fold_trace.h"
#include "spmd/form_bytes.h"
#include "spmd/player.h"
#include "spmd/rows.h"
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

  void list_threads() {
    const auto fact = [](const ThreadForm& thread, uint8_t part) -> uint64_t {
      const auto found = thread.streams.find({Contexts::kRoot, StreamKind::facts, 0, part});
      if (found == thread.streams.end() || found->second.sections.empty()) return 0;
      return found->second.sections[0].event.constant;
    };
    for (const ThreadForm& thread : form.threads)
      threads.push_back({thread.rank, thread.number, fact(thread, 0), fact(thread, 2)});
  }
};

Descriptors::Descriptors(std::unique_ptr<State> state) : state_(std::move(state)) {}
Descriptors::Descriptors(Descriptors&&) noexcept = default;
Descriptors& Descriptors::operator=(Descriptors&&) noexcept = default;
Descriptors::~Descriptors() = default;

Result<Descriptors> Descriptors::fold(const Trace& trace,
                                      const std::function<void(uint64_t)>& progress) {
  auto form = fold_trace(trace, progress);
  if (!form) return std::unexpected(form.error());
  auto state = std::make_unique<State>();
  state->form = std::move(*form);
  state->file = trace.file();
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
  if (auto done = writer->append(meta); !done) return done;
  if (auto done = writer->append_descriptors(payload); !done) return done;
  return writer->finish();
}

const std::vector<DescriptorThread>& Descriptors::threads() const { return state_->threads; }
uint32_t Descriptors::ranks() const { return state_->form.ranks; }
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
  }
  return problems;
}

}  // namespace vestige
