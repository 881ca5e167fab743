// Every kind of predictor there is, each defined in a file of its own.
#pragma once

#include "codec/record/vpc/dfcm_predictor.h"
#include "codec/record/vpc/fcm_predictor.h"
#include "codec/record/vpc/global_local_predictor.h"
#include "codec/record/vpc/last_values_predictor.h"
#include "codec/record/vpc/stride_predictor.h"

namespace vestige::vpc {

inline constexpr std::array kPredictorKinds = {&kLastValues, &kStride, &kFcm, &kDfcm,
                                               &kGlobalLocal};

}  // namespace vestige::vpc
