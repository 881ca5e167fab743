// What an execution does again and again: the costly short sequences of its paths, and of the
// addresses it refers to. Both are found on grammars, without expanding them.
//
//     auto hot = vestige::hot_paths(trace, {.share = 0.05});
//     for (const vestige::HotPath& h : hot->subpaths) use(h.paths, h.occurrences, h.share);
//
// The terms are those of J. R. Larus, "Whole Program Paths" (PLDI 1999), and T. M. Chilimbi,
// "Efficient Representations and Abstractions for Quantifying and Exploiting Data Reference
// Locality" (PLDI 2001). A sequence occurs wherever it stands in a thread, overlapping occurrences
// counted. It costs occurrences × the weight of its members. It is hot when that is at least
// `share` of the execution's weight, and minimal when no proper contiguous part of it, of
// min_length members at least, is hot too. All minimal hot sequences of min_length … max_length are
// found, with exact counts; src/query/hot/hot_subpaths.h has the algorithm.
//
// Occurrences in several threads add up; no sequence goes from one thread to another. Where
// occurrences overlap, what they share costs more than once, so a share may exceed 1.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "vestige/api.h"
#include "vestige/paths.h"
#include "vestige/query.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// ---- hot subpaths -------------------------------------------------------------------------------

struct HotPathOptions {
  uint32_t min_length = 1, max_length = 8;        // paths
  double share = 0.01;                            // above 0, at most 1
  size_t top = SIZE_MAX;                          // only so many, the costliest
  std::optional<uint32_t> thread = std::nullopt;  // none: all
  PathIndexOptions index;                         // when the index has to be made
};

// What a path weighs: the statements it executes; in a trace that knows none (an imported one), the
// blocks it begins.
enum class HotWeight : uint8_t { statements, blocks };

struct HotPath {
  std::vector<const Path*> paths;  // in order; they belong to the trace
  uint64_t occurrences = 0;
  uint64_t weight = 0;  // of one occurrence
  uint64_t cost = 0;    // of all
  double share = 0;     // of the weight of the execution
  uint32_t calls = 0;   // activations that begin or end inside of it, between two of its paths
  // The first occurrence, in the first thread that has one: time of its first path.
  uint32_t thread = 0;
  uint64_t time = 0;
};

struct HotPaths {
  HotWeight weighed_by = HotWeight::statements;
  uint64_t paths = 0;             // of the execution
  uint64_t weight = 0;            // of the execution
  uint64_t threshold = 0;         // cost from which on a subpath is hot
  uint64_t found = 0;             // minimal hot subpaths, whatever `top` left
  std::vector<HotPath> subpaths;  // by falling cost, then by first occurrence
};

// Makes the index of paths when there is none that fits. A change of the call stack that is no path
// (an exception, a gap) ends a subpath. Fails (unsupported) when more would have to be counted than
// memory allows: a higher share or a smaller max_length helps.
Result<HotPaths> hot_paths(const Trace& trace, const HotPathOptions& options = {});

// ---- hot data streams ---------------------------------------------------------------------------

struct HotStreamOptions {
  uint32_t min_length = 2, max_length = 100;  // references
  double share = 0.01;
  size_t top = SIZE_MAX;
  std::optional<uint32_t> thread = std::nullopt;
  uint64_t line_bytes = 1;  // addresses are taken down to multiples of this: cache lines
  std::function<void(uint64_t done, uint64_t total)> progress;  // paths
};

// A sequence of addresses that recurs. Each reference weighs 1.
struct HotStream {
  std::vector<uint64_t> addresses;
  std::vector<uint64_t> statement_ids;  // what refers to each of them, at the first occurrence
  uint64_t occurrences = 0;
  uint64_t cost = 0;    // references: occurrences × length
  double share = 0;     // of all references
  uint32_t thread = 0;  // the first occurrence, as of HotPath
  uint64_t time = 0;
};

struct HotStreams {
  uint64_t references = 0;  // of the execution, with known addresses
  uint64_t unknown = 0;     // without; they are left out
  uint64_t threshold = 0;
  uint64_t found = 0;
  std::vector<HotStream> streams;  // by falling cost, then by first occurrence
};

// The references are those of read_references (values.h), in its order. Fails (unsupported) without
// values, and when the references are too irregular for the memory allowed, about 1 GiB.
Result<HotStreams> hot_data_streams(const Trace& trace, const HotStreamOptions& options = {});

}  // namespace vestige
VESTIGE_API_END
