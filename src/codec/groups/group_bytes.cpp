#include "codec/groups/group_bytes.h"

#include <algorithm>
#include <unordered_map>

namespace vestige {

namespace {

std::unexpected<Error> bad() { return fail(ErrorKind::corrupt, "a value group makes no sense"); }

void write_pattern(const ValueGroupEncoder& group, ByteWriter& out) {
  const std::span<const uint32_t> pattern = group.pattern();
  if (group.combinations() == 1) return out.u8(0);
  if (group.combinations() == pattern.size()) return out.u8(1);
  out.u8(2);
  encode_selected(std::vector<uint64_t>(pattern.begin(), pattern.end()), out);
}

}  // namespace

void write_group(const ValueGroupEncoder& group, ByteWriter& out) {
  const size_t columns = group.columns(), count = group.combinations();
  const std::span<const uint64_t> values = group.values();
  out.varint(count);
  write_pattern(group, out);
  std::unordered_multimap<uint64_t, size_t> before;  // columns that are selected, by a hash
  std::vector<uint64_t> column(count);
  for (size_t c = 0; c < columns; ++c) {
    uint64_t hash = 0;
    bool same = true;
    for (size_t i = 0; i < count; ++i) {
      column[i] = values[i * columns + c];
      same &= column[i] == column[0];
      hash = (hash ^ column[i]) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    if (same) {
      out.u8(0);
      out.varint(column[0]);
      continue;
    }
    const auto [first, last] = before.equal_range(hash);
    const auto equal = std::find_if(first, last, [&](const auto& entry) {
      for (size_t i = 0; i < count; ++i)
        if (values[i * columns + entry.second] != column[i]) return false;
      return true;
    });
    if (equal != last) {
      out.u8(1);
      out.varint(equal->second);
      continue;
    }
    before.emplace(hash, c);
    out.u8(2);
    encode_selected(column, out);
  }
}

Result<GroupCursor> GroupCursor::open(ByteReader& in, uint64_t rows, uint64_t columns) {
  GroupCursor group;
  group.rows_ = rows;
  group.combinations_ = in.varint();
  group.pattern_form_ = in.u8();
  if (in.failed() || rows == 0 || group.combinations_ == 0 || group.combinations_ > rows ||
      group.pattern_form_ > 2 || columns > in.remaining())
    return bad();
  if ((group.pattern_form_ == 0 && group.combinations_ != 1) ||
      (group.pattern_form_ == 1 && group.combinations_ != rows))
    return bad();
  if (group.pattern_form_ == 2) {
    const auto pattern = read_selected(in);
    if (!pattern) return std::unexpected(pattern.error());
    group.pattern_ = *pattern;
  }
  group.columns_.resize(columns);
  for (size_t c = 0; c < columns; ++c) {
    Column& column = group.columns_[c];
    column.as = c;
    column.form = static_cast<Form>(in.u8());
    switch (column.form) {
      case Form::same:
        column.value = in.varint();
        break;
      case Form::as:
        column.as = in.varint();
        if (column.as >= c || group.columns_[column.as].form != Form::selected) return bad();
        break;
      case Form::selected: {
        const auto stream = read_selected(in);
        if (!stream) return std::unexpected(stream.error());
        column.stream = *stream;
        break;
      }
      default:
        return bad();
    }
  }
  if (in.failed()) return bad();
  return group;
}

Result<void> GroupCursor::need(size_t column) {
  Column& of = columns_[columns_[column].as];
  if (of.form == Form::same || of.unpacked) return {};
  auto cursor = open_stream(of.stream.codec, of.stream.bytes);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  if ((*cursor)->size() != combinations_) return bad();
  of.values.resize(combinations_);
  if ((*cursor)->read(of.values) != combinations_) return bad();
  of.unpacked = true;
  return {};
}

Result<uint64_t> GroupCursor::combination(uint64_t row) {
  if (row >= rows_) return bad();
  if (pattern_form_ == 0) return 0;
  if (pattern_form_ == 1) return row;
  if (!cursor_) {
    auto cursor = open_stream(pattern_.codec, pattern_.bytes);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    if ((*cursor)->size() != rows_) return bad();
    cursor_ = std::move(*cursor);
  }
  uint64_t number = 0;
  // Behind it, when rows are asked for by falling number.
  const bool there =
      cursor_->position() == row + 1
          ? cursor_->prev(number)
          : (cursor_->position() == row || cursor_->seek(row)) && cursor_->next(number);
  if (!there) return cursor_->error() ? std::unexpected(*cursor_->error()) : bad();
  if (number >= combinations_) return bad();
  return number;
}

}  // namespace vestige
