#include "record/driver/response_file.h"

#include <fstream>
#include <iterator>

namespace vestige::driver {
namespace {

constexpr int kMaxNesting = 16;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void expand(std::span<const std::string> arguments, int nesting, std::vector<std::string>& out) {
  for (const std::string& argument : arguments) {
    if (argument.size() < 2 || argument[0] != '@' || nesting == kMaxNesting) {
      out.push_back(argument);
      continue;
    }
    std::ifstream file(argument.substr(1), std::ios::binary);
    if (!file) {
      out.push_back(argument);
      continue;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    expand(split_response(text), nesting + 1, out);
  }
}

}  // namespace

std::vector<std::string> split_response(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (is_blank(c)) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> expand_response_files(std::span<const std::string> arguments) {
  std::vector<std::string> out;
  expand(arguments, 0, out);
  return out;
}

}  // namespace vestige::driver
