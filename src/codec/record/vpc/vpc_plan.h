// Which predictors each field of a layout has: the paper's own lists, lists as users write them,
// and lists as they are kept in an archive.
//
//     list    := section (";" section)*
//     section := [field "="] name ("," name)*
// A section without a field holds for every field where its predictors make sense; "data" stands
// for every field but the PC. Fields that no section names keep the paper's list. Names:
// predictor.h.
//
// On disk (docs/codecs.md):
//     plan := varint range, list*                        one list per field of the layout
//     list := u8 count, count × (u8 kind, u8 size, u8 values)
#pragma once

#include <vector>

#include "codec/record/vpc/predictor_names.h"
#include "codec/record_codec.h"

namespace vestige::vpc {

// How a field is indexed and its misses are written.
enum class FieldRole : uint8_t {
  pc,      // one line for all rows; a miss is the value, as many bits as the range calls for
  data,    // a line per PC; a miss is a difference to the nearest prediction
  global,  // one line for all rows, misses as for data: there is no PC
};

struct FieldPlan {
  FieldRole role = FieldRole::data;
  uint8_t width = 8;
  PredictorList predictors;

  size_t lines() const { return role == FieldRole::data ? size_t{1} << kLineBits : 1; }
  HistoryNeeds needs() const;
  size_t table_bytes() const;
  unsigned predictions() const;
};

struct VpcPlan {
  uint64_t range = 0;             // every PC is below it or escaped; 0: any PC of the field's width
  std::vector<FieldPlan> fields;  // as in the layout

  Bytes bytes() const;
};

// With every plan that these give: each field has 1 … kMostPredictions predictions, and the tables
// together take at most kMostTableBytes.
inline constexpr unsigned kMostPredictions = 48;
inline constexpr size_t kMostTableBytes = size_t{1} << 30;

Result<VpcPlan> plan_for(const RecordLayout& layout, const RecordCodecOptions& options);
Result<VpcPlan> read_plan(const RecordLayout& layout, ByteView bytes);

PredictorList paper_pc_predictors();
PredictorList paper_data_predictors();

}  // namespace vestige::vpc
