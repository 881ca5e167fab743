// Every subcommand: a function from its words to the exit code.
#pragma once

#include "command_line.h"

namespace vestige::cli {

int command_cc(Arguments arguments);
int command_cxx(Arguments arguments);
int command_run(Arguments arguments);
int command_record(Arguments arguments);
int command_info(Arguments arguments);
int command_verify(Arguments arguments);
int command_recover(Arguments arguments);
int command_index(Arguments arguments);
int command_functions(Arguments arguments);
int command_blocks(Arguments arguments);
int command_statements(Arguments arguments);
int command_walk(Arguments arguments);
int command_values(Arguments arguments);
int command_addresses(Arguments arguments);
int command_replay(Arguments arguments);
int command_variable(Arguments arguments);
int command_slice(Arguments arguments);
int command_why(Arguments arguments);
int command_writers(Arguments arguments);
int command_readers(Arguments arguments);
int command_sync(Arguments arguments);
int command_races(Arguments arguments);
int command_match(Arguments arguments);
int command_hot(Arguments arguments);
int command_diff(Arguments arguments);
int command_machine(Arguments arguments);
int command_represent(Arguments arguments);
int command_compress(Arguments arguments);
int command_decompress(Arguments arguments);
int command_import(Arguments arguments);
int command_export(Arguments arguments);
int command_descriptors(Arguments arguments);
int command_contexts(Arguments arguments);
int command_merge(Arguments arguments);
int command_extrapolate(Arguments arguments);
int command_doctor(Arguments arguments);

}  // namespace vestige::cli
