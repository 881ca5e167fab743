// A form as rows to show: what folded into what, and what did not.
#pragma once

#include "spmd/form.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

std::vector<ContextRow> context_rows(const Form& form);
std::vector<DescriptorRow> descriptor_rows(const Form& form);

}  // namespace vestige::spmd
