#include "chart_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "vestige/query.h"

namespace vestige::cli {

namespace {

constexpr size_t kLane = 8;  // characters from one lifeline to the next

// What a row says beside its lifelines.
std::string row_text(const Trace& trace, const SyncChart& chart, const SyncChart::Row& row) {
  if (chart.collapsed) {
    uint64_t all = 0, gives = 0, takes = 0;
    for (const SyncChart::Cell& cell : row.cells) {
      all += cell.operations;
      gives += cell.gives;
      takes += cell.takes;
    }
    return fmt::format("{} operations: {} out, {} in", all, gives, takes);
  }
  const SyncChart::Cell& cell = row.cells.front();
  std::string text = thread_name(trace, cell.thread) + " " + cell.texts.front();
  if (cell.operations == 2) text += ", " + cell.texts.back();
  if (cell.operations > 2) text += fmt::format(" … {} ({})", cell.texts.back(), cell.operations);
  return text;
}

size_t lane_of(const SyncChart& chart, uint32_t thread) {
  return static_cast<size_t>(std::ranges::lower_bound(chart.threads, thread) -
                             chart.threads.begin());
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace

void print_chart_text(const Trace& trace, const SyncChart& chart, Output& out) {
  const size_t lanes = chart.threads.size();
  std::string head = fmt::format("{:>10}  ", "order");
  for (const uint32_t thread : chart.threads)
    head += fmt::format("{:<{}}", thread_name(trace, thread), kLane);
  out.print("{}memory\n", head);
  for (const SyncChart::Row& row : chart.rows) {
    std::string lines;
    for (size_t lane = 0; lane <= lanes; ++lane) lines += "|" + std::string(kLane - 1, ' ');
    for (const SyncChart::Cell& cell : row.cells) {
      const size_t at = lane_of(chart, cell.thread) * kLane, memory = lanes * kLane;
      if (chart.collapsed) {
        const std::string count = cell.operations < 1'000'000
                                      ? std::to_string(cell.operations)
                                      : fmt::format("{}M", cell.operations / 1'000'000);
        lines.replace(at, count.size(), count);
        continue;
      }
      lines[at] = '*';
      if (cell.gives + cell.takes == 0) continue;
      for (size_t i = at + 1; i < memory; ++i)
        if (lines[i] == ' ') lines[i] = '-';
      if (cell.takes > 0) lines[at + 1] = '<';
      if (cell.gives > 0) lines[memory - 1] = '>';
    }
    out.print("{:>10}  {} {}\n", row.first, lines, row_text(trace, chart, row));
  }
}

void print_chart_svg(const Trace& trace, const SyncChart& chart, Output& out) {
  constexpr size_t kX = 90, kY = 20, kLeft = 80, kTop = 40;
  const size_t lanes = chart.threads.size();
  const size_t bottom = kTop + kY * (chart.rows.size() + 1), memory = kLeft + kX * lanes;
  out.print(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"monospace\" font-size=\"11\">\n"
      "<defs><marker id=\"a\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
      "orient=\"auto\"><path d=\"M0,0 L7,3 L0,6\" fill=\"none\" "
      "stroke=\"black\"/></marker></defs>\n",
      memory + 520, bottom + kY);
  for (size_t lane = 0; lane <= lanes; ++lane) {
    const size_t x = kLeft + kX * lane;
    out.print("<text x=\"{}\" y=\"20\" text-anchor=\"middle\">{}</text>\n", x,
              lane == lanes ? "memory" : thread_name(trace, chart.threads[lane]));
    out.print("<line x1=\"{0}\" y1=\"26\" x2=\"{0}\" y2=\"{1}\" stroke=\"gray\"/>\n", x, bottom);
  }
  for (size_t r = 0; r < chart.rows.size(); ++r) {
    const SyncChart::Row& row = chart.rows[r];
    const size_t y = kTop + kY * (r + 1);
    out.print("<text x=\"4\" y=\"{}\">{}</text>\n", y + 4, row.first);
    for (const SyncChart::Cell& cell : row.cells) {
      const size_t x = kLeft + kX * lane_of(chart, cell.thread);
      if (chart.collapsed) {
        out.print("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 4, y + 4, cell.operations);
        continue;
      }
      out.print("<circle cx=\"{}\" cy=\"{}\" r=\"3\"/>\n", x, y);
      const auto arrow = [&](size_t from, size_t to, size_t at) {
        out.print(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"black\" "
            "marker-end=\"url(#a)\"/>\n",
            from, at, to, at);
      };
      if (cell.takes > 0) arrow(memory, x + 3, y - (cell.gives > 0 ? 3 : 0));
      if (cell.gives > 0) arrow(x + 3, memory, y + (cell.takes > 0 ? 3 : 0));
    }
    out.print("<text x=\"{}\" y=\"{}\">{}</text>\n", memory + 10, y + 4,
              escaped(row_text(trace, chart, row)));
  }
  out.text("</svg>\n");
}

void print_chart_json(const SyncChart& chart, Output& out) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const SyncChart::Row& row : chart.rows) {
    Json cells = Json::array();
    for (const SyncChart::Cell& cell : row.cells)
      cells.push_back({{"thread", cell.thread},
                       {"operations", cell.operations},
                       {"gives", cell.gives},
                       {"takes", cell.takes},
                       {"texts", cell.texts}});
    rows.push_back({{"first", row.first}, {"last", row.last}, {"cells", std::move(cells)}});
  }
  const Json json = {{"threads", chart.threads},
                     {"operations", chart.operations},
                     {"collapsed", chart.collapsed},
                     {"rows", std::move(rows)}};
  out.json(json);
}

}  // namespace vestige::cli
