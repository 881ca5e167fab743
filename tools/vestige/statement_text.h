// A statement as text: "%12 = load i32, %3". Numbers are those of the function's tables.
#pragma once

#include <string>

#include "vestige/program.h"

namespace vestige::cli {

std::string statement_text(const Function& function, uint32_t statement);
std::string constant_text(const Function& function, uint32_t constant);

}  // namespace vestige::cli
