// The queries of the whole-execution-traces paper (its Tables 6 – 9) on a trace, be it a recording
// or a stored WET (represent --as wet): statement ids, load values, addresses, slices with all that
// is known of each member.
//
//     wet_bench TRACE [CRITERIA]      JSON: a line of the trace, then one of each slice
//
// Processor time of all threads, from the open trace on; the indexes of a recording are made
// before.
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "criteria.h"
#include "vestige/dependences.h"
#include "vestige/index.h"
#include "vestige/values.h"
#include "vestige/wet.h"

using namespace vestige;

namespace {

unsigned long long number(uint64_t value) { return value; }

template <class T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(3);
}

struct Rate {
  uint64_t count = 0, sum = 0;  // the sum, so that nothing is left out
  double seconds = 0;
};

// Table 6: the ids of all statements of thread 0, in the order executed or in the opposite one.
Rate statement_ids(const Trace& trace, bool back) {
  constexpr size_t kRoom = 1 << 16;
  std::unordered_map<uint32_t, std::vector<uint32_t>> of_path;  // by path id
  std::vector<uint32_t> ids;
  ids.reserve(kRoom);
  Rate rate;
  auto cursor = need(trace.walk(0));
  if (back) cursor.to_end();
  const double begun = processor_seconds();
  const auto drain = [&] {
    rate.count += ids.size();
    for (const uint32_t id : ids) rate.sum += id;
    ids.clear();
  };
  while (back ? cursor.prev() : cursor.next()) {
    const Path& path = cursor.path();
    std::vector<uint32_t>& list = of_path[path.id];
    if (list.empty()) {
      const Function& function = trace.functions()[path.function];
      for (const uint32_t s : path.segments)
        for (uint32_t i = 0; i < function.segments[s].statement_count; ++i) {
          const uint32_t statement = function.segments[s].first_statement + i;
          if (!function.statements[statement].pseudo)
            list.push_back(static_cast<uint32_t>(function.first_statement) + statement);
        }
      if (back) std::ranges::reverse(list);
    }
    if (ids.size() + list.size() > kRoom) drain();
    ids.insert(ids.end(), list.begin(), list.end());
  }
  drain();
  rate.seconds = processor_seconds() - begun;
  return rate;
}

std::vector<StatementRef> references(const Trace& trace) {
  std::vector<StatementRef> found;
  for (uint32_t f = 0; f < trace.functions().size(); ++f)
    for (uint32_t s = 0; s < trace.functions()[f].statements.size(); ++s) {
      const Op op = trace.functions()[f].statements[s].op;
      if (op == Op::load || op == Op::store) found.push_back({f, s});
    }
  return found;
}

// Tables 7 and 8.
Rate column(const Trace& trace, std::vector<StatementRef> statements, bool addresses) {
  ColumnOptions options;
  options.statements = std::move(statements);
  options.values = !addresses;
  options.addresses = addresses;
  Rate rate;
  const double begun = processor_seconds();
  const auto read = read_columns(trace, options, [&](const ColumnPiece& piece) {
    for (const uint64_t value : addresses ? piece.addresses : piece.values) {
      rate.sum += value;
      ++rate.count;
    }
    return true;
  });
  if (!read) need(Result<int>(std::unexpected(read.error())));
  rate.seconds = processor_seconds() - begun;
  return rate;
}

// Table 9: a backward slice of every kind of dependence. Each member is visited in the order
// executed, with its time, instance, value, address and reason.
void slice_line(Slicer& slicer, const SliceOptions& options, uint64_t number_of) {
  uint64_t members = 0, values = 0, addresses = 0, sum = 0;
  const double begun = processor_seconds();
  SliceOptions counted = options;
  counted.most_instances = kNone - 1;
  const auto found =
      slicer.each(counted, [&](const Slice&, const SliceInstance& member, const SliceInstance* of) {
        ++members;
        values += member.value.has_value();
        addresses += member.address.has_value();
        sum += member.time + member.instance + member.value.value_or(0) +
               member.address.value_or(0) + (of ? of->instance : 0);
        return true;
      });
  if (!found) {
    std::fprintf(stderr, "%s\n", found.error().message.c_str());
    std::exit(3);
  }
  std::printf(
      "{\"kind\":\"members\",\"criterion\":%llu,\"members\":%llu,\"values\":%llu,"
      "\"addresses\":%llu,\"sum\":%llu,\"seconds\":%.4f}\n",
      number(number_of), number(members), number(values), number(addresses), number(sum),
      processor_seconds() - begun);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const Trace trace = need(Trace::open(argv[1]));
  if (!is_wet(trace)) {
    ensure_index(trace);
    ensure_dependences(trace);
  }
  const Rate forwards = statement_ids(trace, false), backwards = statement_ids(trace, true);
  if (forwards.count != backwards.count || forwards.sum != backwards.sum) {
    std::fprintf(stderr, "%s: the two walks differ\n", argv[1]);
    return 1;
  }
  const Rate values = column(trace, all_loads(trace), false);
  const Rate addresses = column(trace, references(trace), true);
  std::printf("{\"kind\":\"queries\",\"wet\":%s", is_wet(trace) ? "true" : "false");
  const auto print = [](const char* name, const Rate& rate) {
    std::printf(",\"%s\":{\"count\":%llu,\"sum\":%llu,\"seconds\":%.4f}", name, number(rate.count),
                number(rate.sum), rate.seconds);
  };
  print("forwards", forwards);
  print("backwards", backwards);
  print("load_values", values);
  print("addresses", addresses);
  std::printf("}\n");
  std::fflush(stdout);
  Criteria random(trace, 1);
  Slicer slicer = need(Slicer::open(trace));
  const uint64_t criteria = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 25;
  for (uint64_t i = 0; i < criteria; ++i) slice_line(slicer, random.next(), i);
}
