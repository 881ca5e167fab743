#include "vestige/machine.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

#include "query/machine/run_machine.h"
#include "trace/index/index_place.h"
#include "trace/parallel.h"
#include "trace/state.h"

namespace vestige {

namespace {

std::string size_text(uint64_t bytes) {
  if (bytes % (1 << 20) == 0) return std::to_string(bytes >> 20) + "M";
  if (bytes % (1 << 10) == 0) return std::to_string(bytes >> 10) + "K";
  return std::to_string(bytes);
}

bool is_cache(const CacheGeometry& g) {
  if (g.line < 8 || g.line > 4096 || (g.line & (g.line - 1)) != 0) return false;
  if (g.ways < 1 || g.ways > 64 || g.bytes == 0) return false;
  const uint64_t set = uint64_t{g.ways} * g.line;
  return g.bytes % set == 0 && g.bytes / set <= uint64_t{1} << 26 && g.bytes <= uint64_t{1} << 32;
}

}  // namespace

Result<CacheGeometry> parse_cache_geometry(std::string_view text) {
  CacheGeometry out;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  const auto number = [&](auto& value) {
    const auto [stop, failure] = std::from_chars(at, end, value);
    at = stop;
    return failure == std::errc();
  };
  const auto separator = [&] { return at < end && *at++ == ','; };
  bool good = number(out.bytes);
  if (good && at < end && *at != ',') {
    const char unit = *at++;
    const unsigned shift = unit == 'K' || unit == 'k' ? 10 : unit == 'M' || unit == 'm' ? 20 : 99;
    good = shift != 99 && out.bytes <= uint64_t{1} << 32;
    if (good) out.bytes <<= shift;
  }
  good = good && separator() && number(out.ways) && separator() && number(out.line) && at == end;
  if (good && is_cache(out)) return out;
  return fail(ErrorKind::usage,
              "a cache is SIZE,WAYS,LINE, as in 32K,8,64: at most 4096M in whole sets, 1 to 64 "
              "ways, lines of a power of two from 8 to 4096 bytes; not " +
                  std::string(text));
}

std::string cache_geometry_text(const CacheGeometry& geometry) {
  return size_text(geometry.bytes) + "," + std::to_string(geometry.ways) + "," +
         std::to_string(geometry.line);
}

std::string_view predictor_name(PredictorKind kind) {
  return kind == PredictorKind::gshare ? "gshare" : "tage";
}

std::string_view kind_name(MachineKind kind) {
  constexpr std::string_view kNames[] = {"branch", "load", "store"};
  return kNames[static_cast<size_t>(kind)];
}

struct MachineLabels::State {
  const Trace* trace = nullptr;
  CacheReader cache;
  LabelTable table;
};

namespace {

// The labels of this model, when they were made before.
bool find_labels(const Trace& trace, const MachineModel& model, CacheReader& cache,
                 LabelTable& table) {
  for (const std::string& place : cache_places(trace, kMachineCache)) {
    auto found = CacheReader::open(place, kMachineCache, trace.state().store.identity());
    if (!found) continue;
    cache = std::move(*found);
    table = {};
    if (table.decode(cache.table()) && table.model == model &&
        table.threads.size() == trace.threads().size())
      return true;
  }
  return false;
}

class LabelMaking {
 public:
  LabelMaking(const Trace& trace, const MachineOptions& options, CacheWriter& writer)
      : trace_(trace), options_(options), writer_(writer) {}

  Result<LabelTable> run() {
    auto windows = Windows::open(trace_);
    if (!windows && windows.error().kind != ErrorKind::unsupported)
      return std::unexpected(std::move(windows.error()));
    const size_t threads = trace_.threads().size();
    LabelTable table;
    table.model = options_.model;
    table.caches = windows.has_value();
    table.threads.resize(threads);
    for (const ThreadInfo& thread : trace_.threads()) total_ += 2 * thread.paths;
    std::vector<std::vector<LabelRow>> references(threads);
    // Of each thread the references first: they take longer.
    run_parallel(2 * threads, [&](size_t, size_t task) {
      const auto t = static_cast<uint32_t>(task / 2);
      const MachineStep step = [&](uint64_t paths) { progress(paths); };
      if (task % 2 == 1)
        return take(label_branches(trace_, t, options_.model.predictor, writer_, step),
                    table.threads[t]);
      if (!windows || windows->of(t).empty()) return true;
      return take(label_references(trace_, *windows, t, options_.model, writer_, step),
                  references[t]);
    });
    if (error_) return std::unexpected(std::move(*error_));
    for (size_t t = 0; t < threads; ++t) {
      std::vector<LabelRow>& rows = table.threads[t];
      std::ranges::move(references[t], std::back_inserter(rows));
      std::ranges::sort(rows, {}, [](const LabelRow& r) { return std::pair(r.id, r.kind); });
    }
    return table;
  }

 private:
  bool take(Result<std::vector<LabelRow>> made, std::vector<LabelRow>& rows) {
    const std::lock_guard lock(mutex_);
    if (!made && !error_) error_ = std::move(made.error());
    if (made) rows = std::move(*made);
    return !error_.has_value();
  }
  void progress(uint64_t paths) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    done_ += paths;
    options_.progress(std::min(done_, total_), total_);
  }

  const Trace& trace_;
  const MachineOptions& options_;
  CacheWriter& writer_;
  std::mutex mutex_;  // guards what follows
  uint64_t done_ = 0, total_ = 0;
  std::optional<Error> error_;
};

}  // namespace

MachineLabels::MachineLabels(std::unique_ptr<State> state) : state_(std::move(state)) {}
MachineLabels::MachineLabels(MachineLabels&&) noexcept = default;
MachineLabels& MachineLabels::operator=(MachineLabels&&) noexcept = default;
MachineLabels::~MachineLabels() = default;

Result<MachineLabels> MachineLabels::open(const Trace& trace, const MachineOptions& options) {
  const MachineModel& model = options.model;
  if (!is_cache(model.l1) || !is_cache(model.l2))
    return fail(ErrorKind::usage, "no cache has this size, these ways and this line");
  if (model.l2.line < model.l1.line)
    return fail(ErrorKind::usage, "a line of the second cache holds at least one of the first");
  auto state = std::make_unique<State>();
  state->trace = &trace;
  if (find_labels(trace, model, state->cache, state->table)) return MachineLabels(std::move(state));
  auto writer = create_cache(trace, kMachineCache);
  if (!writer) return std::unexpected(std::move(writer.error()));
  auto table = LabelMaking(trace, options, **writer).run();
  if (!table) return std::unexpected(std::move(table.error()));
  const uint64_t identity = trace.state().store.identity();
  const auto bytes = (*writer)->finish(kMachineCache, identity, table->encode());
  if (!bytes) return std::unexpected(bytes.error());
  auto cache = CacheReader::open((*writer)->file(), kMachineCache, identity);
  if (!cache) return std::unexpected(std::move(cache.error()));
  state->cache = std::move(*cache);
  state->table = std::move(*table);
  return MachineLabels(std::move(state));
}

const MachineModel& MachineLabels::model() const { return state_->table.model; }
bool MachineLabels::has_caches() const { return state_->table.caches; }
const std::string& MachineLabels::file() const { return state_->cache.file(); }

uint64_t MachineLabels::label_bytes() const {
  uint64_t bytes = 0;
  for (const std::vector<LabelRow>& rows : state_->table.threads)
    for (const LabelRow& row : rows)
      for (const LabelRow::Piece& piece : row.pieces) bytes += piece.size;
  return bytes;
}

std::vector<MachineStatement> MachineLabels::statements(std::optional<uint32_t> thread) const {
  std::map<std::pair<uint64_t, MachineKind>, MachineStatement> found;
  for (uint32_t t = 0; t < state_->table.threads.size(); ++t) {
    if (thread && *thread != t) continue;
    for (const LabelRow& row : state_->table.threads[t]) {
      const auto statement = statement_by_id(*state_->trace, row.id);
      if (!statement) continue;
      MachineStatement& sum = found[{row.id, row.kind}];
      sum.statement = *statement;
      sum.kind = row.kind;
      sum.executions += row.executions;
      sum.unknown += row.unknown;
      sum.misses += row.misses;
      sum.l2_misses += row.l2_misses;
    }
  }
  std::vector<MachineStatement> out;
  for (auto& [key, statement] : found) out.push_back(statement);
  return out;
}

Result<void> MachineLabels::misses(
    uint32_t thread, StatementRef statement, MachineKind kind,
    const std::function<bool(uint64_t instance, bool l2)>& take) const {
  if (thread >= state_->table.threads.size()) return {};
  const std::vector<LabelRow>& rows = state_->table.threads[thread];
  const std::pair key(statement_id(*state_->trace, statement), kind);
  const auto row = std::ranges::lower_bound(
      rows, key, {}, [](const LabelRow& r) { return std::pair(r.id, r.kind); });
  if (row == rows.end() || std::pair(row->id, row->kind) != key) return {};
  uint64_t last = 0;
  bool stopped = false;
  for (const LabelRow::Piece& piece : row->pieces) {
    const auto bytes = state_->cache.piece(piece.offset, piece.size, piece.checksum);
    if (!bytes) return std::unexpected(bytes.error());
    if (!read_labels(*bytes, *row, last, take, stopped))
      return fail(ErrorKind::corrupt, state_->cache.file() + ": the labels at " +
                                          std::to_string(piece.offset) + " are damaged; remove it");
    if (stopped) break;
  }
  return {};
}

}  // namespace vestige
