// vestige variable --at: what the variables of an activation were at given executions.
#pragma once

#include <string>
#include <vector>

#include "output.h"
#include "vestige/variables.h"

namespace vestige::cli {

// `executions`: each STATEMENT[@INSTANCE]; a line means the first of its statements. `name`: of one
// variable; empty: all. Gives the exit code.
int show_variables_at(const Trace& trace, const std::vector<std::string>& executions,
                      const std::string& thread, const std::string& name, Format format);

}  // namespace vestige::cli
