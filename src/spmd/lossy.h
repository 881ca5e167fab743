// Less than everything, when that is asked for (docs/spmd.md). Facts of each thread say which mode,
// how much was asked for, and how many references it changed; merging keeps them.
#pragma once

#include "spmd/form.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

// Fails when a thread cannot be played.
Result<void> make_lossy(Form& form, const LossyOptions& options);
// A plug-in put this many references of the thread elsewhere.
void add_plugin_facts(ThreadForm& thread, uint64_t elsewhere);
// Nothing is lost: empty. Otherwise what was, in words.
LostReferences lost_references(const ThreadForm& thread);
std::string lossy_text(const Form& form);

}  // namespace vestige::spmd
