#include "trace/depth.h"

#include <algorithm>

#include "trace/call_stack.h"

namespace vestige {

Result<uint64_t> DepthMap::after(uint64_t time) {
  const auto& chunks = trace_.chunks[thread_];
  if (chunks.empty()) return 0;
  size_t chunk = trace_.chunk_at(thread_, time);
  const bool inside = chunk < chunks.size() && time >= chunks[chunk].first_time;
  if (!inside) {
    if (chunk < chunks.size() && time + 1 == chunks[chunk].first_time) {
      auto frames = stack_at_chunk(trace_, thread_, chunk);
      if (!frames) return std::unexpected(std::move(frames.error()));
      return frames->size();
    }
    return 0;
  }
  if (chunk_ != chunk) {
    if (auto entered = enter_chunk(chunk); !entered)
      return std::unexpected(std::move(entered.error()));
  }
  const uint64_t position = time - chunks[chunk].first_time;
  if (window_ != position / kWordBlock) {
    if (auto entered = enter_window(position / kWordBlock); !entered)
      return std::unexpected(trace_.in_chunk(chunks[chunk], entered.error()));
  }
  return sizes_[position % kWordBlock];
}

Result<void> DepthMap::enter_chunk(size_t chunk) {
  chunk_.reset();
  const ChunkPlace& place = trace_.chunks[thread_][chunk];
  auto frames = stack_at_chunk(trace_, thread_, chunk);
  if (!frames) return std::unexpected(std::move(frames.error()));
  auto view = trace_.view(thread_, chunk);
  if (!view) return std::unexpected(std::move(view.error()));
  auto events = trace_.events(place, *view);
  if (!events) return std::unexpected(std::move(events.error()));
  auto words = trace_.words(place, *view);
  if (!words) return std::unexpected(std::move(words.error()));
  std::erase_if(*events, [](const Event& e) { return e.kind != format::EventKind::resync; });
  resyncs_ = std::move(*events);
  words_ = std::move(*words);
  auto section = decode_stack(view->stack);
  if (!section) return std::unexpected(trace_.in_chunk(place, section.error()));
  window_start_ = std::move(section->depths);
  window_start_.insert(window_start_.begin(), frames->size());
  if (place.path_count > 0 && window_start_.size() != (place.path_count - 1) / kWordBlock + 1)
    return std::unexpected(
        trace_.in_chunk(place, {ErrorKind::corrupt, "its stack section is of another length"}));
  window_ = UINT64_MAX;
  chunk_ = chunk;
  return {};
}

Result<void> DepthMap::enter_window(uint64_t window) {
  window_ = UINT64_MAX;
  if (!words_->seek(window * kWordBlock) || words_->block_begin() != window * kWordBlock) {
    if (words_->error()) return std::unexpected(*words_->error());
    return fail(ErrorKind::corrupt, "it holds fewer paths than it says");
  }
  const std::span<const uint32_t> block = words_->block();
  StackSize stack{window_start_[window]};
  uint64_t time = trace_.chunks[thread_][*chunk_].first_time + window * kWordBlock;
  auto resync = std::ranges::lower_bound(resyncs_, time - 1, {}, &Event::time);
  sizes_.resize(block.size());
  for (size_t i = 0; i < block.size(); ++i, ++time) {
    for (; resync != resyncs_.end() && resync->time < time; ++resync) stack.change(resync->stack);
    const Path* path = trace_.paths.find(block[i]);
    if (!path) {
      return fail(ErrorKind::corrupt, "time " + std::to_string(time) +
                                          ": no function has path id " + std::to_string(block[i]));
    }
    stack.step(*path);
    sizes_[i] = static_cast<uint32_t>(std::min<uint64_t>(stack.size, UINT32_MAX));
  }
  window_ = window;
  return {};
}

}  // namespace vestige
