#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "rows/hot_rows.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

// Addresses start, start + stride, …
struct StridedAddresses {
  uint64_t start = 0;
  int64_t stride = 0;
  uint64_t count = 1;
};

// Greedily from the front; two addresses are a run only when they are equal, since any two have a
// stride.
std::vector<StridedAddresses> runs_of(const std::vector<uint64_t>& addresses) {
  std::vector<StridedAddresses> runs;
  for (size_t i = 0; i < addresses.size();) {
    StridedAddresses run{addresses[i], 0, 1};
    if (i + 1 < addresses.size()) {
      const uint64_t stride = addresses[i + 1] - addresses[i];
      size_t end = i + 1;
      while (end < addresses.size() && addresses[end] - addresses[end - 1] == stride) ++end;
      if (end - i > 2 || stride == 0) {
        run.stride = static_cast<int64_t>(stride);
        run.count = end - i;
      }
    }
    runs.push_back(run);
    i += run.count;
  }
  return runs;
}

std::string run_text(const StridedAddresses& run) {
  if (run.count == 1) return fmt::format("{:#x}", run.start);
  if (run.stride == 0) return fmt::format("{:#x} × {}", run.start, run.count);
  return fmt::format("{:#x} {:+} × {}", run.start, run.stride, run.count);
}

// Each statement once, in the order they come up.
std::vector<uint64_t> once(const std::vector<uint64_t>& ids) {
  std::vector<uint64_t> out;
  for (const uint64_t id : ids)
    if (std::ranges::find(out, id) == out.end()) out.push_back(id);
  return out;
}

std::string place_of(const Trace& trace, uint64_t id) {
  const auto statement = statement_by_id(trace, id);
  if (!statement) return fmt::format("#{}", id);
  const Function& f = trace.functions()[statement->function];
  const std::string place = short_place(f, f.statements[statement->statement].location);
  return fmt::format("#{} {}{}{}", id, short_function(demangle(f.name)), place.empty() ? "" : " ",
                     place);
}

struct HotStreamRow {
  const Trace& trace;
  const HotStream& stream;
};

constexpr Column<HotStreamRow> kHotStreamColumns[] = {
    {"occurrences", ColumnType::count, "how often",
     [](const HotStreamRow& row) -> Cell { return row.stream.occurrences; }},
    {"cost", ColumnType::count, "occurrences × length",
     [](const HotStreamRow& row) -> Cell { return row.stream.cost; }},
    {"share", ColumnType::real, "cost as a part of all references",
     [](const HotStreamRow& row) { return Cell::real(row.stream.share); }, Forms::both,
     right("share", 9),
     [](const HotStreamRow& row) { return fmt::format("{:.2f} %", row.stream.share * 100); }},
    for_people<HotStreamRow>(
        right("occurrences", 15),
        [](const HotStreamRow& row) { return grouped(row.stream.occurrences); }),
    {"length", ColumnType::number, "references",
     [](const HotStreamRow& row) -> Cell { return row.stream.addresses.size(); }, Forms::both,
     right("length", 8)},
    {"thread", ColumnType::number, "of the first occurrence",
     [](const HotStreamRow& row) -> Cell { return row.stream.thread; }, Forms::both,
     right("thread", 8),
     [](const HotStreamRow& row) { return thread_name(row.trace, row.stream.thread); }},
    {"time", ColumnType::number, "of its first reference",
     [](const HotStreamRow& row) -> Cell { return row.stream.time; }, Forms::both,
     right("first at", 14)},
    {"addresses", ColumnType::list, "as many as length",
     [](const HotStreamRow& row) { return Cell::numbers(row.stream.addresses); }},
    {"runs", ColumnType::object, "the same, folded: start, stride, count of each",
     [](const HotStreamRow& row) {
       auto runs = nlohmann::ordered_json::array();
       for (const StridedAddresses& run : runs_of(row.stream.addresses))
         runs.push_back({{"start", run.start}, {"stride", run.stride}, {"count", run.count}});
       return Cell::json(runs);
     },
     Forms::json},
    {"statements", ColumnType::list, "the #ID that referred to each at the first occurrence",
     [](const HotStreamRow& row) { return Cell::numbers(row.stream.statement_ids); }},
};

// The addresses of a row, and who referred to them, for people.
void print_references(const Trace& trace, const HotStream& h, Output& out) {
  constexpr size_t kShortStatements = 4;
  std::string text;
  for (const StridedAddresses& run : runs_of(h.addresses))
    text += (text.empty() ? "" : ", ") + run_text(run);
  out.print("            {}\n", text);
  const auto ids = once(h.statement_ids);
  for (size_t i = 0; i < std::min(ids.size(), kShortStatements); ++i)
    out.print("              {}\n", place_of(trace, ids[i]));
  if (ids.size() > kShortStatements)
    out.print("              … {} more statements\n", ids.size() - kShortStatements);
}

}  // namespace

void print_hot_streams(const Trace& trace, const HotStreams& hot, Format format, Output& out) {
  RowWriter<HotStreamRow> rows(kHotStreamColumns, {format}, out);
  if (format == Format::human) {
    out.print("{} references; a stream is hot from {} of them on\n", grouped(hot.references),
              grouped(hot.threshold));
  }
  if (format == Format::csv || !hot.streams.empty()) rows.begin();
  for (const HotStream& h : hot.streams) {
    rows.row({trace, h});
    if (format == Format::human) print_references(trace, h, out);
  }
  if (format == Format::human && hot.found > hot.streams.size())
    out.more(fmt::format("… {} more (use --all)\n", grouped(hot.found - hot.streams.size())));
}

HotPicture picture_of(const Trace& trace, const HotStreams& hot) {
  HotPicture picture;
  picture.title = fmt::format("Hot data streams of {}: share of {} references",
                              file_name(trace.file()), grouped(hot.references));
  for (const HotStream& h : hot.streams) {
    HotPicture::Row& row = picture.rows.emplace_back();
    row.share = h.share;
    row.occurrences = h.occurrences;
    row.caption =
        fmt::format("{} times, {} references, first at {} in thread {}", grouped(h.occurrences),
                    h.addresses.size(), h.time, thread_name(trace, h.thread));
    size_t at = 0;
    for (const StridedAddresses& run : runs_of(h.addresses)) {
      const std::string text = run_text(run);
      const std::string place =
          at < h.statement_ids.size() ? place_of(trace, h.statement_ids[at]) : "";
      row.boxes.push_back({text, place, text, place});
      at += run.count;
    }
  }
  return picture;
}

RowTable hot_stream_rows() { return describe("hot --data", kHotStreamColumns); }

}  // namespace vestige::cli
