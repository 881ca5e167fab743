// Why bytes of memory are not known, in words.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "query/variables/memory_image.h"
#include "vestige/program.h"

namespace vestige {

class UnknownOrigins {
 public:
  enum class Kind : uint8_t {
    first,       // nobody wrote it
    unassigned,  // of a local: its life began
    allocated,   // by that call
    written,     // by that call
    maybe,       // that call was given its address
    stored,      // a value that is not known
    elsewhere,   // a store went to an address that is not known
  };
  explicit UnknownOrigins(const std::vector<Function>& functions) : functions_(functions) {}

  MemoryImage::Origin number(Kind kind, uint32_t function = kNone, uint32_t statement = kNone) {
    const auto [at, fresh] = numbers_.try_emplace({kind, function, statement},
                                                  static_cast<MemoryImage::Origin>(list_.size()));
    if (fresh) list_.push_back({kind, function, statement});
    return at->second;
  }
  std::string text(MemoryImage::Origin origin) const;

 private:
  using Origin = std::tuple<Kind, uint32_t, uint32_t>;
  const std::vector<Function>& functions_;
  std::vector<Origin> list_ = {{Kind::first, kNone, kNone}};
  std::map<Origin, MemoryImage::Origin> numbers_;
};

// The function that a call names, without arguments; "unrecorded code" when it names none.
std::string callee_of(const Function& function, uint32_t statement);

}  // namespace vestige
