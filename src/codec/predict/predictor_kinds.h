// Every kind of predictor there is, each defined in a file of its own.
#pragma once

#include "codec/predict/dfcm_predictor.h"
#include "codec/predict/fcm_predictor.h"
#include "codec/predict/global_local_predictor.h"
#include "codec/predict/last_values_predictor.h"
#include "codec/predict/stride_predictor.h"

namespace vestige::vpc {

inline constexpr std::array kPredictorKinds = {&kLastValues, &kStride, &kFcm, &kDfcm,
                                               &kGlobalLocal};

}  // namespace vestige::vpc
