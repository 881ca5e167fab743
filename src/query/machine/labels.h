// The labels of one thread's statements while they are made, and as they lie in the file T.vst.mch
// (trace/index/cache_file.h).
//
//   table  := squeezed( predictor:u8 geometry geometry caches:u8 list of threads( list( row ) ) )
//   geometry := bytes ways line
//   row    := #ID - that of the row before, kind:u8, executions, unknown, misses, l2_misses,
//             list( piece )
//   piece  := offset - end of the piece before, size, checksum:u64
//   bytes of a piece := values*             lists as pack/values.h has them, of kLabelBlock at most
//   value  := (instance - that of the miss before in the row) × 2, and 1 when l2 missed too
//
// Numbers are varints. Rows stand by rising #ID, then kind. Misses are few and come at regular
// distances, so distances take less than bits would.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "trace/index/cache_file.h"
#include "vestige/machine.h"

namespace vestige {

inline constexpr CacheKind kMachineCache = {
    {'\x89', 'V', 'S', 'M', '\r', '\n', '\x1a', '\n'}, 1, ".mch"};
inline constexpr size_t kLabelBlock = 4096;

struct LabelRow {
  struct Piece {
    uint64_t offset = 0, size = 0, checksum = 0;
  };
  uint64_t id = 0;
  MachineKind kind = MachineKind::branch;
  uint64_t executions = 0, unknown = 0, misses = 0, l2_misses = 0;
  std::vector<Piece> pieces;
};

struct LabelTable {
  MachineModel model;
  bool caches = false;
  std::vector<std::vector<LabelRow>> threads;

  Bytes encode() const;
  // False: no table is like that.
  bool decode(ByteView table);
};

// Collects the labels of one thread. Memory: kMostPending, then what there is goes to the file.
class LabelBuilder {
 public:
  explicit LabelBuilder(CacheWriter& writer, size_t most_pending = size_t{64} << 20)
      : writer_(writer), most_pending_(most_pending) {}

  // The number of a new row.
  uint32_t add_row(uint64_t id, MachineKind kind);
  // The next execution of a row's statement.
  void add(uint32_t row, bool missed, bool l2) {
    Growing& growing = rows_[row];
    ++growing.row.executions;
    if (missed) add_miss(growing, l2);
  }
  void add_unknown(uint32_t row) {
    ++rows_[row].row.executions;
    ++rows_[row].row.unknown;
  }
  // To be called now and then: writes when much has come together.
  Result<void> settle() { return pending_ > most_pending_ ? write() : Result<void>(); }
  // The rows that were executed. Nothing may be added afterwards.
  Result<std::vector<LabelRow>> finish();

 private:
  struct Growing {
    LabelRow row;
    uint64_t last = 0;  // instance of the last miss
    std::vector<uint64_t> values;
    ByteWriter packed;
  };
  void add_miss(Growing& growing, bool l2);
  void pack(Growing& growing);
  Result<void> write();

  CacheWriter& writer_;
  const size_t most_pending_;
  size_t pending_ = 0;  // bytes
  std::vector<Growing> rows_;
};

// The instances of a piece, one after the other. False: the bytes are damaged. `last` is the
// instance before, and is moved on.
bool read_labels(ByteView piece, const LabelRow& row, uint64_t& last,
                 const std::function<bool(uint64_t instance, bool l2)>& take, bool& stopped);

}  // namespace vestige
