// Opens a .vst file: maps it, checks header, trailer and directory, and hands out chunks whose
// checksums it has checked. Damage is local: a chunk that does not check is an error for whoever
// asks for it, and for nobody else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/chunks.h"

namespace vestige {

class StoreReader {
 public:
  enum class Mode {
    strict,   // needs a complete file: header, directory, trailer
    recover,  // whatever chunks can be found by scanning, in file order
    follow,   // a file that is still written, as far as it is known to be whole
  };
  // `bytes`: follow reads so much of the file, which must be whole chunks.
  static Result<StoreReader> open(const std::string& path, Mode mode = Mode::strict,
                                  uint64_t bytes = UINT64_MAX);
  StoreReader(StoreReader&&) noexcept;
  StoreReader& operator=(StoreReader&&) noexcept;
  ~StoreReader();

  const format::FileHeader& header() const;
  const std::vector<DirectoryChunk::Row>& rows() const;
  uint64_t file_bytes() const;
  // A checksum over the file's header and all chunk headers (which hold those of the payloads):
  // what is made from a trace says by this what it was made from.
  uint64_t identity() const;
  // The payload of row `row`, its checksum verified (once per chunk; later calls are free). Safe to
  // call from several threads.
  Result<ByteView> payload(size_t row) const;
  // follow only: takes in what was written since, up to so many bytes. Nothing else may read
  // meanwhile; what was handed out stays.
  Result<void> catch_up(uint64_t bytes);
  // recover only: byte ranges that hold no readable chunk, in words ("bytes 4096–5120: …").
  const std::vector<std::string>& damage() const;

 private:
  struct State;
  explicit StoreReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Copies every readable chunk of a file that a crash left incomplete, or that was damaged, into a
// complete new file. Threads and processes that have no end get one (reason unknown).
struct RecoverySummary {
  uint64_t chunks = 0;
  uint64_t paths = 0;
  std::vector<std::string> damage;  // what could not be read
};
Result<RecoverySummary> recover_store(const std::string& from, const std::string& to);

}  // namespace vestige
