// Which contexts are the same in different threads, although those came there by different ways.
//
// A thread that does a share of the work itself (main calls work(0), the threads that it made begin
// with start, which calls work(i)) has contexts of its own from there on, and nothing in them
// folds. So the function that a thread does most in moves to the root, as if threads began with it,
// in all threads of a rank that reach it at one place each, when nothing in it follows from what is
// around it. What is moved replays as it did: the call that led there now leads to the root
// (Decision::kMovedToRoot).
#pragma once

#include <map>
#include <optional>
#include <set>

#include "spmd/form.h"

namespace vestige::spmd {

// Rank by rank; contexts that nothing is in any more are gone. Costs what looking through all
// streams costs, whatever the number of references.
void align_contexts(Form& form);

// How threads came to a context that is a child of the root: from a node of the tree, or nothing:
// they began there. Threads are indices into Form::threads. Calls that lead now here and now there
// without any rule are left out.
using Entrances = std::map<uint32_t, std::map<std::optional<uint32_t>, std::set<uint32_t>>>;
Entrances entrances_of(const Form& form);

}  // namespace vestige::spmd
