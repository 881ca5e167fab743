// All threads of a full recording as one form.
#pragma once

#include <functional>

#include "spmd/form.h"
#include "spmd/merge_forms.h"

namespace vestige::spmd {

Result<Form> fold_trace(const Trace& trace, const std::function<void(uint64_t)>& progress);

}  // namespace vestige::spmd
