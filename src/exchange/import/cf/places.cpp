#include "exchange/import/cf/places.h"

namespace vestige::cf {

std::string function_name(const Places& places, uint32_t function) {
  if (function == Places::kUnknown) return "unknown";
  return "f" + std::to_string(places.functions()[function].id);
}

uint32_t Places::refuse(std::string why) {
  error_ = std::move(why);
  return kNone;
}

uint32_t Places::changed() { return refuse("the input changed while it was read"); }

uint32_t Places::add_function(uint32_t id) {
  if (frozen_) return changed();
  if (functions_.size() > kMostFunctions)
    return refuse("there are more than " + std::to_string(kMostFunctions) + " functions");
  const auto number = static_cast<uint32_t>(functions_.size());
  functions_.emplace_back().id = id;
  by_id_.emplace(id, number);
  return number;
}

uint32_t Places::add_place(uint32_t function, uint32_t block) {
  if (frozen_) return changed();
  std::vector<uint32_t>& blocks = functions_[function].places;
  if (block >= blocks.size()) {
    const uint64_t more = uint64_t{block} + 1 - blocks.size();
    if (more > kMostBlocks - blocks_) {
      return refuse("block " + std::to_string(block) + " of " + function_name(*this, function) +
                    ": functions may have at most " + std::to_string(kMostBlocks) +
                    " blocks together, counted up to the largest id of each");
    }
    blocks_ += more;
    blocks.resize(size_t{block} + 1, kNone);
  }
  function_of_.push_back(function);
  return blocks[block] = count_++;
}

uint32_t Places::add_nowhere(uint32_t function) {
  if (frozen_) return changed();
  function_of_.push_back(function);
  return functions_[function].nowhere = count_++;
}

}  // namespace vestige::cf
