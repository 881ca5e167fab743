// A path as a node of the whole execution trace: what of its labels the static program tells.
#pragma once

#include <unordered_map>
#include <vector>

#include "query/dependences/path_shape.h"
#include "vestige/trace.h"

namespace vestige {

// What may be needed by later paths of an activation.
struct FunctionExports {
  // By statement: a number of its own; kNone: only its segment uses it.
  std::vector<uint32_t> statements;
  std::vector<uint32_t> blocks;  // the same for blocks whose branch decides on others
  uint32_t statement_count = 0, block_count = 0;
};
FunctionExports exports_of(const Function& function);

struct NodeShape {
  // A dependence on something before the path.
  struct Use {
    enum class Kind : uint8_t { statement, argument, phi, control };
    Kind kind = Kind::statement;
    uint32_t consumer = 0;  // Function::statements
    uint32_t of =
        0;  // statement, argument; phi: nothing; control: the block; kNone: no branch decided
  };
  struct Value {
    uint32_t statement = 0;
    uint32_t group = 0, column = 0;
    uint32_t field = 0;  // ValueField, of a stored trace (query/wet); 0: the value
  };
  std::vector<Value> values;          // in the order executed
  std::vector<uint32_t> group_bytes;  // per group: of one row
  std::vector<uint32_t> group_columns;
  uint64_t value_bytes = 0;  // of one execution
  uint64_t local = 0;        // dependences inside, always the same
  uint64_t local_control = 0;
  std::vector<Use> uses;
  std::vector<std::pair<uint32_t, uint32_t>> statements,
      blocks;  // exported: (number, statement or block)
};
// `fields`: not the paper's values, of statements that compute one, but all that is known of an
// execution (query/wet/value_field.h).
NodeShape node_shape(const Trace& trace, const Path& path, const PathShape& shape,
                     const FunctionExports& exports, bool fields = false);

}  // namespace vestige
