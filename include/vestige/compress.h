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
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/result.h"

VESTIGE_API_BEGIN
namespace vestige {

struct CompressOptions {
  std::string format;      // vpc | cf | refs | u64 | record:SPEC; empty: told from the input
  std::string codec;       // empty: vestige; vpc2 when predictors are given (docs/codecs.md)
  std::string predictors;  // a list for vpc, vpc2 and hybrid; empty: theirs
  int level = 5;           // 1 … 9, of the codec `vestige`
  bool explain = false;
  // Records between the places where reading can begin and threads can share the work; 0: as many
  // as cost little (docs/codecs.md). Each such place makes the file larger.
  uint64_t section = 0;
  unsigned threads = 0;  // 0: as many as there are cores, at most two
  // Lossy: by the name of a field, or "value" for every field but the PC, how far a value may be
  // from the trace's. Other fields are exact.
  std::map<std::string, uint64_t> errors;
  // Called now and then with the bytes read and written so far, and the input's size (0: unknown).
  std::function<void(uint64_t in, uint64_t out, uint64_t total)> progress = nullptr;
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
  std::map<std::string, uint64_t> errors;   // by field that is not exact
};

// Reads `in`, writes `out`. A regular file appears under its name when it is whole; a failure
// leaves what stood there before.
Result<CompressReport> compress(const std::string& in, const std::string& out,
                                const CompressOptions& options);

struct DecompressOptions {
  // With `from`, only records are written: that one, counted from 1, and those after it, at most
  // `count` (0: to the end); neither what stood before the first record nor what was left over.
  uint64_t from = 0;
  uint64_t count = 0;
  unsigned threads = 0;  // 0: as many as there are cores
  std::function<void(uint64_t in, uint64_t out, uint64_t total)> progress = nullptr;
};

struct DecompressReport {
  uint64_t in = 0;
  uint64_t out = 0;
  uint64_t records = 0;
  double seconds = 0;
  std::string codec;
  std::string format;
  std::string found_by;  // with `from`: the way to it, as RecordReader::found_by()
  std::string problem;   // why the output ends early (cut short, damaged); empty when it is whole
  std::map<std::string, uint64_t> errors;  // by field that is not exact: how far it may be off
};

// What precedes the first damaged or missing block is written all the same: then `problem` says
// what is wrong and at which byte. Fails when nothing of it can be read at all, or on I/O errors.
Result<DecompressReport> decompress(const std::string& in, const std::string& out,
                                    const DecompressOptions& options);

// Reads the records of a compressed trace from any of them on.
//
//     auto reader = vestige::RecordReader::open("refs.vcz");
//     if (reader->seek(1'000'000)) …
//     while (auto records = reader->read(1000)) { if (records->empty()) break; … }
//
// Thread safety: one thread.
class RecordReader {
 public:
  // Threads: as in DecompressOptions.
  static Result<RecordReader> open(const std::string& path, unsigned threads = 0);
  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  struct Field {
    std::string name;
    unsigned width;  // bytes
    bool is_pc;
    uint64_t error;  // how far values may be from the raw trace's; 0: exact
  };
  const std::vector<Field>& fields() const;
  size_t record_bytes() const;
  // Nothing of a pipe. Of a file that is cut short, those that can be read.
  std::optional<uint64_t> records() const;
  // How a record is found: "directory": by one look; "blocks": by a look at each block, since the
  // file is of an old version, damaged or cut short; "start": by reading all before it, of a pipe.
  const char* found_by() const;

  // The next read begins with this record, counted from 1; records() + 1 is the end. Fails (usage)
  // when there is no such record, and leaves the reader where it was.
  Result<void> seek(uint64_t record);
  // The next records as they lay in the trace, at most `most`, fewer when that is convenient; none
  // at the end. They stay until the next call. Fails on damage; seek() may still find what is
  // whole.
  Result<std::span<const uint8_t>> read(uint64_t most);

 private:
  struct VESTIGE_LOCAL State;
  explicit RecordReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vestige
VESTIGE_API_END
