// The encoder of context_words.h: blocks, encoded one by one or by a pool of threads.
#include <algorithm>
#include <deque>
#include <mutex>

#include "base/task_group.h"
#include "codec/word/context/context_block_encoder.h"
#include "codec/word/context/context_words.h"

namespace vestige {

namespace {

// Blocks waiting to be encoded before append() waits for one: bounds memory, and slows the producer
// down to what the workers can do.
constexpr size_t kMostWaiting = 8;

class ContextEncoder final : public WordEncoder {
 public:
  explicit ContextEncoder(WorkerPool* pool) : tasks_(pool) { pending_.words.reserve(kWordBlock); }

  void append(std::span<const uint32_t> words) override {
    if (is_run(words)) return append_run(words[0], words.size());
    count_ += words.size();
    while (!words.empty()) {
      const size_t fits = std::min<size_t>(words.size(), room());
      pending_.words.insert(pending_.words.end(), words.begin(), words.begin() + fits);
      words = words.subspan(fits);
      if (room() == 0) encode_pending();
    }
  }

  uint64_t size() const override { return count_; }
  uint64_t encoded_bytes() const override {
    const std::lock_guard lock(mutex_);
    return encoded_bytes_;
  }

  Bytes finish() override {
    if (!pending_.words.empty()) encode_pending();
    tasks_.wait();
    ByteWriter out;
    out.varint(count_);
    for (const Bytes& block : blocks_) out.varint(block.size());
    for (const Bytes& block : blocks_) out.bytes(block);
    blocks_.clear();
    count_ = encoded_bytes_ = 0;
    return out.take();
  }

 private:
  // Less than a block, or one that is encoded.
  struct Pending {
    std::vector<uint32_t> words;
    std::vector<ContextBlockEncoder::LeftOut> left_out;
    uint64_t left_out_words = 0;
    void clear() {
      words.clear();
      left_out.clear();
      left_out_words = 0;
    }
  };
  // The same word all along, and long enough for that to matter.
  static bool is_run(std::span<const uint32_t> words) {
    constexpr size_t kShortest = 64;
    if (words.size() < kShortest || words[0] != words[1] || words[0] != words.back()) return false;
    uint32_t differ = 0;
    for (const uint32_t word : words) differ |= word ^ words[0];
    return differ == 0;
  }
  void append_run(uint32_t word, uint64_t count) {
    constexpr uint64_t kKept = ContextBlockEncoder::kFirstOfRun + 1;
    count_ += count;
    for (uint64_t fits; count != 0; count -= fits) {
      fits = std::min<uint64_t>(count, room());
      const uint64_t kept = std::min(fits, kKept);
      pending_.words.insert(pending_.words.end(), kept, word);
      if (fits > kept) {
        pending_.left_out.push_back(
            {static_cast<uint32_t>(pending_.words.size()), static_cast<uint32_t>(fits - kept)});
        pending_.left_out_words += fits - kept;
      }
      if (room() == 0) encode_pending();
    }
  }
  uint64_t room() const { return kWordBlock - pending_.words.size() - pending_.left_out_words; }

  void encode_pending() {
    if (blocks_.empty()) {  // the one the others start from
      trained_ = {};
      deliver(blocks_.emplace_back(), own_.encode(pending_.words, pending_.left_out, trained_));
      pending_.clear();
      return;
    }
    Bytes& block = blocks_.emplace_back();
    tasks_.run([this, &block, pending = std::move(pending_)]() mutable {
      thread_local ContextBlockEncoder encoder;
      thread_local ContextTable table;
      table = trained_;
      deliver(block, encoder.encode(pending.words, pending.left_out, table));
      pending.clear();
      const std::lock_guard lock(mutex_);
      spare_.push_back(std::move(pending));
    });
    tasks_.wait(kMostWaiting - 1);
    const std::lock_guard lock(mutex_);
    pending_ = {};
    if (!spare_.empty()) {
      pending_ = std::move(spare_.back());
      spare_.pop_back();
    }
    pending_.words.reserve(kWordBlock);
  }

  void deliver(Bytes& block, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    encoded_bytes_ += bytes.size();
    block = std::move(bytes);
  }

  ContextBlockEncoder own_;
  ContextTable trained_;  // written only while no task runs
  Pending pending_;
  std::vector<Pending> spare_;  // buffers that were encoded: fresh ones cost page faults
  std::deque<Bytes> blocks_;    // a deque: tasks hold references
  uint64_t count_ = 0;
  mutable std::mutex mutex_;  // of spare_ and encoded_bytes_
  uint64_t encoded_bytes_ = 0;
  TaskGroup tasks_;  // last: its tasks use the rest
};

}  // namespace

std::unique_ptr<WordEncoder> make_context_encoder(WorkerPool* pool) {
  return std::make_unique<ContextEncoder>(pool);
}

}  // namespace vestige
