#include "store/value_rows.h"

namespace vestige {

namespace {

constexpr int kLevel = 1;
enum RowColumn { kIndex, kGap, kValue };

RecordLayout layout() {
  RecordLayout layout;
  layout.fields = {{"statement", 4, true}, {"gap", 8, false}, {"value", 8, false}};
  return layout;
}

std::unique_ptr<RecordEncoder> fresh_encoder() {
  RecordCodecOptions options;
  options.level = kLevel;
  return std::move(*make_record_encoder(RecordCodec::vestige, layout(), options));
}

}  // namespace

ValueRowsEncoder::ValueRowsEncoder(Spares<RecordEncoder>* spares, WorkerPool* workers,
                                   std::function<void()> behind)
    : spares_(spares), tasks_(workers, std::move(behind)) {}

void ValueRowsEncoder::append(const ToldValue& value) {
  while (!has_room()) wait_for_handed_over();
  if (count_ == 0) begin();
  if (block_.columns.empty()) block_.columns.assign(3, std::vector<uint64_t>(kRows));
  block_.columns[kIndex][block_.rows] = value.index;
  block_.columns[kGap][block_.rows] = value.time - time_;
  block_.columns[kValue][block_.rows] = value.value;
  time_ = value.time;
  ++count_;
  ++block_.rows;
}

void ValueRowsEncoder::begin() {
  if (spares_ != nullptr) encoder_ = spares_->take();
  if (encoder_ == nullptr) encoder_ = fresh_encoder();
}

// The full block goes to a worker; false while one is still at the last.
bool ValueRowsEncoder::hand_over() {
  encode_handed_over();
  {
    const std::lock_guard lock(mutex_);
    if (encoding_ == Encoding::runs) return false;
  }
  std::swap(block_, handed_over_);
  block_.rows = 0;
  {
    const std::lock_guard lock(mutex_);
    encoding_ = Encoding::waits;
  }
  tasks_.run([this] { encode_handed_over(); });
  return true;
}

bool ValueRowsEncoder::waits_for_worker() {
  const std::lock_guard lock(mutex_);
  return block_.rows == kRows && encoding_ != Encoding::done;
}

void ValueRowsEncoder::encode_handed_over() {
  {
    const std::lock_guard lock(mutex_);
    if (encoding_ != Encoding::waits) return;
    encoding_ = Encoding::runs;
  }
  encode(handed_over_);
  const std::lock_guard lock(mutex_);
  encoding_ = Encoding::done;
  done_.notify_all();
}

// Whoever is at it waits for nobody, so a worker may wait here.
void ValueRowsEncoder::wait_for_handed_over() {
  encode_handed_over();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return encoding_ == Encoding::done; });
}

void ValueRowsEncoder::encode(const RecordBlock& block) {
  if (block.rows == 0) return;
  const Bytes bytes = encoder_->encode(block);
  out_.varint(block.rows);
  out_.varint(bytes.size());
  out_.bytes(bytes);
}

Bytes ValueRowsEncoder::finish() {
  wait_for_handed_over();
  encode(block_);
  block_.rows = 0;
  if (spares_ != nullptr && encoder_ != nullptr && encoder_->restart())
    spares_->give(std::move(encoder_));
  encoder_.reset();
  count_ = time_ = 0;
  return std::exchange(out_, {}).take();
}

ValueRowsDecoder::ValueRowsDecoder(ByteView rows, uint64_t count) : in_(rows), left_(count) {
  const Bytes parameters = {kLevel};
  decoder_ = std::move(*make_record_decoder(RecordCodec::vestige, layout(), parameters, 1));
}

Result<std::vector<ToldValue>> ValueRowsDecoder::next() {
  std::vector<ToldValue> values;
  if (left_ == 0) return values;
  RecordBlock block;
  block.rows = in_.varint();
  const ByteView bytes = in_.bytes(in_.varint());
  if (in_.failed() || block.rows == 0 || block.rows > left_)
    return fail(ErrorKind::corrupt, "values chunk: its rows end early");
  if (auto decoded = decoder_->decode(bytes, block); !decoded)
    return std::unexpected(std::move(decoded.error()));
  left_ -= block.rows;
  values.reserve(block.rows);
  for (size_t i = 0; i < block.rows; ++i) {
    time_ += block.columns[kGap][i];
    values.push_back(
        {time_, static_cast<uint32_t>(block.columns[kIndex][i]), block.columns[kValue][i]});
  }
  return values;
}

}  // namespace vestige
