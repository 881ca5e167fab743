// Writes a .vst file: header first, chunks as they come, directory and trailer last. Every state
// the file can be found in is readable: without the trailer the reader scans for chunks (recovery).
//
// Thread safety: append may be called from several threads.
// After a failed write (disk full) the writer truncates back to the last whole chunk, every later
// call gives the same error, and the file stays readable.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "store/access_details_chunk.h"
#include "store/order_chunk.h"
#include "store/sync_index_chunk.h"

namespace vestige {

class StoreWriter {
 public:
  // Creates or replaces the file. Refuses a path that is a directory or cannot be written.
  static Result<StoreWriter> create(const std::string& path);
  // The same without an id and a time of its own: the same chunks make the same file.
  static Result<StoreWriter> create(const std::string& path, std::span<const uint8_t, 16> id);
  StoreWriter(StoreWriter&&) noexcept;
  StoreWriter& operator=(StoreWriter&&) noexcept;
  ~StoreWriter();  // closes without directory, as a crash would

  Result<void> append(const MetaChunk&);
  Result<void> append(const ProcessChunk&);
  Result<void> append(const ModuleChunk&);
  Result<void> append(const ThreadChunk&);
  Result<void> append(const ControlChunk&);
  Result<void> append(const EndChunk&);
  Result<void> append(const AddressChunk&);
  Result<void> append(const ValuesChunk&);
  Result<void> append(const OrderChunk&);
  Result<void> append(const SyncChunk&);
  Result<void> append(const AccessChunk&);
  Result<void> append(const SyncIndexChunk&);
  Result<void> append(const AccessDetailsChunk&);
  Result<void> append_descriptors(ByteView payload);
  Result<void> append(format::ChunkKind kind, ByteView payload);  // of a WET (wet_chunk.h)

  // --last: frees the disk space of a thread's oldest control chunks while the newer ones hold at
  // least `paths` paths, and of its synchronization operations before those. finish() then closes
  // the holes.
  Result<void> keep_last(uint32_t thread, uint64_t paths);

  uint64_t bytes_written() const;  // live bytes: without what keep_last dropped
  Result<void> finish();           // directory and trailer, then close
  void discard();                  // a file that is of no use unless it is whole: removes it

 private:
  struct State;
  explicit StoreWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vestige
