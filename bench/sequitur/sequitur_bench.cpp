// How fast is a grammar built, how much memory does it take, how small is it written, how fast is
// it read? For files of little-endian integers, beside bzip2 -9 and xz -6 on the same file.
//
//     sequitur_bench [--runs] FILE.u32 | FILE.u64 …        one JSON line for each file
//
// All times are processor time. --runs: Diff∘RLE∘SEQ instead.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "codec/sequitur/grammar_bytes.h"
#include "codec/stream/runs/runs_stream.h"
#include "codec/stream/sequitur/sequitur_stream.h"

namespace {

using namespace vestige;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The least of a few: a busy machine slows down processor time too.
template <class Work>
double seconds(int rounds, const Work& work) {
  double best = 0;
  for (int i = 0; i < rounds; ++i) {
    const double start = cpu_seconds();
    work();
    const double took = cpu_seconds() - start;
    best = i == 0 ? took : std::min(best, took);
  }
  return best;
}

std::vector<uint64_t> read_values(const std::string& path) {
  const size_t width = path.ends_with(".u64") ? 8 : 4;
  std::ifstream in(path, std::ios::binary);
  std::vector<uint64_t> values;
  std::vector<char> buffer(width << 16);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0)
    for (size_t at = 0; at + width <= static_cast<size_t>(in.gcount()); at += width) {
      uint64_t value = 0;
      std::memcpy(&value, buffer.data() + at, width);
      values.push_back(value);
    }
  return values;
}

struct Peer {
  uint64_t bytes = 0;
  double seconds = 0;
};
Peer run_peer(const std::string& command) {
  const auto children = [] {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
  };
  Peer peer;
  const double start = children();
  if (FILE* pipe = popen((command + " | wc -c").c_str(), "r")) {
    unsigned long long bytes = 0;
    if (std::fscanf(pipe, "%llu", &bytes) == 1) peer.bytes = bytes;
    pclose(pipe);
  }
  peer.seconds = children() - start;
  return peer;
}

// Appends in blocks, as a recorder would, and gives the most bytes held for each symbol once there
// are some.
struct Built {
  uint64_t symbols = 0, peak_bytes = 0;
  double peak_per_symbol = 0;
};
Built build(const std::vector<uint64_t>& values, sequitur::PlainGrammar* out, bool watch) {
  constexpr size_t kBlock = 4096, kSome = 20000;
  sequitur::GrammarBuilder builder;
  Built built;
  for (size_t at = 0; at < values.size(); at += kBlock) {
    builder.append(std::span(values).subspan(at, std::min(kBlock, values.size() - at)));
    if (!watch || builder.symbols() < kSome) continue;
    built.peak_bytes = std::max<uint64_t>(built.peak_bytes, builder.bytes());
    built.peak_per_symbol =
        std::max(built.peak_per_symbol,
                 static_cast<double>(builder.bytes()) / static_cast<double>(builder.symbols()));
  }
  built.symbols = builder.symbols();
  sequitur::PlainGrammar grammar = builder.finish();
  if (out != nullptr) *out = std::move(grammar);
  return built;
}

void time_cursor(StreamCursor& cursor) {
  const double million = 1e6, count = static_cast<double>(cursor.size());
  std::vector<uint64_t> buffer(4096);
  const double forwards = seconds(3, [&] {
    cursor.seek(0);
    while (cursor.read(buffer) > 0) {
    }
  });
  const double backwards = seconds(3, [&] {
    cursor.seek(cursor.size());
    while (cursor.read_back(buffer) > 0) {
    }
  });
  std::mt19937_64 random(1);
  constexpr int kSeeks = 20000;
  const double seeks = seconds(3, [&] {
    uint64_t value = 0;
    for (int i = 0; i < kSeeks; ++i) {
      cursor.seek(random() % (cursor.size() + 1));
      cursor.next(value);
    }
  });
  std::printf(R"(, "forwards_per_s": %.1fe6, "backwards_per_s": %.1fe6, "seek_us": %.2f)",
              count / forwards / million, count / backwards / million, seeks / kSeeks * million);
}

void bench(const std::string& path, bool runs) {
  const std::vector<uint64_t> values = read_values(path);
  const auto count = static_cast<double>(values.size());
  std::printf(R"({"file": "%s", "values": %zu)", path.substr(path.rfind('/') + 1).c_str(),
              values.size());
  if (!runs) {
    sequitur::PlainGrammar grammar;
    const Built built = build(values, &grammar, true);
    const double building = seconds(5, [&] { build(values, nullptr, false); });
    Bytes bytes;
    const double writing = seconds(3, [&] { bytes = sequitur::encode_grammar(grammar); });
    const double loading = seconds(3, [&] { (void)sequitur::decode_grammar(bytes); });
    const auto symbols = static_cast<double>(grammar.symbols.size());
    std::printf(R"(, "symbols": %zu, "rules": %u, "built_per_s": %.1fe6, "peak_bytes": %llu)",
                grammar.symbols.size(), grammar.rules(), count / building / 1e6,
                static_cast<unsigned long long>(built.peak_bytes));
    std::printf(
        R"(, "peak_bytes_per_symbol": %.1f, "written_symbols_per_s": %.2fe6, "loaded_symbols_per_s": %.2fe6)",
        built.peak_per_symbol, symbols / writing / 1e6, symbols / loading / 1e6);
  }
  const auto encoder = runs ? make_runs_encoder() : make_sequitur_encoder();
  Bytes bytes;
  const double encoding = seconds(3, [&] {
    encoder->append(values);
    bytes = encoder->finish();
  });
  std::printf(R"(, "bytes": %zu, "encoded_per_s": %.1fe6)", bytes.size(), count / encoding / 1e6);
  if (auto cursor = runs ? open_runs(bytes) : open_sequitur(bytes)) time_cursor(**cursor);
  for (const char* peer : {"bzip2 -9", "xz -6"}) {
    const Peer result = run_peer(std::string(peer) + " -c " + path);
    std::printf(R"(, "%s": {"bytes": %llu, "per_s": %.1fe6})", peer,
                static_cast<unsigned long long>(result.bytes), count / result.seconds / 1e6);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  bool runs = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--runs")
      runs = true;
    else
      bench(argv[i], runs);
  }
  return argc > 1 ? 0 : 2;
}
