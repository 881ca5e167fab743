#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "hot_rows.h"
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

void json_row(const Trace& trace, const HotPaths& hot, const HotPath& h, Output& out) {
  nlohmann::ordered_json json;
  json["occurrences"] = h.occurrences;
  json["cost"] = h.cost;
  json["share"] = h.share;
  json["length"] = h.paths.size();
  json["calls"] = h.calls;
  json["thread"] = h.thread;
  json["time"] = h.time;
  json["weight"] = h.weight;
  json["weighed_by"] = unit_of(hot);
  auto& paths = json["paths"] = nlohmann::ordered_json::array();
  for (const Path* path : h.paths) {
    auto& row = paths.emplace_back();
    row["path"] = path->id;
    row["function"] = function_name(trace, *path);
    row["blocks"] = nlohmann::ordered_json::array();
    for (const uint32_t block : path->blocks) row["blocks"].push_back(block_name(block));
    const PathPlace place = place_of(trace, *path);
    row["file"] = nullptr;
    if (!place.file.empty()) row["file"] = place.file;
    row["lines"] = place.lines;
  }
  out.json(json);
}

void csv_row(const Trace& trace, const HotPath& h, Output& out) {
  std::string ids, text;
  for (const Path* path : h.paths) {
    ids += fmt::format("{}{}", ids.empty() ? "" : " ", path->id);
    text += fmt::format("{}{} {}", text.empty() ? "" : " → ", function_name(trace, *path),
                        blocks_text(trace, *path, SIZE_MAX));
  }
  out.print("{},{},{},{},{},{},{},{},{},{}\n", h.occurrences, h.cost, h.share, h.paths.size(),
            h.calls, h.thread, h.time, h.weight, ids, csv_field(text));
}

// Equal neighbours are one line.
void human_row(const Trace& trace, const HotPath& h, Output& out) {
  out.print("{:>7.2f} %{:>15}{:>8}{:>7}{:>8}{:>14}\n", h.share * 100, grouped(h.occurrences),
            h.paths.size(), h.calls, thread_name(trace, h.thread), h.time);
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
  if (format == Format::csv)
    out.text("occurrences,cost,share,length,calls,thread,time,weight,paths,text\n");
  if (format == Format::human) {
    out.print("{} in {}; a subpath is hot from {:.2g} % of them on\n",
              counted(hot.weight, hot.weighed_by == HotWeight::statements ? "statement" : "block"),
              counted(hot.paths, "path"),
              hot.weight == 0
                  ? 0
                  : 100 * static_cast<double>(hot.threshold) / static_cast<double>(hot.weight));
    if (!hot.subpaths.empty())
      out.print("{:>9}{:>15}{:>8}{:>7}{:>8}{:>14}\n", "share", "occurrences", "paths", "calls",
                "thread", "first at");
  }
  for (const HotPath& h : hot.subpaths) {
    if (format == Format::json)
      json_row(trace, hot, h, out);
    else if (format == Format::csv)
      csv_row(trace, h, out);
    else
      human_row(trace, h, out);
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

}  // namespace vestige::cli
