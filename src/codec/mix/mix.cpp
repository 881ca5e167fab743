#include "codec/mix/mix.h"

#include "codec/mix/columns.h"

namespace vestige {
namespace {

constexpr int kLast = 9;

}  // namespace

Result<std::unique_ptr<RecordEncoder>> make_mix_encoder(const RecordLayout& layout,
                                                        const RecordCodecOptions& options) {
  if (options.level < 1 || options.level > kLast)
    return fail(ErrorKind::usage,
                "level " + std::to_string(options.level) + " is not one of 1 … 9");
  return mix::make_column_encoder(layout, options);
}

Result<std::unique_ptr<RecordDecoder>> make_mix_decoder(const RecordLayout& layout,
                                                        ByteView parameters, unsigned) {
  if (parameters.empty() || parameters[0] < 1 || parameters[0] > kLast)
    return fail(ErrorKind::unsupported, "the level is none this version knows");
  return mix::make_column_decoder(layout, parameters);
}

}  // namespace vestige
