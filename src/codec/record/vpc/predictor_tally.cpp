#include "codec/record/vpc/predictor_tally.h"

namespace vestige::vpc {

PredictorTally::PredictorTally(const RecordLayout& layout, const VpcPlan& plan)
    : rows_(plan.fields.size()), bits_(plan.fields.size()) {
  for (size_t i = 0; i < plan.fields.size(); ++i) {
    FieldExplanation& field = explanation_.emplace_back();
    field.field = layout.fields[i].name;
    for (const PredictorSpec& spec : plan.fields[i].predictors)
      for (unsigned nth = 0; nth < spec.kind->predictions(spec); ++nth)
        field.predictors.push_back(spec.prediction_name(nth));
    field.predictors.push_back("none");
    field.counts.resize(field.predictors.size());
  }
}

void PredictorTally::count(size_t field, unsigned prediction, uint64_t pc) {
  count(field, prediction);
  auto row = rows_[field].find(pc);
  if (row == rows_[field].end()) {
    FieldExplanation& explained = explanation_[field];
    if (explained.by_pc.size() == kExplainedPcs) return;
    row = rows_[field].emplace(pc, &explained.by_pc[pc]).first;
    row->second->resize(explained.counts.size());
  }
  ++(*row->second)[prediction];
}

void PredictorTally::spend(size_t field, uint64_t bits) {
  bits_[field] += bits;
  explanation_[field].bytes = (bits_[field] + 7) / 8;
}

}  // namespace vestige::vpc
