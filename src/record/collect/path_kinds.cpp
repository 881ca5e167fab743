#include "record/collect/path_kinds.h"

#include <sys/mman.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>

#include "program/record.h"
#include "record/protocol.h"

namespace vestige {

namespace {

constexpr uint64_t kTableBytes = uint64_t{1} << 32;
// How many bytes around an id are filled at its first sight. Each unfilled id that turns up costs a
// batch through the slow loop; each filled one costs taking a path apart.
constexpr uint32_t kWindow = 16;

}  // namespace

Result<PathKinds> PathKinds::create(FunctionFilter filter) {
  PathKinds kinds(std::move(filter));
  void* at = ::mmap(nullptr, kTableBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return fail(ErrorKind::io, std::string("cannot reserve 4 GiB of address space: ") +
                                   std::strerror(errno) + "; raise the limit (ulimit -v)");
  kinds.table_ = static_cast<uint8_t*>(at);
  return kinds;
}

PathKinds::PathKinds(PathKinds&& other) noexcept
    : filter_(std::move(other.filter_)),
      table_(std::exchange(other.table_, nullptr)),
      functions_(std::move(other.functions_)),
      saw_start_(other.saw_start_),
      saw_stop_(other.saw_stop_) {}

PathKinds::~PathKinds() {
  if (table_) ::munmap(table_, kTableBytes);
}

void PathKinds::add(ModuleChunk module, const std::vector<uint32_t>& path_counts) {
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (path_counts[i] == 0) continue;
    Entry& entry = functions_.emplace_back();
    entry.first_path = module.functions[i].first_path;
    entry.path_count = path_counts[i];
    entry.module = module.index;
    entry.record = std::move(module.functions[i].record);
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const Entry& a, const Entry& b) { return a.first_path < b.first_path; });
}

PathKinds::Entry* PathKinds::find(uint32_t path) {
  const auto above =
      std::upper_bound(functions_.begin(), functions_.end(), path,
                       [](uint32_t p, const Entry& entry) { return p < entry.first_path; });
  if (above == functions_.begin()) return nullptr;
  Entry& entry = *(above - 1);
  return path - entry.first_path < entry.path_count ? &entry : nullptr;
}

uint32_t PathKinds::function_of(uint32_t path) const {
  const Entry* entry = const_cast<PathKinds*>(this)->find(path);
  return entry ? entry->first_path : kNone;
}

bool PathKinds::take_apart(Entry& entry) {
  if (entry.paths) return true;
  if (entry.bad) return false;
  entry.bad = true;
  auto function = decode_function(entry.record);
  if (!function) return false;
  auto numbering = number_paths(function->segments);
  if (!numbering || numbering->path_count != entry.path_count) return false;
  const FunctionFilter::Verdict verdict = filter_.judge(*function);
  saw_start_ |= verdict.starts;
  saw_stop_ |= verdict.stops;
  entry.paths =
      std::make_unique<Paths>(Paths{std::move(function->segments), std::move(*numbering), verdict});
  entry.bad = false;
  return true;
}

uint8_t PathKinds::kind_of(const Entry& entry, uint32_t path) const {
  const Paths& paths = *entry.paths;
  const PathEnds ends = path_ends(paths.segments, paths.numbering, path - entry.first_path);
  const bool enters = paths.segments[ends.first].start == SegmentStart::entry;
  const SegmentEnd end = paths.segments[ends.last].end;
  const bool leaves =
      end == SegmentEnd::ret || end == SegmentEnd::tail_call || end == SegmentEnd::unwind;
  uint8_t kind = path_kind::known;
  if (enters) kind |= path_kind::enters;
  if (leaves) kind |= path_kind::leaves;
  if (paths.verdict.excluded) kind |= path_kind::excluded;
  if (enters && paths.verdict.starts) kind |= path_kind::starts;
  if (enters && paths.verdict.stops) kind |= path_kind::stops;
  const uint8_t special = path_kind::excluded | path_kind::starts | path_kind::stops;
  if ((kind & special) == 0) kind |= path_kind::plain;
  return kind;
}

uint8_t PathKinds::resolve(uint32_t path) {
  if (path < protocol::kFirstPath || path > protocol::kLastPath) return 0;
  if (table_[path] != 0) return table_[path];
  Entry* entry = find(path);
  if (!entry || !take_apart(*entry)) return 0;
  const uint32_t offset = (path - entry->first_path) / kWindow * kWindow;
  const uint32_t end = std::min(entry->path_count, offset + kWindow);
  for (uint32_t i = offset; i < end; ++i)
    table_[entry->first_path + i] = kind_of(*entry, entry->first_path + i);
  return table_[path];
}

std::optional<uint32_t> PathKinds::find_guid(uint32_t module, uint64_t guid) {
  for (Entry& entry : functions_) {
    if (entry.module != module) continue;
    const auto function = decode_function(entry.record);
    if (!function) continue;
    const std::string key = function->unit + '\0' + function->name;
    if (XXH3_64bits(key.data(), key.size()) == guid) return entry.first_path;
  }
  return std::nullopt;
}

void PathKinds::judge_all() {
  for (Entry& entry : functions_)
    if (!entry.paths && !entry.bad) take_apart(entry);
}

}  // namespace vestige
