#include "query/wet/wet_rows.h"

#include <algorithm>

#include "codec/word/nodes/node_words.h"
#include "query/wet/node_values.h"
#include "query/wet/value_field.h"
#include "trace/windows/wet_segments.h"

namespace vestige {

namespace {

constexpr size_t kPage = 1 << 14;  // times that are merged at once
constexpr size_t kSomeRows = 1 << 12;
constexpr uint32_t kNobody = UINT32_MAX;

class WetRows final : public RowSource {
 public:
  WetRows(const Trace& trace, const StatementSet& set, const RowRange& range,
          std::vector<WetSegment> segments)
      : trace_(trace),
        set_(set),
        range_(range),
        segments_(std::move(segments)),
        next_segment_(range.first_window) {}

  Result<bool> read(std::vector<Observation>& rows) override {
    const size_t before = rows.size();
    while (rows.size() - before < kSomeRows) {
      if (at_ == page_.size()) {
        const auto more = next_page();
        if (!more) return std::unexpected(more.error());
        if (!*more) break;
      }
      while (at_ < page_.size() && rows.size() - before < kSomeRows) {
        const uint32_t number = page_[at_];
        const uint64_t time = page_time_ + at_++;
        if (number == kNobody) continue;
        if (auto shown = show(nodes_[number], time, rows); !shown)
          return std::unexpected(in_segment(shown.error()));
      }
    }
    return rows.size() > before;
  }

 private:
  struct Field {
    uint32_t field = 0;
    uint32_t group = 0, column = 0, mask = 0, bit = 0;
  };
  struct Row {
    uint32_t statement = 0;
    std::vector<Field> fields;
  };
  // A node that executes something of the set.
  struct Node {
    uint32_t function = 0;
    std::unique_ptr<StreamCursor> places;
    uint64_t execution = 0;  // the next one
    std::vector<Row> rows;
    std::vector<GroupCursor> groups;
    std::vector<uint64_t> combinations;  // of the execution at hand; by group
    std::vector<uint32_t> needed;        // groups
  };

  const WetSegment& segment() const { return segments_[next_segment_ - 1]; }
  Error in_segment(const Error& error) const {
    return {error.kind, trace_.file() + ": the nodes from time " +
                            std::to_string(segment().first_time) + " on: " + error.message};
  }

  // False: there is nothing more.
  Result<bool> next_page() {
    while (true) {
      if (!inside_) {
        if (next_segment_ >= segments_.size() ||
            segments_[next_segment_].first_time > range_.last_time)
          return false;
        if (segments_[next_segment_++].end_time() <= range_.first_time) continue;
        if (auto opened = open_segment(); !opened)
          return std::unexpected(in_segment(opened.error()));
        inside_ = true;
      }
      const uint64_t end = std::min(
          segment().end_time(), range_.last_time == UINT64_MAX ? UINT64_MAX : range_.last_time + 1);
      if (next_time_ >= end || nodes_.empty()) {
        inside_ = false;
        continue;
      }
      const uint64_t page_end = std::min(end, next_time_ + kPage);
      page_.assign(page_end - next_time_, kNobody);
      page_time_ = next_time_;
      at_ = 0;
      const uint64_t first = segment().first_time;
      for (uint32_t n = 0; n < nodes_.size(); ++n) {
        StreamCursor& places = *nodes_[n].places;
        for (uint64_t place = 0; places.next(place);) {
          if (place >= page_end - first) {
            places.prev(place);
            break;
          }
          if (place < next_time_ - first || page_[place - (next_time_ - first)] != kNobody)
            return std::unexpected(
                in_segment({ErrorKind::corrupt, "two of them stand at one time"}));
          page_[place - (next_time_ - first)] = n;
        }
        if (places.error()) return std::unexpected(in_segment(*places.error()));
      }
      next_time_ = page_end;
      return true;
    }
  }

  Result<void> open_segment() {
    nodes_.clear();
    const Trace::State& state = trace_.state();
    const auto view = state.view(range_.thread, segment().control);
    if (!view) return std::unexpected(view.error());
    if (view->codec != WordCodec::nodes)
      return fail(ErrorKind::corrupt, "their control chunk has no nodes");
    const auto words = NodeWords::open(view->words);
    if (!words) return std::unexpected(words.error());
    const auto payload = state.store.payload(segment().values_row);
    if (!payload) return std::unexpected(payload.error());
    const auto values = decode_node_values(*payload);
    if (!values) return std::unexpected(values.error());
    next_time_ = std::max(segment().first_time, range_.first_time);
    for (const NodeWords::Node& word : words->nodes()) {
      const Path* path = trace_.path(word.word);
      if (!path) return fail(ErrorKind::corrupt, "one of them is no path");
      const PathStatements of = path_statements(trace_, set_, *path);
      if (of.statements.empty()) continue;
      Node node;
      node.function = path->function;
      auto places = NodeWords::cursor(word);
      if (!places) return std::unexpected(std::move(places.error()));
      node.places = std::move(*places);
      for (uint64_t place = 0; node.places->next(place);)
        if (place >= next_time_ - segment().first_time) {
          node.places->prev(place);
          break;
        }
      node.execution = node.places->position();
      if (auto opened = open_groups(of, values->of(word.word), word.places, node); !opened)
        return opened;
      nodes_.push_back(std::move(node));
    }
    return {};
  }

  Result<void> open_groups(const PathStatements& of, const NodeValues* values, uint64_t places,
                           Node& node) {
    std::unordered_map<uint32_t, size_t> rows;
    for (const uint32_t statement : of.statements) {
      rows.emplace(statement, node.rows.size());
      node.rows.push_back({statement, {}});
    }
    if (!values) return {};  // nothing is known of what it executes
    if (values->executions != places)
      return fail(ErrorKind::corrupt, "one of them ran more often, or less, than it has values");
    ByteReader in(values->bytes);
    for (const GroupColumns& columns : values->groups) {
      auto group = GroupCursor::open(in, places, columns.size() + mask_columns(columns.size()));
      if (!group) return std::unexpected(std::move(group.error()));
      const auto number = static_cast<uint32_t>(node.groups.size());
      bool needed = false;
      for (uint32_t c = 0; c < columns.size(); ++c) {
        const auto row = rows.find(columns[c].statement);
        if (row == rows.end()) continue;
        const auto mask = static_cast<uint32_t>(columns.size() + c / 64);
        node.rows[row->second].fields.push_back({columns[c].field, number, c, mask, c % 64});
        needed = true;
        if (auto there = group->need(c); !there) return there;
        if (auto there = group->need(mask); !there) return there;
      }
      if (needed) node.needed.push_back(number);
      node.groups.push_back(std::move(*group));
    }
    if (in.remaining() != 0) return fail(ErrorKind::corrupt, "one of them has too many values");
    node.combinations.resize(node.groups.size());
    return {};
  }

  Result<void> show(Node& node, uint64_t time, std::vector<Observation>& rows) {
    const uint64_t execution = node.execution++;
    for (const uint32_t group : node.needed) {
      const auto combination = node.groups[group].combination(execution);
      if (!combination) return std::unexpected(combination.error());
      node.combinations[group] = *combination;
    }
    for (const Row& row : node.rows) {
      Observation& out = rows.emplace_back();
      out.time = time;
      out.function = node.function;
      out.statement = row.statement;
      std::shared_ptr<WideValue> wide;
      for (const Field& field : row.fields) {
        const GroupCursor& group = node.groups[field.group];
        const uint64_t combination = node.combinations[field.group];
        const bool known = (group.at(combination, field.mask) >> field.bit & 1) != 0;
        if (field.field >= kFieldPart) {
          if (wide)
            wide->parts.push_back(known ? std::optional(group.at(combination, field.column))
                                        : std::nullopt);
          continue;
        }
        if (!known) continue;
        const uint64_t value = group.at(combination, field.column);
        switch (field.field) {
          case kFieldValue:
            out.has_value = true;
            out.value = value;
            break;
          case kFieldAddress:
            out.has_address = true;
            out.address = value;
            break;
          case kFieldSource:
            out.has_source = true;
            out.source = value;
            break;
          case kFieldLength:
            out.has_length = true;
            out.length = value;
            break;
          case kFieldFill:
            out.has_fill = true;
            out.fill = static_cast<uint8_t>(value);
            break;
          case kFieldWide:
            wide = std::make_shared<WideValue>();
            break;
          default:
            break;  // of a later version
        }
      }
      out.wide = std::move(wide);
    }
    return {};
  }

  const Trace& trace_;
  const StatementSet& set_;
  const RowRange range_;
  const std::vector<WetSegment> segments_;
  size_t next_segment_;
  bool inside_ = false;  // of the one before it
  std::vector<Node> nodes_;
  uint64_t next_time_ = 0;  // of the next page
  uint64_t page_time_ = 0;
  std::vector<uint32_t> page_;  // nodes by time
  size_t at_ = 0;               // in the page
};

}  // namespace

Result<std::unique_ptr<RowSource>> open_wet_rows(const Trace& trace, const StatementSet& set,
                                                 const RowRange& range) {
  if (range.transfers)
    return fail(ErrorKind::unsupported,
                trace.file() +
                    ": a whole execution trace does not say what library functions "
                    "read and wrote; ask the recording that it was made from");
  auto segments = wet_segments(trace.state());
  if (!segments) return std::unexpected(std::move(segments.error()));
  return std::make_unique<WetRows>(trace, set, range, std::move((*segments)[range.thread]));
}

}  // namespace vestige
