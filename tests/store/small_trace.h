// A small trace with every kind of chunk, and its place on disk.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "store/reader.h"
#include "store/writer.h"

namespace vestige::test {

// A folder of its own for each test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "vestige-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline Bytes read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}
inline void write_bytes(const std::string& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

inline ControlChunk control_chunk(uint32_t thread, uint64_t first_time, uint64_t paths,
                                  StackChange stack = {}) {
  std::vector<uint32_t> words;
  for (uint64_t i = 0; i < paths; ++i)
    words.push_back(0x10000 + static_cast<uint32_t>((first_time + i) % 7));
  auto encoder = make_word_encoder(WordCodec::packed);
  encoder->append(words);
  ControlChunk chunk;
  chunk.thread = thread;
  chunk.first_time = first_time;
  chunk.path_count = paths;
  chunk.stack = std::move(stack);
  chunk.events.push_back(
      {.kind = format::EventKind::fork, .time = first_time, .stack = {}, .numbers = {42}});
  chunk.codec = WordCodec::packed;
  chunk.words = encoder->finish();
  return chunk;
}

// One process, one thread, `chunks` control chunks of 100 paths; no ends, not finished.
inline void write_chunks(StoreWriter& writer, uint64_t chunks) {
  ASSERT_TRUE(writer.append(MetaChunk{{{"vestige", "test"}, {"what", "control"}}}));
  ASSERT_TRUE(writer.append(ProcessChunk{0, 100, 1, kNone, "/bin/x", {"x", "y"}}));
  ModuleChunk module;
  module.name = "/bin/x";
  module.first_path = 0x10000;
  module.path_count = 7;
  module.functions.push_back({0x10000, Bytes(100, 3)});
  ASSERT_TRUE(writer.append(module));
  ASSERT_TRUE(writer.append(ThreadChunk{0, 0, 100, format::ThreadKind::thread, kNone, 0}));
  for (uint64_t i = 0; i < chunks; ++i)
    ASSERT_TRUE(writer.append(
        control_chunk(0, 1 + i * 100, 100, {.keep = i, .frames = {{0x10001, 1 + i * 100}}})));
}

inline void write_small_trace(const std::string& path, uint64_t chunks = 5) {
  auto writer = StoreWriter::create(path);
  ASSERT_TRUE(writer) << writer.error().message;
  write_chunks(*writer, chunks);
  ASSERT_TRUE(writer->append(EndChunk{false, 0, format::EndReason::exited, 0, chunks * 100}));
  ASSERT_TRUE(writer->append(EndChunk{true, 0, format::EndReason::exited, 3, 0}));
  ASSERT_TRUE(writer->finish());
}

}  // namespace vestige::test
