#include "codec/record/vestige/levels.h"

#include "codec/record/vestige/fast/fast.h"
#include "codec/record/vestige/mix/rows.h"
#include "codec/record/vestige/strong/strong.h"

namespace vestige {
namespace {

constexpr int kLast = 9;
constexpr int kLastFast = 3;
constexpr int kLastMixed = 6;

}  // namespace

Result<std::unique_ptr<RecordEncoder>> make_level_encoder(const RecordLayout& layout,
                                                          const RecordCodecOptions& options) {
  if (options.level < 1 || options.level > kLast)
    return fail(ErrorKind::usage,
                "level " + std::to_string(options.level) + " is not one of 1 … 9");
  if (options.level <= kLastFast) return make_fast_encoder(layout, options);
  if (options.level <= kLastMixed) return mix::make_rows_encoder(layout, options);
  return make_strong_encoder(layout, options);
}

Result<std::unique_ptr<RecordDecoder>> make_level_decoder(const RecordLayout& layout,
                                                          ByteView parameters, unsigned threads) {
  if (parameters.empty() || parameters[0] < 1 || parameters[0] > kLast)
    return fail(ErrorKind::unsupported, "the level is none this version knows");
  if (parameters[0] <= kLastFast) return make_fast_decoder(layout, parameters);
  if (parameters[0] <= kLastMixed) return mix::make_rows_decoder(layout, parameters, threads);
  return make_strong_decoder(layout, parameters);
}

}  // namespace vestige
