// All threads of a full recording as one form.
#pragma once

#include <functional>

#include "spmd/form.h"
#include "spmd/merge_forms.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

Result<Form> fold_trace(const Trace& trace, const FoldOptions& options);

}  // namespace vestige::spmd
