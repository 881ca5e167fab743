#include "spmd/pieces.h"

#include <algorithm>

#include "base/checksum.h"
#include "program/untold.h"

namespace vestige::spmd {

namespace {

uint64_t digest_of(const Function& function) {
  ByteWriter out;
  out.string(function.name);
  out.string(function.unit);
  out.varint(function.first_statement);
  for (const Segment& segment : function.segments) {
    out.varint(segment.block);
    out.varint(segment.first_statement);
    out.varint(segment.statement_count);
    out.u8(static_cast<uint8_t>(segment.end));
    for (const SegmentEdge& edge : segment.edges) out.varint(2 * uint64_t{edge.target} + edge.cut);
  }
  for (const Block& block : function.blocks) out.varint(block.loop);
  for (const Loop& loop : function.loops) {
    out.varint(loop.header);
    out.varint(loop.parent);
  }
  for (const Statement& statement : function.statements) {
    out.u8(static_cast<uint8_t>(statement.op));
    out.string(std::string(told_name(function.types[statement.type])));
  }
  return checksum(out.buffer()) & ((uint64_t{1} << 48) - 1);
}

}  // namespace

FunctionPieces::FunctionPieces(const Function& function)
    : function_(function),
      digest_(digest_of(function)),
      borders_(function.segments.size()),
      counts_(function.segments.size(), 0) {
  for (uint32_t s = 0; s < function.segments.size(); ++s) {
    const Segment& segment = function.segments[s];
    for (uint32_t e = 0; e < segment.edges.size(); ++e) {
      const Way step = way(s, e);
      borders_[s].push_back(segment.edges[e].cut || segment.end != SegmentEnd::branch || step.up ||
                            step.again || !step.into.empty());
    }
  }
  std::vector<bool> begun(function.segments.size(), false);
  for (uint32_t s = 0; s < function.segments.size(); ++s) count_from(s, begun);
  find_accesses();
}

std::vector<uint32_t> FunctionPieces::loops_around(uint32_t block) const {
  std::vector<uint32_t> loops;
  // A parent chain longer than the table goes in a circle: damaged.
  for (uint32_t l = function_.blocks[block].loop;
       l < function_.loops.size() && loops.size() <= function_.loops.size();
       l = function_.loops[l].parent)
    loops.push_back(l);
  std::ranges::reverse(loops);
  return loops;
}

Way FunctionPieces::way(uint32_t segment, uint32_t edge) const {
  const uint32_t target = function_.segments[segment].edges[edge].target;
  const uint32_t from = function_.segments[segment].block, to = function_.segments[target].block;
  Way way;
  way.segment = target;
  if (from == to &&
      function_.segments[target].first_statement > function_.segments[segment].first_statement)
    return way;  // goes on in its block
  const std::vector<uint32_t> here = loops_around(from), there = loops_around(to);
  size_t common = 0;
  while (common < here.size() && common < there.size() && here[common] == there[common]) ++common;
  way.up = static_cast<uint32_t>(here.size() - common);
  way.again = common == there.size() && common > 0 && function_.loops[there.back()].header == to;
  way.into.assign(there.begin() + static_cast<ptrdiff_t>(common), there.end());
  return way;
}

bool FunctionPieces::is_border(uint32_t segment, uint32_t edge) const {
  return borders_[segment][edge];
}

uint32_t FunctionPieces::edge_to(uint32_t segment, uint32_t target) const {
  const auto& edges = function_.segments[segment].edges;
  const auto found = std::ranges::find(edges, target, &SegmentEdge::target);
  return found == edges.end() ? kNone : static_cast<uint32_t>(found - edges.begin());
}

bool FunctionPieces::ends_by_call(uint32_t segment) const {
  return function_.segments[segment].end == SegmentEnd::call;
}

bool FunctionPieces::ends_activation(uint32_t segment) const {
  const SegmentEnd end = function_.segments[segment].end;
  return end == SegmentEnd::ret || end == SegmentEnd::tail_call || end == SegmentEnd::unwind ||
         end == SegmentEnd::stop;
}

// Without recursion: functions may be long chains of segments.
void FunctionPieces::count_from(uint32_t first, std::vector<bool>& begun) {
  std::vector<uint32_t> pending = {first};
  while (!pending.empty()) {
    const uint32_t s = pending.back();
    if (counts_[s] != 0) {
      pending.pop_back();
      continue;
    }
    begun[s] = true;
    const Segment& segment = function_.segments[s];
    uint64_t count = 1;
    bool ready = true;
    if (ends_by_call(s) || ends_activation(s)) {
      ++count;
    } else {
      for (uint32_t e = 0; e < segment.edges.size(); ++e) {
        const uint32_t target = segment.edges[e].target;
        // Segments are acyclic but for cut edges; a damaged table that goes in a circle ends here:
        // what was begun and has no count is further down the stack.
        if (!is_border(s, e) && counts_[target] == 0 && !begun[target]) {
          pending.push_back(target);
          ready = false;
        }
        count += is_border(s, e) ? 1 : counts_[target];
      }
    }
    if (!ready) continue;
    counts_[s] = count;
    pending.pop_back();
  }
}

uint64_t FunctionPieces::number_of_edge(uint32_t segment, uint32_t edge) const {
  uint64_t number = 1;
  for (uint32_t e = 0; e < edge; ++e)
    number += is_border(segment, e) ? 1 : counts_[function_.segments[segment].edges[e].target];
  return number;
}

Piece FunctionPieces::piece(uint32_t start, uint64_t number) const {
  Piece piece;
  piece.start = start;
  piece.number = number;
  uint32_t s = start;
  while (true) {
    piece.segment = s;
    piece.accesses.insert(piece.accesses.end(), accesses_[s].begin(), accesses_[s].end());
    if (number == 0) return piece;
    const Segment& segment = function_.segments[s];
    if (ends_by_call(s)) {
      piece.end = Piece::End::call;
      for (uint32_t e = 0; e < segment.edges.size(); ++e) piece.ways.push_back(way(s, e));
      return piece;
    }
    if (ends_activation(s)) {
      piece.end = Piece::End::leave;
      return piece;
    }
    --number;
    uint32_t next = kNone;
    for (uint32_t e = 0; e < segment.edges.size(); ++e) {
      const uint64_t below = is_border(s, e) ? 1 : counts_[segment.edges[e].target];
      if (number >= below) {
        number -= below;
        continue;
      }
      if (is_border(s, e)) {
        piece.end = Piece::End::go;
        piece.ways.push_back(way(s, e));
        return piece;
      }
      next = segment.edges[e].target;
      break;
    }
    if (next == kNone) return piece;  // no such number
    s = next;
  }
}

void FunctionPieces::find_accesses() {
  accesses_.resize(function_.segments.size());
  mpi_calls_.resize(function_.segments.size());
  openmp_calls_.resize(function_.segments.size());
  for (size_t s = 0; s < function_.segments.size(); ++s) {
    const Segment& segment = function_.segments[s];
    if ((segment.end != SegmentEnd::call && segment.end != SegmentEnd::tail_call)) continue;
    for (uint32_t i = 0; i < segment.statement_count; ++i) {
      const uint32_t callee = function_.statements[segment.first_statement + i].callee;
      if (callee >= function_.symbols.size()) continue;
      const std::string& name = function_.symbols[callee];
      openmp_calls_[s] = openmp_calls_[s] || name.starts_with("__kmpc_");
      mpi_calls_[s] = mpi_calls_[s] || name.starts_with("MPI_") || name.starts_with("mpi_");
    }
  }
  for (uint32_t s = 0; s < function_.segments.size(); ++s) {
    const Segment& segment = function_.segments[s];
    for (uint32_t i = 0; i < segment.statement_count; ++i) {
      const uint32_t index = segment.first_statement + i;
      const Statement& statement = function_.statements[index];
      if (statement.pseudo || !has_address(function_, index)) continue;
      Access access;
      access.statement = uint64_t{function_.first_statement} + index;
      access.bytes = access_bytes(function_, index);
      if (statement.op == Op::store) access.kind = Reference::Kind::write;
      if (statement.op == Op::cmpxchg || statement.op == Op::atomic_rmw)
        access.kind = Reference::Kind::modify;
      if (statement.op == Op::call) {
        access.kind = Reference::Kind::write;
        access.measured = true;
        access.bytes = 0;
        access.moves = !function_.symbols[statement.callee].starts_with("llvm.memset");
      }
      accesses_[s].push_back(access);
    }
  }
}

}  // namespace vestige::spmd
