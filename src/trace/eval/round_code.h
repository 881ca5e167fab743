// A path that goes round a loop, made ready to run many times at once.
//
// Such a path leads from the loop's header back to it. When the same one comes again and again,
// most of what it computes moves by a fixed step from round to round. That is proven from its
// cells, once:
//
//   fixed    not written in the round, or computed from what is fixed;
//   step     a *carried* slot (one that a round reads before it writes it) plus something fixed;
//   linear   a sum of such, each times something fixed;
//   other    what was loaded or told, and all that comes of it in other ways.
//
// A carried slot whose new value is itself plus something fixed has a constant step, and so has all
// that is linear in it, modulo 2^64. Narrow integers are linear as long as they do not wrap around:
// whether they do before the last round is seen from where they are now and how far they go, since
// they move in one direction.
//
// Addresses that are not `other` need not be computed. State still has to become what it would
// have. Where all that is carried has a step, and what is stored has one too, and where to, stores
// are done alone, carried slots jump and the last round is run as it is; otherwise all rounds are,
// without showing anything.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/eval/compile_path.h"
#include "trace/eval/micro_code.h"
#include "trace/eval/shadow.h"

namespace vestige {

class RoundCode {
 public:
  // Of a path that may follow itself; see possible().
  explicit RoundCode(const PathCode& code);
  // Of cells that only compute, load and store, up to `end`, on so many slots. These slots hold
  // addresses behind a round.
  RoundCode(std::vector<Cell> cells, std::vector<uint32_t> addresses, uint32_t slots);
  // Adds the cells of a path that an activation enters from this block, and the slots of addresses
  // as they are observed. False: it does more than that, or something is unknown.
  static bool collect(const PathCode& code, uint32_t from, std::vector<Cell>& cells,
                      std::vector<uint32_t>& addresses);

  // False: addresses of this path do not move by steps, or it does more than compute, load and
  // store.
  bool possible() const { return possible_; }
  // Whether a round to which nothing is told has no effect but on what moves by steps.
  bool jumps() const { return jumps_; }
  // What a round does, without showing anything.
  const Cell* cells() const { return cells_.data(); }
  size_t bytes() const {
    return sizeof *this + cells_.size() * sizeof(Cell) + moves_.size() * sizeof(Move);
  }

  // Steps from round to round, as long as the rounds go on that were asked for.
  struct Steps {
    std::vector<uint64_t> addresses;  // as they are observed
    std::vector<uint64_t> carried;
    struct Store {
      uint64_t address = 0, value = 0, address_step = 0, value_step = 0;
      unsigned bytes = 0;
    };
    std::vector<Store> stores;    // as the last round did them
    std::vector<uint64_t> slots;  // scratch space: all zero
  };
  // Finds them behind a round that followed a round: it left these slots, and so many more are to
  // come. False: there are none, or something is not known. `known` may be null: everything is.
  bool find_steps(const uint64_t* slots, const uint8_t* known, uint64_t rounds, Steps& steps) const;
  // Makes carried slots and what is stored as they are so many rounds later. Only where it jumps().
  void jump(uint64_t* slots, Shadow& shadow, uint64_t rounds, Steps& steps) const;

  // What a cell reads and writes.
  struct Use {
    uint32_t reads[3] = {kNone, kNone, kNone};
    uint32_t writes = kNone;
    bool allowed = true;
    explicit Use(const Cell* at);
  };
  static size_t length(const Cell& cell);

  // How the step of a slot follows from those of its operands.
  enum class Rule : uint8_t {
    copy,      // a
    add,       // a + b
    subtract,  // a - b
    multiply,  // a × value of b, which is fixed
    stays,     // the same; that b's step is 0 is to be seen
    shift,     // a << value of b, which is fixed
    join,     // a, where the value of b, which is fixed, has other bits than a, and lower ones than
              // any that move
    element,  // a + b × scale
  };
  struct Move {
    Rule rule = Rule::copy;
    uint8_t gap = 0;         // of the result; element: of b
    bool is_signed = false;  // the result is sign-extended
    uint32_t dst = 0, a = 0, b = 0;
    uint64_t scale = 0;
    // Whether the step needs more than the steps of the operands.
    bool looks_at_values() const {
      return gap != 0 || rule == Rule::multiply || rule == Rule::shift || rule == Rule::join;
    }
  };
  // Of a cell that computes, one of whose first two operands moves: how its result does. False: not
  // by steps.
  static bool how_it_moves(const Cell* at, bool a_fixed, bool b_fixed, Move& move);
  // An operand's or a result's value, and its step.
  struct Moving {
    uint64_t value = 0, step = 0;
  };
  // The step of a result that was this value, in so many rounds to come. Nothing: there is none.
  static std::optional<uint64_t> step_of(const Move& move, Moving a, Moving b, uint64_t result,
                                         uint64_t rounds);
  // In `aux` of mul64: neither factor need be fixed, as long as the second one's step is 0.
  static constexpr uint16_t kSecondStays = 1;

 private:
  friend class NestCode;
  enum class Kind : uint8_t { fixed, step, linear, other };
  struct Value {
    Kind kind = Kind::fixed;
    uint32_t of = kNone;  // step: of this carried slot
    bool plain = false;   // step: nothing was added
  };
  struct Carried {
    uint32_t slot = 0;
    uint32_t copy = kNone;  // a slot that holds, behind a round, what it was before it
  };
  struct Store {
    uint32_t value = 0, address = 0;
    unsigned bytes = 0;
  };
  void analyse();
  bool move_steps(const uint64_t* slots, const uint8_t* known, uint64_t rounds,
                  uint64_t* step) const;
  bool find_stores();
  void find_carried();
  bool propagate();
  Value work(const Cell* at, Move& move, bool& moves) const;
  bool can_be_looked_at(const Move& move) const;
  void prune();

  bool possible_ = false, jumps_ = false;
  std::vector<Cell> cells_;
  std::vector<Move> moves_;
  std::vector<Carried> carried_;  // those with a step
  std::vector<Store> stores_;
  std::vector<uint32_t> addresses_;  // slots, as they are observed
  // While it is made.
  std::vector<uint32_t> read_first_;
  std::vector<Value> values_;
  std::vector<bool> bad_;        // by slot: carried, without a step
  std::vector<uint8_t> writes_;  // by slot: how often a round writes it; 2: or oftener
  uint32_t slots_ = 0;
};

}  // namespace vestige
