#include "vestige/represent.h"

#include <algorithm>
#include <array>

#include "query/represent/access_streams.h"
#include "query/represent/control_grammar.h"
#include "query/represent/write_representation.h"
#include "store/order_chunk.h"
#include "store/sync_rows.h"
#include "trace/state.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

constexpr std::string_view kMetaKey = "represents";
constexpr uint64_t kOperationsOfChunk = 1 << 15;
constexpr std::array<std::string_view, 3> kNames = {"cor", "dor", "cdr"};

class Writing {
 public:
  Writing(const Trace& trace, Representation as, StoreWriter& writer,
          const std::function<void(uint64_t)>& progress)
      : trace_(trace), as_(as), writer_(writer), progress_(progress) {}

  Result<RepresentationReport> run() {
    if (auto copied = copy_described(); !copied) return std::unexpected(copied.error());
    indexes_.resize(trace_.threads().size());
    for (uint32_t thread = 0; thread < indexes_.size(); ++thread) {
      indexes_[thread].thread = thread;
      if (as_ == Representation::dor) continue;
      const auto bytes = write_control(trace_, thread, writer_, indexes_[thread], progress_);
      if (!bytes) return std::unexpected(bytes.error());
      report_.control_bytes += *bytes;
    }
    if (as_ != Representation::cor)
      if (auto written = write_accesses(); !written) return std::unexpected(written.error());
    if (auto copied = copy_rest(); !copied) return std::unexpected(copied.error());
    if (auto written = write_indexes(); !written) return std::unexpected(written.error());
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
        case format::ChunkKind::addresses:
          return copy<AddressChunk>(payload);  // they name variables
        default:
          return {};
      }
    });
  }
  Result<void> copy_rest() {
    return each_row([&](const DirectoryChunk::Row& row, ByteView payload) -> Result<void> {
      if (row.kind == kOrderChunk) return copy<OrderChunk>(payload);
      switch (row.kind) {
        case format::ChunkKind::sync:
          return copy_operations(payload, false, report_.sync_bytes);
        case format::ChunkKind::memory:
          if (as_ == Representation::cor) return {};  // what it is about is not there
          return copy_operations(payload, true, report_.memory_bytes);
        case format::ChunkKind::end:
          return copy<EndChunk>(payload, [&](EndChunk& end) {
            if (as_ == Representation::dor) end.paths = 0;  // none of them is there
          });
        default:
          return {};
      }
    });
  }
  // In chunks of so many that one of them is soon read.
  Result<void> copy_operations(ByteView payload, bool memory, uint64_t& bytes) {
    const auto chunk = SyncChunk::view(payload);
    if (!chunk) return std::unexpected(chunk.error());
    SyncRowsDecoder decoder(chunk->rows, chunk->count);
    SyncRowsEncoder encoder;
    SyncChunk out;
    out.memory = memory;
    out.thread = chunk->thread;
    out.first = chunk->first;
    const auto write = [&]() -> Result<void> {
      out.count = encoder.count();
      out.atomics = encoder.atomics();
      out.rows = encoder.finish();
      bytes += out.rows.size();
      const auto written = writer_.append(out);
      out.first += out.count;
      return written;
    };
    while (true) {
      const auto rows = decoder.next();
      if (!rows) return std::unexpected(rows.error());
      if (rows->empty()) break;
      for (const SyncRow& row : *rows) {
        encoder.append(row);
        out.last_time = row.time;
      }
      if (encoder.count() < kOperationsOfChunk) continue;
      if (auto written = write(); !written) return written;
    }
    return encoder.count() == 0 ? Result<void>() : write();
  }

  // Misuses depend on when memory was handed out anew, which not every form says.
  Result<void> write_indexes() {
    const auto misuses = find_misuses(trace_);
    if (!misuses) return std::unexpected(misuses.error());
    for (const SyncMisuse& misuse : *misuses)
      indexes_[misuse.operation.thread].misuses.push_back({misuse.operation.number, misuse.holder});
    for (SyncIndexChunk& index : indexes_) {
      std::ranges::sort(index.misuses, {}, &SyncIndexChunk::Misuse::number);
      report_.sync_bytes += index.encode().size();
      if (auto written = writer_.append(index); !written) return written;
    }
    return {};
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
      AccessesOfEach kept;
      if (as_ == Representation::dor) {
        auto chunk = accesses_in_order(trace_, thread, *source, *pages);
        if (!chunk) return std::unexpected(chunk.error());
        kept.addresses = std::move(*chunk);
      } else {
        auto each = addresses_of_each(trace_, thread, *source, *pages);
        if (!each) return std::unexpected(each.error());
        kept = std::move(*each);
        report_.detail_bytes += kept.details.encode().size();
        if (auto written = writer_.append(kept.details); !written) return written;
      }
      for (const AccessChunk::Stream& stream : kept.addresses.streams)
        report_.accesses += stream.count;
      report_.access_bytes += kept.addresses.encode().size();
      if (auto written = writer_.append(kept.addresses); !written) return written;
      if (progress_ && as_ == Representation::dor) progress_(trace_.threads()[thread].paths);
    }
    return {};
  }

  const Trace& trace_;
  const Representation as_;
  StoreWriter& writer_;
  const std::function<void(uint64_t)>& progress_;
  RepresentationReport report_;
  std::vector<SyncIndexChunk> indexes_;  // by thread
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
  if (representation_of(trace)) return represents_already(trace);
  return write_representation(
      file, [&](StoreWriter& writer) { return Writing(trace, as, writer, progress).run(); });
}

}  // namespace vestige
