// Starts the program to record.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "vestige/result.h"

namespace vestige {

// The file that `program` names, looked up in PATH as a shell would. Fails with `usage` when there
// is none (a shell's status 127) and with `io` when it may not be run (126).
Result<std::string> find_program(const std::string& program);

// Runs `file` with the arguments and VESTIGE_SESSION=`session`, with the libraries `preload` if
// there are any, signals as they were before the collector changed them. Fails, with nothing left
// running, when the kernel refuses the file.
Result<pid_t> launch(const std::string& file, const std::vector<std::string>& arguments,
                     const std::string& session, const std::string& preload = "");

}  // namespace vestige
