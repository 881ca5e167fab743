// A place in the stream of a grammar, moved forwards, backwards and by seek on the rules alone.
//
// A step costs a constant on the average and the grammar's depth at worst; a seek costs the depth
// times a search in a body. Nothing recurses, whatever the depth.
//
// The grammar must outlive the cursor, which belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/sequitur/grammar.h"

namespace vestige::sequitur {

class GrammarCursor {
 public:
  explicit GrammarCursor(const Grammar& grammar);  // at the beginning

  uint64_t position() const { return position_; }  // terminals before
  bool at_end() const { return path_.empty(); }
  // The terminal ahead; not at the end.
  uint32_t terminal() const { return terminal_; }

  // Each gives the terminal it moves over, and false at the end (or beginning).
  bool next(uint32_t& terminal) {
    if (path_.empty()) return false;
    terminal = terminal_;
    ++position_;
    if (++path_.back().repetition == count_) advance();
    return true;
  }
  bool prev(uint32_t& terminal) {
    if (position_ == 0) return false;
    --position_;
    if (!path_.empty() && path_.back().repetition > 0)
      --path_.back().repetition;
    else
      retreat();
    terminal = terminal_;
    return true;
  }
  // Values ahead, as many as fit or are left. read_back() gives those behind, the nearest first.
  size_t read(std::span<uint64_t> out);
  size_t read_back(std::span<uint64_t> out);

  // To `position`; false, without moving, beyond the end.
  bool seek(uint64_t position);
  // To the terminal within which the sum goes beyond `target`, which must be less than the sums'
  // total; gives how much of that terminal's own number lies before the target.
  uint64_t seek(const RuleSums& sums, uint64_t target);
  // The sum of all terminals before the cursor.
  uint64_t before(const RuleSums& sums) const;

  // The way from the start rule's body down to the terminal ahead: at each step a place (of
  // rules().symbols) and which repetition of it. Empty at the end.
  struct Step {
    uint32_t place, begin, end;  // begin, end: the body around it
    uint64_t repetition;
  };
  std::span<const Step> path() const { return path_; }

 private:
  void advance();
  void retreat();
  void descend(bool right);
  void enter(uint32_t rule, bool right);
  void to_end();

  const PlainGrammar& rules_;
  const RuleSums& lengths_;
  std::vector<Step> path_;
  uint32_t terminal_ = 0;  // at the path's end,
  uint64_t count_ = 0;     // and how often it stands there
  uint64_t position_ = 0;
};

}  // namespace vestige::sequitur
