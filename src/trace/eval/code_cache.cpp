#include "trace/eval/code_cache.h"

namespace vestige {

FunctionCode& CodeCache::function(uint32_t index) {
  auto& function = functions_[index];
  if (!function) {
    const Function& from = trace_->functions()[index];
    const bool known = inputs_.addresses && index < inputs_.addresses->size() &&
                       (*inputs_.addresses)[index].known;
    function = std::make_unique<FunctionCode>(from, index,
                                              known ? &(*inputs_.addresses)[index] : nullptr);
  }
  return *function;
}

PathCode CodeCache::compile_observed(const Path& path) {
  const Function& described = trace_->functions()[path.function];
  const std::vector<bool> all(uint64_t{described.first_statement} + described.statements.size(),
                              true);
  const std::vector<bool> bindings(described.bindings.size(), true);
  return compile_path(path, function(path.function), signatures_, all, bindings);
}

const PathCode& CodeCache::compile(const Path& path) {
  FunctionCode& of = function(path.function);
  static const std::vector<bool> kNothing;
  const auto& watched = path.function < watched_.size() ? watched_[path.function] : kNothing;
  auto code = std::make_unique<PathCode>(compile_path(path, of, signatures_, observed_, watched));
  if (bytes_ + code->bytes() > kMaxBytes) clear();
  const uint32_t page = path.id >> kPageBits;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (!pages_[page]) {
    pages_[page] = std::make_unique<Page>();
    bytes_ += sizeof(Page);
  }
  bytes_ += code->bytes();
  auto& slot = (*pages_[page])[path.id & (kPageSize - 1)];
  slot = std::move(code);
  return *slot;
}

}  // namespace vestige
