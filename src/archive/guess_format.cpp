#include "archive/guess_format.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "archive/columns.h"

namespace vestige {
namespace {

struct FormatCandidate {
  const char* format;
  double handicap = 1;
};

// In order of preference when they are about equally good. Several records of one field taken as
// one record of several look better than they are, since each field then knows its neighbour; so do
// bytes, most of which are the constant upper ones.
constexpr FormatCandidate kCandidates[] = {
    {"cf"},
    {"u64"},
    {"vpc"},
    {"refs"},
    {"record:pc:4,data:8"},
    {"record:8,4"},
    {"record:8,8,4"},
    {"record:8,8", 1.5},
    {"record:8,8,8", 1.5},
    {"record:4,4", 1.5},
    {"u16", 1.5},
    {"u8", 1.3},
};

std::string_view format_from_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(".vpc")) return "vpc";
  if (name.ends_with(".u32") || name.ends_with(".cf") || name.find("cflow") != name.npos)
    return "cf";
  if (name.ends_with(".refs") || name.find("memref") != name.npos) return "refs";
  if (name.ends_with(".u64")) return "u64";
  return "";
}

// What a column costs in bits when each value is either predicted, or told apart from the nearest
// prediction.
class ColumnCost {
 public:
  ColumnCost(uint8_t width, size_t rows)
      : hit_(kHitBits * width),
        most_(8.0 * width + kMissBits),
        slots_(std::bit_ceil(std::clamp(2 * rows, kLeastSlots, kMostSlots))) {}

  void add(uint64_t pc, uint64_t value) {
    Slot& own = slots_[slot(pc, 0)];
    uint64_t& followed = slots_[slot(pc, own.last * 3 + own.before + 1)].follows;
    uint64_t& followed_long = slots_[slot(kMix, history_)].follows;
    const uint64_t stride = own.last + own.stride;
    if (value == followed || value == followed_long || value == own.last || value == stride) {
      bits_ += hit_;
    } else {
      const auto distance = [&](uint64_t from) {
        return std::bit_width(std::min(value - from, from - value));
      };
      const int nearest = std::min({distance(own.last), distance(stride), distance(last_)});
      bits_ += std::min(most_, kMissBits + nearest);
    }
    followed = followed_long = value;
    history_ = (history_ << 11) + (value * kMix >> 53);  // the last six of the column
    own.stride = value - own.last;
    own.before = own.last;
    own.last = last_ = value;
  }
  double bits() const { return bits_; }

 private:
  static constexpr size_t kLeastSlots = 16, kMostSlots = 1 << 15;
  static constexpr double kHitBits = 0.1, kMissBits = 5;
  static constexpr uint64_t kMix = 0x9e3779b97f4a7c15u;
  struct Slot {
    uint64_t last = 0, before = 0, stride = 0, follows = 0;
  };
  size_t slot(uint64_t pc, uint64_t value) const {
    const uint64_t mixed = (pc * kMix ^ value) * 0xd6e8feb86659fd93u;
    return mixed >> (64 - std::countr_zero(slots_.size()));
  }
  double hit_;  // by the byte, or the longest record would win where everything is predicted
  double most_;
  double bits_ = 0;
  uint64_t last_ = 0, history_ = 0;
  std::vector<Slot> slots_;
};

double bits_per_byte(const TraceFormat& format, ByteView head) {
  const size_t width = format.layout.width();
  const ByteView body = head.subspan(std::min(format.preamble, head.size()));
  const ByteView rows = body.first(body.size() / width * width);
  if (rows.empty()) return INFINITY;
  RecordBlock block;
  split_rows(format.layout, rows, block);
  const auto pc = format.layout.pc_field();
  double bits = 0;
  for (size_t f = 0; f < block.columns.size(); ++f) {
    ColumnCost cost(format.layout.fields[f].width, block.rows);
    for (size_t row = 0; row < block.rows; ++row)
      cost.add(pc && *pc != f ? block.columns[*pc][row] : 0, block.columns[f][row]);
    bits += cost.bits();
  }
  return bits / static_cast<double>(rows.size());
}

}  // namespace

TraceFormat guess_format(std::string_view name, uint64_t size, ByteView head) {
  std::string_view told = format_from_name(name);
  if (told.empty() && head.size() >= 4 && std::memcmp(head.data(), "vpc3", 4) == 0) told = "vpc";
  if (!told.empty()) return *parse_trace_format(told);
  TraceFormat best = *parse_trace_format("u8");
  double least = INFINITY;
  for (const FormatCandidate& candidate : kCandidates) {
    TraceFormat format = *parse_trace_format(candidate.format);
    double bits = bits_per_byte(format, head) * candidate.handicap;
    // A trace that was not cut ends with a whole record.
    constexpr double kOddSize = 1.2;
    if (size > 0 &&
        (size < format.preamble || (size - format.preamble) % format.layout.width() != 0))
      bits *= kOddSize;
    // Two records taken as one look alike to any predictor; the plainer one, which stands before,
    // wins.
    constexpr double kClearly = 0.9;
    if (bits < kClearly * least) {
      least = bits;
      best = std::move(format);
    }
  }
  return best;
}

}  // namespace vestige
