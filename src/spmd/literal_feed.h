// What a player asks and tells while the literals of what it plays are coded (literal_bytes.h).
#pragma once

#include <cstdint>
#include <optional>

#include "spmd/form.h"

namespace vestige::spmd {

class LiteralFeed {
 public:
  virtual ~LiteralFeed() = default;
  // Which one a stream is of those whose literals are coded now; nothing: it is none of them.
  virtual std::optional<uint32_t> place_of(const StreamId& id) = 0;
  // That stream's next literal; nothing: there is none.
  virtual std::optional<uint64_t> next(uint32_t place) = 0;
  // Whether it is worth while to play on; asked before each piece, and in those that may be long.
  virtual bool goes_on() = 0;
  // A reference is played; a loop is entered, or left.
  virtual void see(uint64_t address) = 0;
  virtual void enter_loop() = 0;
  virtual void leave_loop() = 0;
};

}  // namespace vestige::spmd
