#include "query/names/ranks.h"

#include <charconv>

namespace vestige {

Ranks::Ranks(const Trace& trace) : trace_(trace) {
  constexpr std::string_view kKey = "rank of process ";
  for (const auto& [key, value] : trace.meta()) {
    if (!key.starts_with(kKey)) continue;
    uint32_t process = 0, rank = 0;
    std::from_chars(key.data() + kKey.size(), key.data() + key.size(), process);
    std::from_chars(value.data(), value.data() + value.size(), rank);
    named_[process] = rank;
  }
}

}  // namespace vestige
