#include "naive_predictors.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>

namespace vestige {

namespace {

uint64_t cut(uint64_t value, unsigned width) {
  return width == 8 ? value : value % (uint64_t{1} << 8 * width);
}

// The most recent distinct values, padded with zeros to `count`.
class RecentValues {
 public:
  explicit RecentValues(size_t count) : values_(count, 0) {}
  void add(uint64_t value) {
    const auto old = std::find(values_.begin(), values_.end(), value);
    values_.erase(old == values_.end() ? old - 1 : old);
    values_.push_front(value);
  }
  std::vector<uint64_t> all() const { return {values_.begin(), values_.end()}; }

 private:
  std::deque<uint64_t> values_;
};

// The latest first; what lies before the first value is zero.
using Sequence = std::deque<uint64_t>;

uint32_t index_of(const Sequence& sequence, unsigned order) {
  uint32_t index = 0;
  for (unsigned age = 0; age < order; ++age) {
    uint64_t value = age < sequence.size() ? sequence[age] : 0;
    uint64_t folded = 0;
    for (; value > 0; value /= 16384) folded ^= value % 16384;
    index ^= static_cast<uint32_t>(folded * 10085 % 16384) << age;
  }
  return index;
}

class NaiveLastValues : public NaivePredictor {
 public:
  explicit NaiveLastValues(unsigned count) : count_(count) {}
  std::vector<uint64_t> predict(uint32_t line) override { return at(line).all(); }
  void update(uint32_t line, uint64_t value) override { at(line).add(value); }

 private:
  RecentValues& at(uint32_t line) { return lines_.try_emplace(line, count_).first->second; }
  unsigned count_;
  std::map<uint32_t, RecentValues> lines_;
};

class NaiveStride : public NaivePredictor {
 public:
  explicit NaiveStride(unsigned width) : width_(width) {}
  std::vector<uint64_t> predict(uint32_t line) override {
    const Line& at = lines_[line];
    return {cut(at.value + at.second_stride, width_)};
  }
  void update(uint32_t line, uint64_t value) override {
    Line& at = lines_[line];
    const uint64_t stride = value - at.value;
    if (cut(stride, width_) == cut(at.stride, width_)) at.second_stride = stride;
    at.stride = stride;
    at.value = value;
  }

 private:
  struct Line {
    uint64_t value = 0, stride = 0, second_stride = 0;
  };
  unsigned width_;
  std::map<uint32_t, Line> lines_;
};

class NaiveFcm : public NaivePredictor {
 public:
  explicit NaiveFcm(unsigned order) : order_(order) {}
  std::vector<uint64_t> predict(uint32_t line) override {
    return {table_[index_of(values_[line], order_)].value};
  }
  void update(uint32_t line, uint64_t value) override {
    Entry& entry = table_[index_of(values_[line], order_)];
    if (entry.value == value) {
      entry.was_right = true;
    } else if (entry.was_right) {
      entry.was_right = false;
    } else {
      entry.value = value;
    }
    values_[line].push_front(value);
  }

 private:
  struct Entry {
    uint64_t value = 0;
    bool was_right = false;
  };
  unsigned order_;
  std::map<uint32_t, Sequence> values_;
  std::map<uint32_t, Entry> table_;
};

class NaiveDfcm : public NaivePredictor {
 public:
  NaiveDfcm(unsigned order, unsigned values, unsigned width)
      : order_(order), values_(values), width_(width) {}
  std::vector<uint64_t> predict(uint32_t line) override {
    std::vector<uint64_t> predictions = entry(line).all();
    for (uint64_t& prediction : predictions) prediction = cut(prediction + last_[line], width_);
    return predictions;
  }
  void update(uint32_t line, uint64_t value) override {
    const uint64_t stride = cut(value - last_[line], width_);
    entry(line).add(stride);
    strides_[line].push_front(stride);
    last_[line] = value;
  }

 private:
  RecentValues& entry(uint32_t line) {
    return table_.try_emplace(index_of(strides_[line], order_), values_).first->second;
  }
  unsigned order_, values_, width_;
  std::map<uint32_t, uint64_t> last_;
  std::map<uint32_t, Sequence> strides_;
  std::map<uint32_t, RecentValues> table_;
};

class NaiveGlobalLocal : public NaivePredictor {
 public:
  explicit NaiveGlobalLocal(uint32_t lines) : lines_(lines) {}
  std::vector<uint64_t> predict(uint32_t line) override {
    return {last_[links_.try_emplace(line, Link{line, 0}).first->second.looks_at]};
  }
  void update(uint32_t line, uint64_t value) override {
    const bool right = predict(line)[0] == value;
    Link& link = links_.at(line);
    if (right)
      link.confidence = std::min(link.confidence + 1, 3);
    else if (link.confidence > 0)
      --link.confidence;
    else
      link.looks_at = (link.looks_at + 1) % lines_;
    last_[line] = value;
  }

 private:
  struct Link {
    uint32_t looks_at;
    int confidence;
  };
  uint32_t lines_;
  std::map<uint32_t, uint64_t> last_;
  std::map<uint32_t, Link> links_;
};

}  // namespace

std::unique_ptr<NaivePredictor> make_naive_predictor(const std::string& name, uint32_t lines,
                                                     unsigned width) {
  const auto number = [&](size_t at) {
    return static_cast<unsigned>(std::atoi(name.c_str() + at));
  };
  if (name.starts_with("last")) return std::make_unique<NaiveLastValues>(number(4));
  if (name.starts_with("stride")) return std::make_unique<NaiveStride>(width);
  if (name.starts_with("fcm")) return std::make_unique<NaiveFcm>(number(3));
  if (name.starts_with("global")) return std::make_unique<NaiveGlobalLocal>(lines);
  const size_t dot = name.find('.');
  return std::make_unique<NaiveDfcm>(number(4), dot == std::string::npos ? 1 : number(dot + 1),
                                     width);
}

}  // namespace vestige
