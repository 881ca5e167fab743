// What verify() checks of the order of accesses (vestige/order.h): that each edge joins accesses
// that are there, of two threads of one process, and that edges, threads and stamps together do not
// go round in a circle.
//
// Memory: some words for each edge and stamp.
#pragma once

#include <string>
#include <vector>

#include "vestige/result.h"

namespace vestige {

class Trace;

struct OrderCheck {
  std::vector<std::string> problems;
  std::vector<std::string> notes;
};
Result<OrderCheck> check_order(const Trace& trace);

}  // namespace vestige
