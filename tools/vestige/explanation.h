// Which predictor predicted what (compress --explain), for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "output.h"
#include "vestige/compress.h"

namespace vestige::cli {

nlohmann::ordered_json explanation_json(const std::vector<PredictorReport>& fields);

// Per field a table of predictors, then the PCs that occur most and what predicts each best.
void print_explanation(const std::vector<PredictorReport>& fields, bool all, bool color,
                       Output& out);

}  // namespace vestige::cli
