#include "trace/eval/code_cache.h"

namespace vestige {

const PathCode& CodeCache::compile(const Path& path) {
  auto& function = functions_[path.function];
  if (!function) {
    const Function& from = trace_->functions()[path.function];
    const bool moved = from.module < moved_.size() && moved_[from.module];
    const bool known = inputs_.addresses && path.function < inputs_.addresses->size() && !moved;
    function = std::make_unique<FunctionCode>(
        from, path.function, known ? &(*inputs_.addresses)[path.function] : nullptr);
  }
  static const std::vector<bool> kNothing;
  const auto& watched = path.function < watched_.size() ? watched_[path.function] : kNothing;
  auto code =
      std::make_unique<PathCode>(compile_path(path, *function, signatures_, observed_, watched));
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
