// Pictures of hot sequences: a Graphviz graph, and an SVG that needs nothing else to be seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "output.h"

namespace vestige::cli {

struct HotPicture {
  struct Box {
    std::string key;     // equal ones are one node of the graph
    std::string group;   // gives the colour: the function, the statement
    std::string label;   // "luaV_execute B12 B14"
    std::string detail;  // "lvm.c:1201-1207"; may be empty
  };
  struct Row {
    double share = 0;
    uint64_t occurrences = 0;
    std::string caption;  // "1,234 times, 2 calls, first at 0.0:4711"
    std::vector<Box> boxes;
  };
  std::string title;
  std::vector<Row> rows;
};

// Nodes are boxes. An edge's number is how often the hot sequences that hold it occur, summed up.
void draw_dot(const HotPicture& picture, Output& out);
// A bar for each row's share, and its chain of boxes below.
void draw_svg(const HotPicture& picture, Output& out);

}  // namespace vestige::cli
