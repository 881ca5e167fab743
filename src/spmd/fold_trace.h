// All threads of a full recording as one form.
#pragma once

#include <functional>

#include "spmd/form.h"

namespace vestige::spmd {

Result<Form> fold_trace(const Trace& trace, const std::function<void(uint64_t)>& progress);

// The threads of several forms. Ranks are renumbered: forms in the order of their own bytes, each behind the
// ranks of those before it.
Form merge_forms(std::vector<Form> forms);

}  // namespace vestige::spmd
