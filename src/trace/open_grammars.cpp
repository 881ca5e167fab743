#include "trace/open_grammars.h"

#include <algorithm>

namespace vestige {

Result<std::shared_ptr<const GrammarWords>> OpenGrammars::open(size_t row, ByteView bytes) const {
  {
    const std::lock_guard lock(mutex_);
    for (const Open& one : open_)
      if (one.row == row)
        if (auto words = one.words.lock()) return words;
  }
  auto decoded = GrammarWords::open(bytes);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  auto words = std::make_shared<const GrammarWords>(std::move(*decoded));
  const std::lock_guard lock(mutex_);
  std::erase_if(open_, [&](const Open& one) { return one.words.expired() || one.row == row; });
  open_.push_back({row, words});
  if (bytes.size() <= kSmall) kept_[next_++ % kept_.size()] = words;
  return words;
}

}  // namespace vestige
