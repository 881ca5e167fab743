#include "trace/eval/code_cache.h"

#include <algorithm>
#include <utility>

#include "trace/eval/decisions.h"

namespace vestige {

FunctionCode& CodeCache::function(uint32_t index) {
  auto& function = functions_[index];
  if (!function)
    function =
        std::make_unique<FunctionCode>(trace_->functions()[index], index, addresses_of(index));
  return *function;
}

// Null when they are not known.
const FunctionAddresses* CodeCache::addresses_of(uint32_t function) const {
  for (const ModuleMove& module : moved_)
    if (function - module.first_function < module.function_count)
      return module.addresses ? module.addresses + (function - module.first_function) : nullptr;
  if (!inputs_.addresses || function >= inputs_.addresses->size()) return nullptr;
  const FunctionAddresses& addresses = (*inputs_.addresses)[function];
  return addresses.known ? &addresses : nullptr;
}

void CodeCache::move(const ModuleMove& to) {
  const auto at = std::ranges::find(moved_, to.first_function, &ModuleMove::first_function);
  if (at == moved_.end())
    moved_.push_back(to);
  else if (at->addresses != to.addresses)
    *at = to;
  else
    return;
  place_again(to);
}

void CodeCache::move_back() {
  for (const ModuleMove& module : std::exchange(moved_, {})) place_again(module);
}

void CodeCache::place_again(const ModuleMove& module) {
  for (uint32_t i = 0; i < module.function_count; ++i) {
    const uint32_t function = module.first_function + i;
    if (functions_[function]) functions_[function]->move_to(addresses_of(function));
  }
  clear();
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
  if (only_ && left_out_.empty()) left_out_.resize(functions_.size());
  const bool looked = !only_ || !left_out_[path.function].empty();
  if (!looked) left_out_[path.function] = mere_decisions(of, observed_);
  auto code = std::make_unique<PathCode>(compile_path(path, of, signatures_, observed_, watched,
                                                      only_ ? left_out_[path.function] : kNothing));
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
