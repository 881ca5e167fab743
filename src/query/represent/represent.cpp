#include "vestige/represent.h"

#include <array>

#include "query/represent/access_streams.h"
#include "query/represent/control_grammar.h"
#include "store/writer.h"
#include "trace/state.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

constexpr std::string_view kMetaKey = "represents";
constexpr std::array<std::string_view, 3> kNames = {"cor", "dor", "cdr"};

class Writing {
 public:
  Writing(const Trace& trace, Representation as, StoreWriter& writer,
          const std::function<void(uint64_t)>& progress)
      : trace_(trace), as_(as), writer_(writer), progress_(progress) {}

  Result<RepresentationReport> run() {
    if (auto copied = copy_described(); !copied) return std::unexpected(copied.error());
    if (as_ != Representation::dor)
      for (uint32_t thread = 0; thread < trace_.threads().size(); ++thread) {
        const auto bytes = write_control(trace_, thread, writer_, progress_);
        if (!bytes) return std::unexpected(bytes.error());
        report_.control_bytes += *bytes;
      }
    if (as_ != Representation::cor)
      if (auto written = write_accesses(); !written) return std::unexpected(written.error());
    if (auto copied = copy_rest(); !copied) return std::unexpected(copied.error());
    if (auto done = writer_.finish(); !done) return std::unexpected(done.error());
    const auto counts = trace_.counts();
    if (!counts) return std::unexpected(counts.error());
    report_.blocks = counts->blocks;
    report_.sync_operations = counts->sync_ops;
    return report_;
  }

 private:
  // What says who ran what: before everything else.
  Result<void> copy_described() {
    return each_row([&](const DirectoryChunk::Row& row, ByteView payload) -> Result<void> {
      switch (row.kind) {
        case format::ChunkKind::meta:
          return copy<MetaChunk>(payload, [&](MetaChunk& meta) {
            meta.entries.emplace_back(kMetaKey, kNames[static_cast<size_t>(as_)]);
          });
        case format::ChunkKind::process:
          return copy<ProcessChunk>(payload);
        case format::ChunkKind::module:
          return copy<ModuleChunk>(payload);
        case format::ChunkKind::thread:
          return copy<ThreadChunk>(payload);
        default:
          return {};
      }
    });
  }
  Result<void> copy_rest() {
    return each_row([&](const DirectoryChunk::Row& row, ByteView payload) -> Result<void> {
      switch (row.kind) {
        case format::ChunkKind::sync:
          report_.sync_bytes += payload.size();
          return copy<SyncChunk>(payload);
        case format::ChunkKind::end:
          return copy<EndChunk>(payload, [&](EndChunk& end) {
            if (as_ == Representation::dor) end.paths = 0;  // none of them is there
          });
        default:
          return {};
      }
    });
  }
  template <class Take>
  Result<void> each_row(const Take& take) {
    const StoreReader& store = trace_.state().store;
    for (size_t row = 0; row < store.rows().size(); ++row) {
      const auto payload = store.payload(row);
      if (!payload) return std::unexpected(payload.error());
      if (auto taken = take(store.rows()[row], *payload); !taken) return taken;
    }
    return {};
  }
  template <class Chunk>
  Result<void> copy(ByteView payload, const std::function<void(Chunk&)>& change = nullptr) {
    auto chunk = Chunk::decode(payload);
    if (!chunk) return std::unexpected(std::move(chunk.error()));
    if (change) change(*chunk);
    return writer_.append(*chunk);
  }

  Result<void> write_accesses() {
    auto source = ReferenceSource::open(trace_);
    if (!source) return std::unexpected(std::move(source.error()));
    const auto pages = SharedPages::find(trace_, *source);
    if (!pages) return std::unexpected(pages.error());
    report_.all_accesses = pages->accesses();
    for (const uint32_t thread : source->threads()) {
      const auto chunk = as_ == Representation::dor
                             ? accesses_in_order(trace_, thread, *source, *pages)
                             : addresses_of_each(trace_, thread, *source, *pages);
      if (!chunk) return std::unexpected(chunk.error());
      for (const AccessChunk::Stream& stream : chunk->streams) report_.accesses += stream.count;
      report_.access_bytes += chunk->encode().size();
      if (auto written = writer_.append(*chunk); !written) return written;
      if (progress_ && as_ == Representation::dor) progress_(trace_.threads()[thread].paths);
    }
    return {};
  }

  const Trace& trace_;
  const Representation as_;
  StoreWriter& writer_;
  const std::function<void(uint64_t)>& progress_;
  RepresentationReport report_;
};

}  // namespace

std::optional<Representation> representation_of(const Trace& trace) {
  const auto name = trace.meta(std::string(kMetaKey));
  for (size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return static_cast<Representation>(i);
  return std::nullopt;
}

Result<RepresentationReport> represent(const Trace& trace, Representation as,
                                       const std::string& file,
                                       const std::function<void(uint64_t)>& progress) {
  if (representation_of(trace))
    return fail(ErrorKind::unsupported, trace.file() + ": it is a representation already");
  auto writer = StoreWriter::create(file);
  if (!writer) return std::unexpected(std::move(writer.error()));
  auto report = Writing(trace, as, *writer, progress).run();
  if (!report) {
    writer->discard();
    return report;
  }
  const auto written = Trace::open(file);
  if (!written) return std::unexpected(written.error());
  report->file_bytes = written->file_bytes();
  return report;
}

}  // namespace vestige
