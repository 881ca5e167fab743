// Which stream codec should the store use where? Size, speed each way, jumps and memory of every
// codec on the streams of real traces.
//
//     streams_bench [--codec NAME]… FILE…       .vpc: (PC, value) records; .u32: words
//
// Three kinds of streams: the values of each PC that has at least kFewest of them, the whole column
// of values, and the whole column of PCs (or words). Times are processor time, the best of kRounds
// passes; each pass reads with a cursor of its own, so opening and loading count.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codec/stream_codec.h"

namespace vestige {
namespace {

constexpr size_t kFewest = 4096;
constexpr size_t kBatch = 4096;
constexpr int kRounds = 2;
constexpr int kJumps = 400;  // per kind

using Stream = std::vector<uint64_t>;

struct Kind {
  std::string name;
  std::vector<Stream> streams;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

size_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::vector<Kind> kinds_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<Kind> kinds;
  if (file.ends_with(".u32")) {
    Stream words;
    for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      uint32_t word;
      std::memcpy(&word, &bytes[at], sizeof word);
      words.push_back(word);
    }
    kinds.push_back({"words", {std::move(words)}});
    return kinds;
  }
  std::map<uint64_t, Stream> by_pc;
  Stream pcs, values;
  for (size_t at = 4; at + 12 <= bytes.size(); at += 12) {
    uint32_t pc;
    uint64_t value;
    std::memcpy(&pc, &bytes[at], sizeof pc);
    std::memcpy(&value, &bytes[at + 4], sizeof value);
    by_pc[pc].push_back(value);
    pcs.push_back(pc);
    values.push_back(value);
  }
  Kind each{"values of each PC", {}};
  for (auto& [pc, stream] : by_pc)
    if (stream.size() >= kFewest) each.streams.push_back(std::move(stream));
  if (!each.streams.empty()) kinds.push_back(std::move(each));
  kinds.push_back({"all values", {std::move(values)}});
  kinds.push_back({"all PCs", {std::move(pcs)}});
  return kinds;
}

[[noreturn]] void wrong(StreamCodec codec, const char* what) {
  std::fprintf(stderr, "%s: %s\n", std::string(name_of(codec)).c_str(), what);
  std::exit(3);
}

struct Figures {
  size_t values = 0, bytes = 0, memory = 0, jumps = 0;
  double encode = 0, forward = 0, backward = 0, jump = 0;
};

// One pass; the checks of the ends of each batch keep the compiler honest and cost nothing.
double pass(StreamCodec codec, ByteView bytes, const Stream& values, bool back, size_t& memory) {
  Stream batch(kBatch);
  double seconds = -cpu_seconds();
  auto cursor = open_stream(codec, bytes);
  if (!cursor) wrong(codec, cursor.error().message.c_str());
  if (back) (*cursor)->seek(values.size());
  size_t done = 0;
  while (const size_t n = back ? (*cursor)->read_back(batch) : (*cursor)->read(batch)) {
    const size_t last = back ? values.size() - done - n : done + n - 1;
    if (batch[n - 1] != values[last]) wrong(codec, "other values");
    done += n;
  }
  seconds += cpu_seconds();
  if (done != values.size()) wrong(codec, "fewer values");
  const size_t with_cursor = allocated();
  cursor->reset();
  memory = std::max(memory, with_cursor - std::min(with_cursor, allocated()));
  return seconds;
}

void measure(StreamCodec codec, const Stream& values, size_t jumps, Figures& figures) {
  double start = cpu_seconds();
  const auto encoder = make_stream_encoder(codec);
  encoder->append(values);
  const Bytes bytes = encoder->finish();
  figures.encode += cpu_seconds() - start;
  figures.values += values.size();
  figures.bytes += bytes.size();
  double forward = 1e9, backward = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    forward = std::min(forward, pass(codec, bytes, values, false, figures.memory));
    backward = std::min(backward, pass(codec, bytes, values, true, figures.memory));
  }
  figures.forward += forward;
  figures.backward += backward;
  std::mt19937_64 random(1);
  auto cursor = open_stream(codec, bytes);
  start = cpu_seconds();
  for (size_t i = 0; i < jumps; ++i) {
    const size_t at = random() % values.size();
    uint64_t value = 0;
    if (!(*cursor)->seek(at) || !(*cursor)->next(value) || value != values[at])
      wrong(codec, "a jump went elsewhere");
  }
  figures.jump += cpu_seconds() - start;
  figures.jumps += jumps;
}

void report(const std::string& name, const Figures& f) {
  const auto values = static_cast<double>(f.values);
  std::printf("| %s | %.3f | %.1f | %.0f | %.0f | %.1f | %zu |\n", name.c_str(),
              static_cast<double>(f.bytes) * 8 / values, values / f.encode / 1e6,
              values / f.forward / 1e6, values / f.backward / 1e6,
              f.jump / static_cast<double>(f.jumps) * 1e6, f.memory / 1024);
  std::fflush(stdout);
}

void run(const std::string& file, std::span<const StreamCodec> codecs) {
  for (const Kind& kind : kinds_of(file)) {
    size_t values = 0;
    for (const Stream& stream : kind.streams) values += stream.size();
    std::printf("\n%s, %s: %zu streams, %zu values\n\n", file.substr(file.rfind('/') + 1).c_str(),
                kind.name.c_str(), kind.streams.size(), values);
    std::printf(
        "| codec | bits/value | encode M/s | forward M/s | backward M/s | jump µs | cursor KiB |\n"
        "|---|---|---|---|---|---|---|\n");
    const size_t jumps = std::max<size_t>(4, kJumps / kind.streams.size());
    for (const StreamCodec codec : codecs) {
      Figures figures;
      for (const Stream& stream : kind.streams) measure(codec, stream, jumps, figures);
      report(std::string(name_of(codec)), figures);
    }
    for (const auto& [goal, name] : {std::pair{StreamGoal::size, "selected for size"},
                                     std::pair{StreamGoal::random_access, "selected for jumps"}}) {
      Figures figures;
      for (const Stream& stream : kind.streams)
        measure(select_stream_codec(stream, goal), stream, jumps, figures);
      report(name, figures);
    }
  }
}

}  // namespace
}  // namespace vestige

int main(int argc, char** argv) {
  using namespace vestige;
  std::vector<StreamCodec> codecs;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) != "--codec") {
      files.push_back(argv[i]);
    } else if (const auto codec = stream_codec_named(++i < argc ? argv[i] : "")) {
      codecs.push_back(*codec);
    } else {
      std::fprintf(stderr, "%s\n", codec.error().message.c_str());
      return 2;
    }
  }
  if (files.empty()) {
    std::fprintf(stderr, "usage: streams_bench [--codec NAME]… FILE…\n");
    return 2;
  }
  if (codecs.empty()) codecs.assign(stream_codecs().begin(), stream_codecs().end());
  // One arena, so that mallinfo2 sees everything.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  for (const std::string& file : files) run(file, codecs);
  return 0;
}
