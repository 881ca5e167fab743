#include "codec/record/vpc/predictor_names.h"

#include <algorithm>

#include "codec/record/vpc/predictor_kinds.h"

namespace vestige::vpc {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string predictor_choices() {
  std::string names;
  for (const PredictorFamily* kind : kPredictorKinds) {
    if (!names.empty()) names += "; ";
    names += kind->help;
  }
  return names;
}

std::string PredictorSpec::name() const {
  std::string name{kind->stem};
  if (size > 0) name += std::to_string(size);
  if (values > 1) name += "." + std::to_string(values);
  return name;
}

std::string PredictorSpec::prediction_name(unsigned nth) const {
  return kind->predictions(*this) > 1 ? name() + "[" + std::to_string(nth) + "]" : name();
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A name without its hyphens, in lower case: once as it is, and once with # for each number.
struct Spelling {
  std::string plain, numbered;
  std::vector<unsigned> numbers;
};

Spelling spelling_of(std::string_view name) {
  Spelling out;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == '-' || c == '_' || c == ' ') {
      // Between two numbers it is what keeps them apart.
      if (out.plain.empty() || !is_digit(out.plain.back()) || i + 1 == name.size() ||
          !is_digit(name[i + 1]))
        continue;
      c = '.';
    }
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '#') c = '?';  // it stands for a number below
    const bool continues = !out.plain.empty() && is_digit(out.plain.back());
    out.plain += c;
    if (!is_digit(c)) {
      out.numbered += c;
      continue;
    }
    if (!continues) {
      out.numbered += '#';
      out.numbers.push_back(0);
    }
    out.numbers.back() = std::min(out.numbers.back() * 10 + static_cast<unsigned>(c - '0'), 1000u);
  }
  return out;
}

}  // namespace

Result<PredictorSpec> predictor_named(std::string_view name) {
  const Spelling spelling = spelling_of(name);
  const unsigned size = spelling.numbers.empty() ? 1 : spelling.numbers[0];
  const unsigned values = spelling.numbers.size() < 2 ? 1 : spelling.numbers[1];
  for (const PredictorFamily* kind : kPredictorKinds) {
    const auto spells = [&](std::string_view s) {
      return s == spelling.plain || s == spelling.numbered;
    };
    if (std::ranges::none_of(kind->spellings, spells)) continue;
    if (kind->most_size == 0) return PredictorSpec{kind, 0, 0};
    if (size < 1 || size > kind->most_size || values < 1 ||
        values > std::max<unsigned>(kind->most_values, 1))
      break;
    return PredictorSpec{kind, static_cast<uint8_t>(size),
                         static_cast<uint8_t>(kind->most_values == 0 ? 0 : values)};
  }
  return fail(ErrorKind::usage,
              "no predictor \"" + std::string(name) + "\"; there are: " + predictor_choices());
}

Result<PredictorList> predictors_named(std::string_view text) {
  PredictorList list;
  for (const std::string_view part : split(text, ',')) {
    if (trim(part).empty()) continue;
    auto spec = predictor_named(trim(part));
    if (!spec) return std::unexpected(spec.error());
    list.push_back(*spec);
  }
  return list;
}

}  // namespace vestige::vpc
