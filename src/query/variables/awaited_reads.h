// What recorded code reads next at addresses, unless it writes there before: bytes that nobody is
// seen to write hold that already.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace vestige {

class AwaitedReads {
 public:
  // Its number, from 0.
  size_t await(uint64_t address) {
    waiting_[address / kLine].push_back({address, found_.size()});
    found_.emplace_back();
    return found_.size() - 1;
  }
  const std::optional<uint8_t>& found(size_t number) const { return found_[number]; }

  void read(uint64_t address, uint8_t value) {
    const auto line = waiting_.find(address / kLine);
    if (line == waiting_.end()) return;
    std::erase_if(line->second, [&](const Waiting& one) {
      if (one.address != address) return false;
      found_[one.number] = value;
      return true;
    });
    if (line->second.empty()) waiting_.erase(line);
  }
  void written(uint64_t address, uint64_t bytes) {
    if (waiting_.empty() || bytes == 0) return;
    const uint64_t last = (address + bytes - 1) / kLine;
    const auto end = [&](auto line) {
      std::erase_if(line->second,
                    [&](const Waiting& one) { return one.address - address < bytes; });
      return line->second.empty() ? waiting_.erase(line) : std::next(line);
    };
    if (last - address / kLine < waiting_.size()) {
      for (uint64_t number = address / kLine; number <= last; ++number)
        if (const auto line = waiting_.find(number); line != waiting_.end()) end(line);
    } else {
      for (auto line = waiting_.begin(); line != waiting_.end();)
        line = line->first >= address / kLine && line->first <= last ? end(line) : std::next(line);
    }
  }
  // Anything may have been written anywhere.
  void clear() { waiting_.clear(); }
  bool empty() const { return waiting_.empty(); }

 private:
  static constexpr uint64_t kLine = 8;
  struct Waiting {
    uint64_t address;
    size_t number;
  };
  std::unordered_map<uint64_t, std::vector<Waiting>> waiting_;  // by address / kLine
  std::vector<std::optional<uint8_t>> found_;
};

}  // namespace vestige
