// Evaluates arithmetic expressions, one per argument, each in a thread of its own. A bad expression
// is an exception, caught where the answer is collected.
//
//     vestige-c++ -O2 -pthread calculate.cpp -o calculate
//     vestige record -- ./calculate '1+2*3' '(4-4)/(5-5)' '2*(3'
#include <cctype>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Expression {
  virtual ~Expression() = default;
  virtual double value() const = 0;
};
using Tree = std::unique_ptr<Expression>;

struct Number : Expression {
  explicit Number(double n) : number(n) {}
  double value() const override { return number; }
  double number;
};

struct Operation : Expression {
  Operation(char s, Tree l, Tree r) : sign(s), left(std::move(l)), right(std::move(r)) {}
  double value() const override {
    const double a = left->value(), b = right->value();
    switch (sign) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      default:
        if (b == 0) throw std::domain_error("division by zero");
        return a / b;
    }
  }
  char sign;
  Tree left, right;
};

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Tree parse() {
    Tree tree = sum();
    if (at_ != text_.size()) throw std::invalid_argument("unexpected '" + text_.substr(at_) + "'");
    return tree;
  }

 private:
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  Tree sum() {
    Tree tree = product();
    while (peek() == '+' || peek() == '-') {
      const char sign = text_[at_++];
      tree = std::make_unique<Operation>(sign, std::move(tree), product());
    }
    return tree;
  }
  Tree product() {
    Tree tree = factor();
    while (peek() == '*' || peek() == '/') {
      const char sign = text_[at_++];
      tree = std::make_unique<Operation>(sign, std::move(tree), factor());
    }
    return tree;
  }
  Tree factor() {
    if (peek() == '(') {
      ++at_;
      Tree tree = sum();
      if (peek() != ')') throw std::invalid_argument("missing ')'");
      ++at_;
      return tree;
    }
    if (!std::isdigit(static_cast<unsigned char>(peek())))
      throw std::invalid_argument("number expected");
    size_t used = 0;
    const double number = std::stod(text_.substr(at_), &used);
    at_ += used;
    return std::make_unique<Number>(number);
  }

  const std::string& text_;
  size_t at_ = 0;
};

double evaluate(const std::string& text) { return Parser(text).parse()->value(); }

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> texts(argv + 1, argv + argc);
  std::vector<std::future<double>> answers;
  for (const std::string& text : texts)
    answers.push_back(std::async(std::launch::async, evaluate, text));
  int failures = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    try {
      const double answer = answers[i].get();
      std::cout << texts[i] << " = " << answer << '\n';
    } catch (const std::exception& error) {
      std::cout << texts[i] << ": " << error.what() << '\n';
      ++failures;
    }
  }
  return failures ? 1 : 0;
}
