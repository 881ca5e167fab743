// What users type, as hostile words: there is some answer, or an error with a sentence in it.

#include "archive/trace_format.h"
#include "codec/record/vpc/predictor_names.h"
#include "fuzz.h"
#include "query/paths/automaton.h"
#include "query/paths/expression.h"
#include "some_trace.h"
#include "vestige/cache_model.h"
#include "vestige/query.h"
#include "vestige/spmd.h"
#include "vestige/variables.h"

namespace vestige {
namespace {

template <class T>
const Result<T>& said(const Result<T>& result) {
  require(result || !result.error().message.empty(), "an error without a sentence");
  return result;
}

void use_formats(std::string_view text) {
  const auto format = said(parse_trace_format(text));
  if (!format) return;
  const auto again = parse_trace_format(format->name);
  require(again && again->name == format->name && again->preamble == format->preamble &&
              again->layout.width() == format->layout.width() &&
              again->layout.pc_field() == format->layout.pc_field(),
          "a format's own name is another format");
}

void use_numbers(std::string_view text) {
  said(parse_walk_from(text));
  said(parse_lossy(text));
  said(vpc::predictors_named(text));
  if (const auto geometry = said(parse_cache_geometry(text))) {
    const auto again = parse_cache_geometry(cache_geometry_text(*geometry));
    require(again && *again == *geometry, "a cache's own text is another cache");
  }
  said(parse_cache_levels(text));
}

void use_names(std::string_view text) {
  const Trace& trace = some_trace();
  said(find_thread(trace, text));
  said(find_function(trace, text));
  said(find_statement(trace, text));
  said(find_statements(trace, text));
  said(find_variable(trace, text));
  (void)demangle(text);
}

void use_pattern(PatternKind kind, uint8_t function, std::string_view text) {
  const Trace& trace = some_trace();
  PatternOptions options;
  options.function = function % trace.functions().size();
  options.kind = kind;
  options.text = text;
  if (const auto expression = said(parse_pattern(trace, options)))
    said(Automaton::make(*expression));
}

}  // namespace
}  // namespace vestige

// The first byte says what the rest is; of patterns the second one of which function.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const uint8_t what = data[0] % 6;
  if (what == 0)
    use_formats(rest);
  else if (what == 1)
    use_numbers(rest);
  else if (what == 2)
    use_names(rest);
  else
    use_pattern(static_cast<PatternKind>(what - 3), data[1], rest.substr(1));
  return 0;
}
