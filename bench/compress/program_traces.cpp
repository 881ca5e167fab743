// program_traces DIR [RECORDS]: writes a trace of load values of every kind of small program
// (tests/codec/record/vestige/program_traces.h), DIR/KIND.loadval.vpc, of 1.5 million records each unless told.
#include "program_traces.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

bool write(const std::string& path, const vestige::RecordBlock& block) {
  std::string bytes = "vpc3";
  const auto put = [&](uint64_t value, unsigned width) {
    for (unsigned b = 0; b < width; ++b) bytes += static_cast<char>(value >> (8 * b));
  };
  for (size_t i = 0; i < block.rows; ++i) {
    put(block.columns[0][i], 4);
    put(block.columns[1][i], 8);
  }
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  return static_cast<bool>(out.flush());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: program_traces DIR [RECORDS]\n");
    return 2;
  }
  const size_t rows = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'500'000;
  for (const vestige::ProgramKind& kind : vestige::program_kinds()) {
    const std::string path = std::string(argv[1]) + "/" + kind.name + ".loadval.vpc";
    if (!write(path, vestige::program_trace(kind, rows))) {
      std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
      return 4;
    }
  }
  return 0;
}
