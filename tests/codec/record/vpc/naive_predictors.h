// The value predictors again, as the VPC paper's section 2.2 has them in words: maps in place of
// tables, whole histories in place of folded ones, nothing shared. Slow, and no line of it common
// with codec/predict but the names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vestige {

class NaivePredictor {
 public:
  virtual ~NaivePredictor() = default;
  virtual std::vector<uint64_t> predict(uint32_t line) = 0;
  virtual void update(uint32_t line, uint64_t value) = 0;
};

// By its name: last6, stride, fcm3, dfcm4.2, global. Values have `width` bytes.
std::unique_ptr<NaivePredictor> make_naive_predictor(const std::string& name, uint32_t lines,
                                                     unsigned width);

}  // namespace vestige
