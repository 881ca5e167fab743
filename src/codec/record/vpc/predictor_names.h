// Predictors as users write them. A name in a list is that of its kind with its numbers, "dfcm4.2";
// spellings are read liberally: "last-6-value", "l6v" and "last6" are one, and so are "dfcm4x2" and
// "dfcm4.2".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/record/vpc/predictor.h"
#include "vestige/result.h"

namespace vestige::vpc {

using PredictorList = std::vector<PredictorSpec>;

// One name, in any spelling. Fails (usage) with what there is.
Result<PredictorSpec> predictor_named(std::string_view name);
// Names with commas between them; parts of blanks are skipped.
Result<PredictorList> predictors_named(std::string_view names);
// "last1 … last16; stride; …"
std::string predictor_choices();

// Parts of lists that users write.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

}  // namespace vestige::vpc
