// All threads of a full recording as one form.
#pragma once

#include <functional>

#include "spmd/form.h"
#include "spmd/merge_forms.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

// `each`: path by path, in the plain way; the result is the same.
Result<Form> fold_trace(const Trace& trace, const FoldOptions& options, bool each = false);

// What a thread of a full recording did to other ranks, in order.
Result<void> read_messages(const Trace& trace, uint32_t thread, const CommunicationSink& sink);

}  // namespace vestige::spmd
