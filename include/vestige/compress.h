// Compressing traces of records (PC and value, memory references, control flow …) on their own,
// without a recording: files in, files out, `-` for pipes.
//
//     auto report = vestige::compress("refs.bin", "refs.vcz", {.format = "refs"});
//     auto back = vestige::decompress("refs.vcz", "-", {});
//     if (back && !back->problem.empty()) …         // the output ends early
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "vestige/result.h"

namespace vestige {

struct CompressOptions {
  std::string format;      // vpc | cf | refs | u64 | record:SPEC; empty: told from the input
  std::string codec;       // empty: vestige; vpc2 when predictors are given (docs/codecs.md)
  std::string predictors;  // a list for vpc and vpc2; empty: theirs
  int level = 5;           // 1 … 9, of the codec `vestige`
  bool explain = false;
  unsigned threads = 0;  // 0: as many as there are cores, at most two
  // Called now and then with the bytes read and written so far, and the input's size (0: unknown).
  std::function<void(uint64_t in, uint64_t out, uint64_t total)> progress;
};

// Which predictor was right how often.
struct PredictorReport {
  std::string field;
  std::vector<std::string> predictors;  // the last one is "none"
  std::vector<uint64_t> counts;         // parallel to predictors
  std::map<uint64_t, std::vector<uint64_t>> by_pc;
  uint64_t bytes = 0;  // compressed bytes of this field; 0 where fields are not kept apart
};

struct CompressReport {
  uint64_t in = 0;
  uint64_t out = 0;
  uint64_t records = 0;
  double seconds = 0;
  std::string codec;
  std::string format;
  std::vector<PredictorReport> predictors;  // with explain
};

// Reads `in`, writes `out`. A regular file appears under its name when it is whole; a failure
// leaves what stood there before.
Result<CompressReport> compress(const std::string& in, const std::string& out,
                                const CompressOptions& options);

struct DecompressOptions {
  unsigned threads = 0;
  std::function<void(uint64_t in, uint64_t out, uint64_t total)> progress;
};

struct DecompressReport {
  uint64_t in = 0;
  uint64_t out = 0;
  uint64_t records = 0;
  double seconds = 0;
  std::string codec;
  std::string format;
  std::string problem;  // why the output ends early (cut short, damaged); empty when it is whole
};

// What precedes the first damaged or missing block is written all the same: then `problem` says
// what is wrong and at which byte. Fails when nothing of it can be read at all, or on I/O errors.
Result<DecompressReport> decompress(const std::string& in, const std::string& out,
                                    const DecompressOptions& options);

}  // namespace vestige
