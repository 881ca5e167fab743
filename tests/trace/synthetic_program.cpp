#include <algorithm>

#include "program/numbering.h"
#include "trace/synthetic.h"

namespace vestige::synthetic {

namespace {

// Sets up a function from its segments; statements follow, one line each.
struct Sketch {
  struct Piece {
    uint32_t block;
    std::vector<Op> ops;
    SegmentStart start;
    SegmentEnd end;
    std::vector<SegmentEdge> edges;
  };
  std::string name;
  uint32_t line;
  std::vector<Piece> pieces;
};

Function build(const Sketch& sketch) {
  Function f;
  f.name = sketch.name;
  f.unit = "synthetic.c";
  f.files = {"/src/dir/synthetic.c", "/src/dir/inlined.h"};
  f.scopes = {sketch.name, "inlined_one"};
  f.types = {"void", "i32"};
  f.symbols = {"leaf", "llvm.memcpy.p0.p0.i64", "llvm.memset.p0.i64"};
  f.file = 0;
  f.line = sketch.line;
  f.locations.push_back({0, sketch.line, 3, 0, kNone});
  uint32_t block_count = 0;
  for (const auto& piece : sketch.pieces) block_count = std::max(block_count, piece.block + 1);
  f.blocks.resize(block_count);
  f.segments.resize(sketch.pieces.size());
  uint32_t line = sketch.line;
  for (uint32_t b = 0; b < block_count; ++b) {
    f.blocks[b].first_statement = static_cast<uint32_t>(f.statements.size());
    for (size_t s = 0; s < sketch.pieces.size(); ++s) {
      const auto& piece = sketch.pieces[s];
      if (piece.block != b) continue;
      Segment& segment = f.segments[s];
      segment = {b,
                 static_cast<uint32_t>(f.statements.size()),
                 static_cast<uint32_t>(piece.ops.size()),
                 piece.start,
                 piece.end,
                 piece.edges};
      for (const Op op : piece.ops) {
        Statement statement;
        statement.op = op;
        statement.pseudo = op == Op::phi;
        statement.block = b;
        statement.type = 1;
        if (op == Op::call) statement.callee = line % 3;
        if (op != Op::phi) {
          // Every fifth line was inlined from elsewhere.
          const bool inlined = ++line % 5 == 0;
          f.locations.push_back(
              {inlined ? 1u : 0u, line, 7, inlined ? 1u : 0u, inlined ? 0 : kNone});
          statement.location = static_cast<uint32_t>(f.locations.size() - 1);
        }
        f.statements.push_back(statement);
      }
    }
    f.blocks[b].statement_count =
        static_cast<uint32_t>(f.statements.size()) - f.blocks[b].first_statement;
  }
  auto numbering = number_paths(f.segments);
  f.path_count = numbering->path_count;
  return f;
}

void extend(const Function& function, std::vector<uint32_t>& way, std::vector<PlainPath>& paths) {
  const Segment& segment = function.segments[way.back()];
  if (segment.end != SegmentEnd::branch) {
    paths.push_back({way, kNone});
    return;
  }
  for (const SegmentEdge& edge : segment.edges) {
    if (edge.cut) {
      paths.push_back({way, edge.target});
      continue;
    }
    way.push_back(edge.target);
    extend(function, way, paths);
    way.pop_back();
  }
}

}  // namespace

std::vector<PlainPath> enumerate_paths(const Function& function) {
  std::vector<PlainPath> paths;
  for (uint32_t s = 0; s < function.segments.size(); ++s) {
    if (function.segments[s].start == SegmentStart::none) continue;
    std::vector<uint32_t> way{s};
    extend(function, way, paths);
  }
  return paths;
}

Program make_program() {
  using S = SegmentStart;
  using E = SegmentEnd;
  Program p;
  p.functions.push_back(build({"main",
                               10,
                               {{0, {Op::alloca_, Op::br}, S::entry, E::branch, {{1, true}}},
                                {1,
                                 {Op::phi, Op::icmp, Op::switch_},
                                 S::block,
                                 E::branch,
                                 {{2, false}, {3, false}, {6, false}, {7, false}}},
                                {2, {Op::load, Op::call}, S::none, E::call, {{4, true}, {8, true}}},
                                {3, {Op::store, Op::atomic_rmw}, S::none, E::sync, {{5, true}}},
                                {2, {Op::br}, S::resume, E::branch, {{6, false}}},
                                {3, {Op::load, Op::br}, S::resume, E::branch, {{6, false}}},
                                {4, {Op::add, Op::br}, S::none, E::branch, {{1, true}}},
                                {5, {Op::call, Op::ret}, S::none, E::ret, {}},
                                {6, {Op::landing_pad, Op::br}, S::pad, E::branch, {{6, false}}}}}));
  p.functions.push_back(
      build({"_Z4leafi",
             40,
             {{0, {Op::icmp, Op::br}, S::entry, E::branch, {{1, false}, {2, false}}},
              {1, {Op::store, Op::br}, S::none, E::branch, {{3, false}}},
              {2, {Op::load, Op::call, Op::br}, S::none, E::branch, {{3, false}}},
              {3, {Op::phi, Op::ret}, S::none, E::ret, {}}}}));
  p.functions.push_back(
      build({"recurse",
             60,
             {{0, {Op::icmp, Op::br}, S::entry, E::branch, {{1, false}, {2, false}}},
              {1, {Op::call}, S::none, E::call, {{3, true}}},
              {2, {Op::ret}, S::none, E::ret, {}},
              {1, {Op::icmp, Op::br}, S::resume, E::branch, {{1, true}, {2, false}, {4, false}}},
              {3, {Op::resume}, S::none, E::unwind, {}}}}));
  // The call in recurse is reached by a cut edge as well, so it starts paths of its own.
  p.functions.back().segments[1].start = S::block;
  p.functions.back().path_count = number_paths(p.functions.back().segments)->path_count;
  p.functions.push_back(
      build({"_Z3hopv", 80, {{0, {Op::load, Op::call, Op::ret}, S::entry, E::tail_call, {}}}}));
  p.functions.push_back(build({"_Z4leafc", 90, {{0, {Op::ret}, S::entry, E::ret, {}}}}));
  uint32_t next = 0x10000;
  for (const Function& function : p.functions) {
    p.paths.push_back(enumerate_paths(function));
    p.first_path.push_back(next);
    next += static_cast<uint32_t>(function.path_count) + 3;  // ids need not be dense
  }
  return p;
}

uint32_t Program::function_of(uint32_t id) const {
  for (uint32_t f = 0; f < functions.size(); ++f)
    if (id >= first_path[f] && id - first_path[f] < paths[f].size()) return f;
  return kNone;
}
const PlainPath& Program::path(uint32_t id) const {
  const uint32_t f = function_of(id);
  return paths[f][id - first_path[f]];
}
const Segment& Program::first_segment(uint32_t id) const {
  return functions[function_of(id)].segments[path(id).segments.front()];
}
const Segment& Program::last_segment(uint32_t id) const {
  return functions[function_of(id)].segments[path(id).segments.back()];
}
bool Program::enters(uint32_t id) const { return first_segment(id).start == SegmentStart::entry; }
bool Program::leaves(uint32_t id) const {
  const SegmentEnd end = last_segment(id).end;
  return end == SegmentEnd::ret || end == SegmentEnd::tail_call || end == SegmentEnd::unwind;
}
std::vector<uint32_t> Program::blocks(uint32_t id) const {
  std::vector<uint32_t> blocks;
  const Function& function = functions[function_of(id)];
  for (const uint32_t s : path(id).segments)
    if (function.segments[s].start != SegmentStart::resume)
      blocks.push_back(function.segments[s].block);
  return blocks;
}
std::vector<uint32_t> Program::statements(uint32_t id) const {
  std::vector<uint32_t> statements;
  const Function& function = functions[function_of(id)];
  for (const uint32_t s : path(id).segments) {
    const Segment& segment = function.segments[s];
    for (uint32_t i = segment.first_statement;
         i < segment.first_statement + segment.statement_count; ++i)
      if (!function.statements[i].pseudo) statements.push_back(i);
  }
  return statements;
}

}  // namespace vestige::synthetic
