// paper_grammars CDR DOR: the same trace as the paper's grammars: classic SEQUITUR, without runs as
// symbols and without entropy coding. Of each thread's blocks (its WPP), of its accesses to shared
// memory and synchronization operations in order (dor), and of the addresses of each load and
// store, as they are and after Diff and RLE. Bytes: 4 a symbol, 4 where a body ends, and what
// terminals stand for, once a grammar: 4 for an address, 8 for a difference and how often it comes.
// Each grammar is expanded and compared with what went in. Prints one JSON object.
#include <cstdio>
#include <ctime>
#include <vector>

#include "../sequitur/classic_sequitur.h"
#include "vestige/query.h"
#include "vestige/represent.h"

using namespace vestige;
using bench::ClassicSequitur;

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Form {
  const char* name;
  uint64_t width;  // bytes of what a terminal stands for
  uint64_t values = 0, symbols = 0, bytes = 0;
  double seconds = 0;
  bool wrong = false;

  void add(const std::vector<uint64_t>& stream) {
    const double start = cpu_seconds();
    ClassicSequitur grammar;
    for (const uint64_t value : stream) grammar.append(value);
    seconds += cpu_seconds() - start;
    values += stream.size();
    symbols += grammar.symbols();
    bytes += grammar.bytes(width);
    size_t at = 0;
    grammar.expand([&](uint64_t value) {
      wrong |= at >= stream.size() || stream[at] != value;
      ++at;
    });
    wrong |= at != stream.size();
  }
  void print(const char* before) const {
    std::printf(R"(%s"%s": {"values": %llu, "symbols": %llu, "bytes": %llu, "seconds": %.4f})",
                before, name, static_cast<unsigned long long>(values),
                static_cast<unsigned long long>(symbols), static_cast<unsigned long long>(bytes),
                seconds);
  }
};

// Differences and how often each comes in a row, as one value each (the paper's section 2.4):
// differences here are below 2^40, runs below 2^24, or they are cut.
std::vector<uint64_t> difference_runs(const std::vector<uint64_t>& addresses) {
  constexpr uint64_t kLongest = (uint64_t{1} << 24) - 1;
  std::vector<uint64_t> runs;
  uint64_t before = 0, last = 0, count = 0;
  const auto end = [&] {
    if (count > 0) runs.push_back(last << 24 | count);
    count = 0;
  };
  for (const uint64_t address : addresses) {
    const uint64_t difference = address - before;
    if (difference != last || count == kLongest) end();
    last = difference;
    ++count;
    before = address;
  }
  end();
  return runs;
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto cdr = Trace::open(argv[1]), dor = Trace::open(argv[2]);
  if (!cdr) return fail(cdr.error());
  if (!dor) return fail(dor.error());
  Form control{"wpp", 0}, order{"dor", 4}, plain{"addresses", 4}, runs{"runs", 8};
  std::vector<uint64_t> values;
  for (uint32_t thread = 0; thread < cdr->threads().size(); ++thread) {
    values.clear();
    if (auto walk = WalkCursor::open(*cdr, {.thread = thread, .level = WalkLevel::block}))
      while (const WalkRow* row = walk->next())
        if (row->kind == WalkRow::Kind::block)
          values.push_back(uint64_t{row->function} << 32 | row->block);
    control.add(values);
    values.clear();
    if (auto cursor = SharedAccessCursor::open(*dor, thread))
      while (cursor->next())
        values.push_back(
            cursor->access().sync ? 0 : cursor->access().address * 2 + cursor->access().write);
    order.add(values);
    const auto patterns = address_patterns(*cdr, thread);
    if (!patterns) return fail(patterns.error());
    for (const AddressPattern& pattern : *patterns) {
      values.clear();
      const auto read = read_pattern(*cdr, thread, pattern, [&](const PatternRun& run) {
        for (uint64_t i = 0; i < run.count; ++i) values.push_back(run.start + i * run.stride);
        return true;
      });
      if (!read) return fail(read.error());
      plain.add(values);
      const double start = cpu_seconds();
      const auto differences = difference_runs(values);
      runs.seconds += cpu_seconds() - start;
      runs.add(differences);
    }
  }
  control.print("{");
  for (const Form* form : {&order, &plain, &runs}) form->print(", ");
  std::printf("}\n");
  const bool wrong = control.wrong || order.wrong || plain.wrong || runs.wrong;
  if (wrong) std::fprintf(stderr, "paper_grammars: a grammar does not give what went in\n");
  return wrong ? 1 : 0;
}
