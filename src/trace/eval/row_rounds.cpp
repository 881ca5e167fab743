// Rows of paths, evaluated at once (row_proof.h).
#include <algorithm>

#include "trace/eval/evaluator.h"
#include "trace/state.h"

namespace vestige {

namespace {

// Of paths; longer rows are not looked for.
constexpr size_t kLongestRow = 1 << 16;
// In all rows that are at hand: fewer are not worth the trouble.
constexpr uint64_t kFewestPaths = 512;

}  // namespace

// Where there is nothing to be had, it is tried more and more rarely.
uint64_t Evaluator::give_up_rows() {
  proof_.fail();
  following_ = proving_ = false;
  if (code_) {
    code_->rows_wait = code_->rows_next_wait;
    code_->rows_next_wait = std::min(2 * code_->rows_next_wait, 1u << 10);
  }
  return 0;
}

uint64_t Evaluator::find_rows(uint64_t most) {
  if (!code_ || code_->leaves || notes_ || abandoned_ || machine_.touches || proving_) return 0;
  if (code_->rows_wait > 0) {
    --code_->rows_wait;
    return 0;
  }
  std::span<const uint32_t> words = cursor_.ahead();
  words =
      words.first(std::min({most, uint64_t{words.size()}, events_.next_time() - machine_.time - 1,
                            machine_.told_values.next_time() - machine_.time - 1}));
  if (events_.next_time() <= machine_.time || machine_.told_values.next_time() <= machine_.time ||
      words.size() < kFewestPaths || frames_.top().function != code_->function)
    return give_up_rows();
  const auto again =
      std::ranges::find(words.first(std::min(words.size() / 2, kLongestRow)), cursor_.path().id);
  const auto period = static_cast<size_t>(again - words.begin()) + 1;
  if (period < 2 || 2 * period > words.size()) return give_up_rows();
  row_.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(period));
  if (!row_stays()) return give_up_rows();
  // Each word is the one a row before.
  const uint64_t wanted = std::max<uint64_t>(kFewestPaths, 2 * period) - period;
  if (!std::equal(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(wanted),
                  words.begin() + static_cast<std::ptrdiff_t>(period)))
    return give_up_rows();
  row_begin_.take(frames_, passed());
  following_ = true;
  row_at_ = 0;
  return period;
}

void Evaluator::follow_row(std::span<const uint32_t> words) {
  following_ = words.size() <= row_.size() - row_at_ &&
               std::equal(words.begin(), words.end(), row_.data() + row_at_);
  row_at_ += words.size();
  if (row_at_ == row_.size()) row_at_ = 0;
}

// Whether a row ends in the activation in which it began, and never leaves it.
bool Evaluator::row_stays() const {
  int64_t depth = 0;
  for (const uint32_t word : row_) {
    const Path* path = cursor_.find(word);
    if (!path) return false;
    depth += path->enters;
    depth -= path->leaves;
    if (depth < 0) return false;
  }
  return depth == 0;
}

// What the last path passes on to a call.
std::span<Machine::Passed> Evaluator::passed() {
  return std::span(machine_.passed).first(code_->arguments);
}

void Evaluator::begin_row_proof() {
  const uint64_t paths = cursor_.end_time() - machine_.time;
  proof_.begin(frames_, passed(), row_begin_, paths / row_.size() + 1);
  proving_ = true;
  row_problems_ = machine_.problems.count();
  row_next_told_ = machine_.told_values.next_time();
  row_next_event_ = events_.next_time();
  row_statements_ = statements_;
}

bool Evaluator::is_as_in_proof() const {
  return following_ && row_at_ == 0 && machine_.problems.count() == row_problems_ &&
         machine_.told_values.next_time() == row_next_told_ &&
         events_.next_time() == row_next_event_ && !frames_.empty() && frames_.top().function &&
         code_ && frames_.top().function == code_->function;
}

bool Evaluator::end_row_proof() {
  proving_ = false;
  proof_time_ = machine_.time;
  row_statements_ = statements_ - row_statements_;
  if (is_as_in_proof() && proof_.finish(frames_, passed())) return true;
  give_up_rows();
  return false;
}

uint64_t Evaluator::go_over_rows(uint64_t most, uint64_t multiple) {
  const uint64_t behind = (machine_.time - proof_time_) / row_.size();
  if (!is_as_in_proof() || !proof_.is_at(frames_, passed(), behind)) return give_up_rows();
  most = std::min({most, row_next_told_ - machine_.time - 1, row_next_event_ - machine_.time - 1});
  following_ = false;
  const uint64_t first = machine_.time;
  uint64_t rows = cursor_.go_over(row_, std::min(most / row_.size(), proof_.rows() - behind));
  // The last one is evaluated: it makes what rows make anew.
  if (rows != 0) {
    rows = (rows - 1) / multiple * multiple;
    cursor_.seek(first + rows * row_.size());
  }
  if (rows == 0) return give_up_rows();
  code_->rows_next_wait = 1;
  proof_.jump(frames_, passed(), rows);
  machine_.time += rows * row_.size();
  frames_.top().time = machine_.time;
  statements_ += rows * row_statements_;
  return rows;
}

}  // namespace vestige
