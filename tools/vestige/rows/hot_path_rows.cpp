#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "rows/hot_rows.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

// Where a path runs in the source of its own function: of inlined code, the line it was inlined at.
struct PathPlace {
  std::string_view file;
  std::set<uint32_t> lines;
};

PathPlace place_of(const Trace& trace, const Path& path) {
  const Function& f = trace.functions()[path.function];
  PathPlace place;
  if (f.file < f.files.size()) place.file = f.files[f.file];
  for (const uint32_t number : path.segments) {
    const Segment& segment = f.segments[number];
    for (uint32_t i = 0; i < segment.statement_count; ++i) {
      uint32_t at = f.statements[segment.first_statement + i].location;
      if (at >= f.locations.size()) continue;
      while (f.locations[at].inlined_at < at) at = f.locations[at].inlined_at;
      if (f.locations[at].line != 0) place.lines.insert(f.locations[at].line);
    }
  }
  return place;
}

std::string place_text(const PathPlace& place) {
  if (place.file.empty() || place.lines.empty()) return "";
  const uint32_t first = *place.lines.begin(), last = *place.lines.rbegin();
  const std::string_view file = file_name(place.file);
  return first == last ? fmt::format("{}:{}", file, first)
                       : fmt::format("{}:{}-{}", file, first, last);
}

std::string function_name(const Trace& trace, const Path& path) {
  return demangle(trace.functions()[path.function].name);
}

// "(B3) B4 B5"; in brackets: a block that an earlier path began.
std::string blocks_text(const Trace& trace, const Path& path, size_t most) {
  std::string text;
  if (path.resumes && !path.segments.empty())
    text = fmt::format("(B{})", trace.functions()[path.function].segments[path.segments[0]].block);
  for (size_t i = 0; i < path.blocks.size(); ++i) {
    if (i == most && path.blocks.size() > most + 1) {
      text += fmt::format(" … {} more", path.blocks.size() - most);
      break;
    }
    text += fmt::format("{}B{}", text.empty() ? "" : " ", path.blocks[i]);
  }
  return text;
}

std::string label(const Trace& trace, const Path& path) {
  constexpr size_t kShortBlocks = 8;
  const std::string blocks = blocks_text(trace, path, kShortBlocks);
  return short_function(function_name(trace, path)) + (blocks.empty() ? "" : " " + blocks);
}

std::string_view unit_of(const HotPaths& hot) {
  return hot.weighed_by == HotWeight::statements ? "statements" : "blocks";
}

struct HotPathRow {
  const Trace& trace;
  const HotPaths& hot;
  const HotPath& path;
};

nlohmann::ordered_json paths_json(const HotPathRow& row) {
  auto paths = nlohmann::ordered_json::array();
  for (const Path* path : row.path.paths) {
    auto& one = paths.emplace_back();
    one["path"] = path->id;
    one["function"] = function_name(row.trace, *path);
    one["blocks"] = nlohmann::ordered_json::array();
    for (const uint32_t block : path->blocks) one["blocks"].push_back(block_name(block));
    const PathPlace place = place_of(row.trace, *path);
    one["file"] = nullptr;
    if (!place.file.empty()) one["file"] = place.file;
    one["lines"] = place.lines;
  }
  return paths;
}

std::string paths_text(const HotPathRow& row) {
  std::string text;
  for (const Path* path : row.path.paths)
    text += fmt::format("{}{} {}", text.empty() ? "" : " → ", function_name(row.trace, *path),
                        blocks_text(row.trace, *path, SIZE_MAX));
  return text;
}

constexpr Column<HotPathRow> kHotPathColumns[] = {
    {"occurrences", ColumnType::count, "how often",
     [](const HotPathRow& row) -> Cell { return row.path.occurrences; }},
    {"cost", ColumnType::count, "occurrences × weight",
     [](const HotPathRow& row) -> Cell { return row.path.cost; }},
    {"share", ColumnType::real, "cost as a part of the execution",
     [](const HotPathRow& row) { return Cell::real(row.path.share); }, Forms::both,
     right("share", 9),
     [](const HotPathRow& row) { return fmt::format("{:.2f} %", row.path.share * 100); }},
    for_people<HotPathRow>(right("occurrences", 15),
                           [](const HotPathRow& row) { return grouped(row.path.occurrences); }),
    {"length", ColumnType::number, "paths",
     [](const HotPathRow& row) -> Cell { return row.path.paths.size(); }, Forms::both,
     right("paths", 8)},
    {"calls", ColumnType::number, "activations that begin or end between two of its paths",
     [](const HotPathRow& row) -> Cell { return row.path.calls; }, Forms::both, right("calls", 7)},
    {"thread", ColumnType::number, "of the first occurrence",
     [](const HotPathRow& row) -> Cell { return row.path.thread; }, Forms::both, right("thread", 8),
     [](const HotPathRow& row) { return thread_name(row.trace, row.path.thread); }},
    {"time", ColumnType::number, "of its first path",
     [](const HotPathRow& row) -> Cell { return row.path.time; }, Forms::both,
     right("first at", 14)},
    {"weight", ColumnType::count, "of one occurrence",
     [](const HotPathRow& row) -> Cell { return row.path.weight; }},
    {"weighed_by", ColumnType::text, "statements, or blocks",
     [](const HotPathRow& row) -> Cell { return unit_of(row.hot); }, Forms::json},
    {"paths", ColumnType::object, "path (number), function, blocks, file, lines of each",
     [](const HotPathRow& row) { return Cell::json(paths_json(row)); }, Forms::json},
    {"paths", ColumnType::list, "their numbers",
     [](const HotPathRow& row) {
       std::vector<uint64_t> ids;
       for (const Path* path : row.path.paths) ids.push_back(path->id);
       return Cell::numbers(std::move(ids));
     },
     Forms::csv},
    {"text", ColumnType::text, "functions and blocks of all of them",
     [](const HotPathRow& row) -> Cell { return paths_text(row); }, Forms::csv},
};

// The paths of a row, for people. Equal neighbours are one line.
void print_members(const Trace& trace, const HotPath& h, Output& out) {
  for (size_t i = 0; i < h.paths.size();) {
    size_t same = 1;
    while (i + same < h.paths.size() && h.paths[i + same] == h.paths[i]) ++same;
    const std::string place = place_text(place_of(trace, *h.paths[i]));
    out.print("            {}{}{}{}\n", i > 0 ? "→ " : "", label(trace, *h.paths[i]),
              place.empty() ? "" : " (" + place + ")", same > 1 ? fmt::format(" × {}", same) : "");
    i += same;
  }
}

}  // namespace

void print_hot_paths(const Trace& trace, const HotPaths& hot, Format format, Output& out) {
  RowWriter<HotPathRow> rows(kHotPathColumns, {format}, out);
  if (format == Format::human) {
    out.print("{} in {}; a subpath is hot from {:.2g} % of them on\n",
              counted(hot.weight, hot.weighed_by == HotWeight::statements ? "statement" : "block"),
              counted(hot.paths, "path"),
              hot.weight == 0
                  ? 0
                  : 100 * static_cast<double>(hot.threshold) / static_cast<double>(hot.weight));
  }
  if (format == Format::csv || !hot.subpaths.empty()) rows.begin();
  for (const HotPath& h : hot.subpaths) {
    rows.row({trace, hot, h});
    if (format == Format::human) print_members(trace, h, out);
  }
  if (format == Format::human && hot.found > hot.subpaths.size())
    out.more(fmt::format("… {} more (use --all)\n", grouped(hot.found - hot.subpaths.size())));
}

HotPicture picture_of(const Trace& trace, const HotPaths& hot) {
  HotPicture picture;
  picture.title = fmt::format("Hot subpaths of {}: share of {} {}", file_name(trace.file()),
                              grouped(hot.weight), unit_of(hot));
  for (const HotPath& h : hot.subpaths) {
    HotPicture::Row& row = picture.rows.emplace_back();
    row.share = h.share;
    row.occurrences = h.occurrences;
    row.caption =
        fmt::format("{}, {} crossed, first at {} in thread {}", counted(h.occurrences, "time"),
                    counted(h.calls, "call"), h.time, thread_name(trace, h.thread));
    for (const Path* path : h.paths)
      row.boxes.push_back({fmt::format("{}", path->id), function_name(trace, *path),
                           label(trace, *path), place_text(place_of(trace, *path))});
  }
  return picture;
}

RowTable hot_path_rows() { return describe("hot", kHotPathColumns); }

}  // namespace vestige::cli
