// A trace file taken apart, so that tests can change its pieces and put it together again with
// checksums that match: what only malice makes.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "store/format.h"

namespace vestige::hostile {

struct FileParts {
  struct Piece {
    format::ChunkKind kind = format::ChunkKind::meta;
    uint64_t sequence = 0;
    Bytes payload;
  };
  format::FileHeader header{};
  std::vector<Piece> pieces;  // without the directory
  Bytes directory;            // its payload
};

// Nothing when the chunks do not follow each other from the header to the trailer.
std::optional<FileParts> take_apart(ByteView file);
// With a directory that lists the pieces as they are now, unless `keep_directory`.
Bytes put_together(const FileParts& parts, bool keep_directory = false);

// Makes the checksums of the header, of the trailer and of every chunk that can still be found from
// the header on match what the bytes are now.
void sign(Bytes& file);

// Where the chunk headers are, as far as they can be followed.
std::vector<uint64_t> chunk_offsets(ByteView file);

}  // namespace vestige::hostile
