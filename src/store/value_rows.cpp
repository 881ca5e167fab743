#include "store/value_rows.h"

namespace vestige {

namespace {

constexpr int kLevel = 1;
// Of a block: as much as a cache holds.
constexpr size_t kRows = 1 << 16;
enum Column { kIndex, kGap, kValue };

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

ValueRowsEncoder::ValueRowsEncoder(Spares<RecordEncoder>* spares) : spares_(spares) {
  block_.columns.resize(3);
}

void ValueRowsEncoder::append(const ToldValue& value) {
  if (count_ == 0) begin();
  block_.columns[kIndex][block_.rows] = value.index;
  block_.columns[kGap][block_.rows] = value.time - time_;
  block_.columns[kValue][block_.rows] = value.value;
  time_ = value.time;
  ++count_;
  if (++block_.rows == kRows) write_block();
}

void ValueRowsEncoder::begin() {
  if (spares_ != nullptr) encoder_ = spares_->take();
  if (encoder_ == nullptr) encoder_ = fresh_encoder();
  for (auto& column : block_.columns) column.resize(kRows);
}

void ValueRowsEncoder::write_block() {
  if (block_.rows == 0) return;
  const Bytes bytes = encoder_->encode(block_);
  out_.varint(block_.rows);
  out_.varint(bytes.size());
  out_.bytes(bytes);
  block_.rows = 0;
}

Bytes ValueRowsEncoder::finish() {
  write_block();
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
