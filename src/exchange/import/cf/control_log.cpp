#include "exchange/import/cf/control_log.h"

namespace vestige::cf {

ControlLog::ControlLog(StoreWriter& writer, uint32_t thread, uint64_t chunk_paths)
    : writer_(writer), chunk_paths_(chunk_paths), encoder_(make_word_encoder(WordCodec::context)) {
  words_.reserve(kWordBlock);
  chunk_.thread = thread;
  chunk_.codec = WordCodec::context;
}

void ControlLog::begin_chunk() {
  chunk_.first_time = time_ + 1;
  chunk_.path_count = 0;
  chunk_.stack.keep = same_;
  chunk_.stack.frames.assign(frames_.begin() + static_cast<ptrdiff_t>(same_), frames_.end());
  chunk_.depths.clear();
  same_ = frames_.size();
}

Result<void> ControlLog::end_block() {
  encoder_->append(words_);
  chunk_.path_count += words_.size();
  words_.clear();
  if (chunk_.path_count >= chunk_paths_) return end_chunk();
  chunk_.depths.push_back(frames_.size());
  return {};
}

Result<void> ControlLog::end_chunk() {
  chunk_.words = encoder_->finish();
  auto written = writer_.append(chunk_);
  chunk_.words = {};
  if (written) begin_chunk();
  return written;
}

Result<void> ControlLog::finish() {
  encoder_->append(words_);
  chunk_.path_count += words_.size();
  // After a whole block no depth is needed: nothing follows.
  if (words_.empty() && !chunk_.depths.empty()) chunk_.depths.pop_back();
  words_.clear();
  return chunk_.path_count == 0 ? Result<void>{} : end_chunk();
}

}  // namespace vestige::cf
