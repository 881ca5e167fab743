// Forms of several ranks as one. What comes out depends on the forms alone, not on the order in
// which they are joined: pairwise, one after the other, or over a transport.
#pragma once

#include <optional>

#include "base/bytes.h"
#include "spmd/form.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

inline constexpr uint32_t kMostRanks = 1 << 16;  // of one form, and forms

// Some of the forms, joined. Until all are there, a thread's rank is 2^16 × the form's place in the
// list + its rank in that form.
struct Gathered {
  struct Input {
    uint32_t index = 0;
    uint32_t ranks = 0;     // one more than its highest
    uint64_t checksum = 0;  // of its content
  };
  Form form;
  std::vector<Input> inputs;
};

Gathered gather(Form form, uint32_t index);
void join(Gathered& into, Gathered from);
// Gives ranks their numbers: their own where all differ, otherwise form by form, by rising
// checksum.
Form finish(Gathered all);

Form merge_forms(std::vector<Form> forms);

// A binomial tree: in round r, ranks whose r lowest bits are 0 take what the rank 2^r further has.
// Rank 0 gets everything, others nothing. An error of any rank becomes rank 0's.
Result<std::optional<Gathered>> merge_rounds(Transport& transport, Result<Gathered> own);

}  // namespace vestige::spmd
