#include "hot_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace vestige::cli {
namespace {

std::string dot_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Control characters have no place in XML. Bytes that are no UTF-8 are replaced, as in JSON.
std::string xml_escaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >> 4 == 0xe ? 3 : 0;
    bool whole = length != 0 && i + length <= text.size();
    for (size_t k = 1; whole && k < length; ++k) whole = (text[i + k] & 0xc0) == 0x80;
    if (!whole || (c < 0x20)) {
      out += whole ? " " : "\xef\xbf\xbd";
      ++i;
      continue;
    }
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += text.substr(i, length);
    }
    i += length;
  }
  return out;
}

// Characters, not bytes.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// A colour of its own for each group, always the same one: FNV-1a of the name gives the hue.
std::string colour_of(std::string_view group, int lightness) {
  uint32_t hash = 2166136261;
  for (const char c : group) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return fmt::format("hsl({},60%,{}%)", (hash >> 8) % 360, lightness);
}

// The same for Graphviz, which takes hue, saturation and value from 0 to 1.
std::string dot_colour_of(std::string_view group) {
  uint32_t hash = 2166136261;
  for (const char c : group) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return fmt::format("{:.3f} 0.25 1.0", static_cast<double>((hash >> 8) % 360) / 360);
}

// Pixels.
constexpr int kWidth = 1000, kMargin = 16, kCharacter = 7, kBoxHeight = 34, kBarHeight = 18;
constexpr size_t kLongestLabel = 60;  // characters

std::string cut(std::string_view text) {
  if (width_of(text) <= kLongestLabel) return std::string(text);
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at)
    if ((text[at] & 0xc0) != 0x80 && ++seen == kLongestLabel) break;
  return std::string(text.substr(0, at)) + "…";
}

class SvgDrawing {
 public:
  explicit SvgDrawing(const HotPicture& picture) : picture_(picture) {}

  void draw(Output& out) {
    text(kMargin, y_ + 14, picture_.title, "title");
    y_ += 30;
    for (const HotPicture::Row& row : picture_.rows) {
      bar(row);
      chain(row);
      y_ += 14;
    }
    out.print(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\">\n"
        "<style>text{{font:12px monospace}}.title{{font-weight:bold}}.detail{{font-size:10px;"
        "fill:#555}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kWidth, y_ + kMargin);
    out.text(body_);
    out.text("</svg>\n");
  }

 private:
  void text(int x, int y, std::string_view words, const char* style) {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, style,
                         xml_escaped(words));
  }
  void bar(const HotPicture::Row& row) {
    // What overlaps may cost more than everything: the bar ends there.
    const double share = std::min(row.share, 1.0);
    const int room = kWidth - 2 * kMargin;
    body_ += fmt::format(
        "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"#eee\"/>"
        "<rect x=\"{0}\" y=\"{1}\" width=\"{4:.1f}\" height=\"{3}\" fill=\"#f4a582\"/>\n",
        kMargin, y_, room, kBarHeight, share * room);
    text(kMargin + 6, y_ + 13, fmt::format("{:.2f} %   {}", row.share * 100, row.caption), "bar");
    y_ += kBarHeight + 6;
  }
  void chain(const HotPicture::Row& row) {
    int x = kMargin;
    for (size_t i = 0; i < row.boxes.size(); ++i) {
      const HotPicture::Box& box = row.boxes[i];
      const std::string label = cut(box.label), detail = cut(box.detail);
      const int width =
          static_cast<int>(std::max(width_of(label), width_of(detail))) * kCharacter + 14;
      if (i > 0 && x + 20 + width > kWidth - kMargin) {
        x = kMargin + 20;
        y_ += kBoxHeight + 6;
      }
      if (i > 0) {
        text(x + 4, y_ + 21, "→", "arrow");
        x += 20;
      }
      body_ += fmt::format(
          "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" "
          "fill=\"{}\" stroke=\"{}\"/></g>\n",
          xml_escaped(box.label + (box.detail.empty() ? "" : " (" + box.detail + ")")), x, y_,
          width, kBoxHeight, colour_of(box.group, 90), colour_of(box.group, 45));
      text(x + 7, y_ + (detail.empty() ? 21 : 15), label, "label");
      if (!detail.empty()) text(x + 7, y_ + 28, detail, "detail");
      x += width;
    }
    y_ += kBoxHeight;
  }

  const HotPicture& picture_;
  std::string body_;
  int y_ = kMargin;
};

}  // namespace

void draw_dot(const HotPicture& picture, Output& out) {
  std::map<std::string, size_t> numbers;
  std::map<std::pair<size_t, size_t>, uint64_t> edges;
  std::map<size_t, double> shares;  // of nodes that are hot alone
  out.print("digraph hot {{\n  label=\"{}\";\n  node [shape=box, style=filled];\n",
            dot_escaped(picture.title));
  for (const HotPicture::Row& row : picture.rows) {
    size_t before = 0;
    for (size_t i = 0; i < row.boxes.size(); ++i) {
      const HotPicture::Box& box = row.boxes[i];
      const auto [at, added] = numbers.try_emplace(box.key, numbers.size());
      if (added)
        out.print("  n{} [label=\"{}{}{}\", fillcolor=\"{}\"];\n", at->second,
                  dot_escaped(box.label), box.detail.empty() ? "" : "\\n", dot_escaped(box.detail),
                  dot_colour_of(box.group));
      if (i > 0) edges[{before, at->second}] += row.occurrences;
      before = at->second;
    }
    if (row.boxes.size() == 1) shares[before] = row.share;
  }
  for (const auto& [node, share] : shares)
    out.print("  n{} [xlabel=\"{:.2f} %\"];\n", node, share * 100);
  for (const auto& [edge, count] : edges)
    out.print("  n{} -> n{} [label=\"{}\"];\n", edge.first, edge.second, count);
  out.text("}\n");
}

void draw_svg(const HotPicture& picture, Output& out) { SvgDrawing(picture).draw(out); }

}  // namespace vestige::cli
