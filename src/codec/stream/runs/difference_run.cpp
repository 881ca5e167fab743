#include "codec/stream/runs/difference_run.h"

#include <string>
#include <unordered_map>

#include "codec/entropy/range_coder.h"
#include "codec/sequitur/bit_model.h"
#include "codec/sequitur/count_tree.h"

namespace vestige::section {

namespace {

constexpr uint64_t kRunsPerByte = 64;

class RunModel {
 public:
  // A count of 0 means that the bits make no run.
  template <class Coder>
  DifferenceRun code(Coder& coder, DifferenceRun run) {
    const auto seen = numbers_.find(run.difference);
    const bool known = code_bit(coder, known_, seen != numbers_.end());
    if (known && differences_.empty()) return {};  // only damaged bytes say so
    if (known) {
      sequitur::CountTree::Walk walk(counts_);
      while (!walk.done())
        walk.go(!walk.forced() &&
                coder.code(!Coder::kDecoding && (seen->second >> walk.bit() & 1), walk.one()));
      counts_.add(walk.member(), 2);
      run.difference = differences_[walk.member()];
    } else {
      const uint64_t folded =
          new_differences_.code(coder, run.difference << 1 ^ -(run.difference >> 63));
      run.difference = folded >> 1 ^ -(folded & 1);
      if constexpr (!Coder::kDecoding) numbers_.emplace(run.difference, counts_.size());
      differences_.push_back(run.difference);
      counts_.add_member(3);
    }
    run.count = run_lengths_[known].code(coder, run.count - 1) + 1;
    return run;
  }

 private:
  std::unordered_map<uint64_t, uint32_t> numbers_;  // only when writing
  std::vector<uint64_t> differences_;
  sequitur::CountTree counts_;
  sequitur::AdaptiveBit known_;
  sequitur::NumberModel new_differences_;
  sequitur::NumberModel run_lengths_[2];
};

}  // namespace

Bytes encode_run_table(const std::vector<DifferenceRun>& runs) {
  ByteWriter out;
  out.varint(runs.size());
  if (!runs.empty()) {
    mix::RangeEncoder coder;
    RunModel model;
    for (const DifferenceRun& run : runs) model.code(coder, run);
    out.bytes(coder.finish());
  }
  while (out.size() * kRunsPerByte < runs.size()) out.u8(0);
  return out.take();
}

Result<std::vector<DifferenceRun>> decode_run_table(ByteView bytes) {
  ByteReader in(bytes);
  const uint64_t count = in.varint();
  if (in.failed() || count > bytes.size() * kRunsPerByte)
    return fail(ErrorKind::corrupt, "a table says it has " + std::to_string(count) + " runs in " +
                                        std::to_string(bytes.size()) + " bytes");
  mix::RangeDecoder coder(in.bytes(in.remaining()));
  RunModel model;
  std::vector<DifferenceRun> runs;
  runs.reserve(count);
  while (runs.size() < count) {
    const DifferenceRun run = model.code(coder, {0, 1});
    if (run.count == 0)
      return fail(ErrorKind::corrupt,
                  "run " + std::to_string(runs.size()) + " of a table is impossible");
    runs.push_back(run);
  }
  if (coder.overran()) return fail(ErrorKind::corrupt, "a table of runs is cut short");
  return runs;
}

}  // namespace vestige::section
