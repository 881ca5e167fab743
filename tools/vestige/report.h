// What goes to standard error: errors, warnings and notes, one sentence each.
#pragma once

#include <string>
#include <string_view>

#include "vestige/result.h"

namespace vestige::cli {

void report_error(std::string_view sentence);  // "vestige: …"
void report_note(std::string_view sentence);   // "vestige: note: …"

// Reports an error and gives the exit code for its kind: wrong use 2; a trace that is damaged, of
// another version, or without what the question needs 3; the operating system's refusals 4.
int report(const Error& error);
// The same for errors about reading a trace: one that cannot be read at all is a bad trace (3).
int report_trace(const Error& error);
// The same for names the user gave (threads, functions, statements, times): one that the trace does
// not have is wrong use (2).
int report_name(const Error& error);
// The same for commands that write a stream: a reader that went away (| head) is no error.
int report_conversion(const Error& error);

}  // namespace vestige::cli
