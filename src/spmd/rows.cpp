#include "spmd/rows.h"

#include <charconv>

#include "spmd/aligned_contexts.h"
#include "spmd/form_bytes.h"
#include "spmd/shape.h"
#include "vestige/sync.h"

namespace vestige::spmd {

namespace {

const char* kind_name(const StreamId& id) {
  switch (id.kind) {
    case StreamKind::trips:
      return "trips";
    case StreamKind::choice:
      return "path";
    case StreamKind::call:
    case StreamKind::after_call:
      return "call";
    case StreamKind::address:
      return "address";
    case StreamKind::length:
      return "length";
    case StreamKind::odd_count:
    case StreamKind::odd_statement:
    case StreamKind::odd_kind:
    case StreamKind::odd_address:
    case StreamKind::odd_bytes:
      return "odd";
    case StreamKind::fragment:
      return "fragment";
    case StreamKind::facts:
      return "facts";
    case StreamKind::message: {
      constexpr const char* kParts[] = {"messages", "message", "peer", "tag", "bytes"};
      return id.part < std::size(kParts) ? kParts[id.part] : "messages";
    }
    case StreamKind::sync:
      return "sync";
  }
  return "";
}

std::string hex(uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (; value != 0; value >>= 4) out.insert(out.begin(), kDigits[value & 15]);
  return "0x" + (out.empty() ? "0" : out);
}

std::string number_text(uint64_t value, bool address) {
  const auto number = static_cast<int64_t>(value);
  if (address && (number < 0 || number > 0xffff)) return hex(value);
  return std::to_string(number);
}

void add_term(std::string& text, uint64_t factor, const std::string& of) {
  const auto number = static_cast<int64_t>(factor);
  if (number == 0) return;
  text += number < 0 ? " - " : " + ";
  const uint64_t size = number < 0 ? -factor : factor;
  if (size != 1) text += std::to_string(size) + "·";
  text += of;
}

// t: the thread's number in its rank; r: its rank; p: its place among all threads; o: 1 where t is
// odd.
std::string label_text(const std::vector<Label>& labels, uint32_t label) {
  if (label == kNumberLabel) return "t";
  if (label == kRankLabel) return "r";
  if (label == kPlaceLabel) return "p";
  if (label == kOddLabel) return "o";
  const Domain domain = labels[label].domain;
  return "L" + std::to_string(label - kFirstTable + 1) +
         (domain == Domain::number ? "[t]"
          : domain == Domain::rank ? "[r]"
                                   : "[p]");
}

std::string across_text(const std::vector<Label>& labels, const AffineOverThreads& number,
                        bool address) {
  std::string text = number_text(number.a, address);
  for (const Term& term : number.terms)
    if (term.label) add_term(text, term.b, label_text(labels, term.label - 1));
  return text;
}

// The pattern of a group: its first stretch, and how many others there are.
std::string pattern_of(const Group& group, const std::vector<Label>& labels, bool address) {
  const auto roles = *roles_of(group.shape);
  // Numbers in the place of themselves, to find which is which.
  std::vector<uint64_t> places(roles.size());
  for (size_t n = 0; n < places.size(); ++n) places[n] = n + 1;
  const auto sections = put_together(group.shape, places);
  if (sections.empty()) return "";
  std::string text;
  const StretchSection* section = &sections[0];
  std::string loops;
  while (!section->is_event()) {
    loops += across_text(labels, group.numbers[section->count - 1], false) + " × (";
    section = &section->body[0];
  }
  const Stretch& event = section->event;
  text = loops + across_text(labels, group.numbers[event.constant - 1], address);
  for (size_t l = 0; l < event.slopes.size(); ++l) {
    if (event.slopes[l] == 0) continue;
    const AffineOverThreads& slope = group.numbers[event.slopes[l] - 1];
    if (slope.terms[0].label == 0)
      add_term(text, slope.a, "i" + std::to_string(l + 1));
    else
      text += " + (" + across_text(labels, slope, false) + ")·i" + std::to_string(l + 1);
  }
  if (text.starts_with("0 + ")) text.erase(0, 4);
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i] == '(') text += ", …)";
  if (sections.size() > 1) text += ", …";
  return text;
}

// "mpi_send" of "25"; nothing when it is not one number.
std::string kind_of_message(const std::string& pattern) {
  int kind = 0;
  const char* end = pattern.data() + pattern.size();
  const auto [stop, failure] = std::from_chars(pattern.data(), end, kind);
  if (failure != std::errc() || stop != end || kind <= 0 ||
      !is_message(static_cast<SyncKind>(kind)))
    return "";
  return std::string(sync_kind_name(static_cast<SyncKind>(kind)));
}

uint64_t stretches_of(const std::vector<StretchSection>& sections) {
  uint64_t sum = 0;
  for (const StretchSection& section : sections)
    sum += section.is_event() ? 1 : stretches_of(section.body);
  return sum;
}

}  // namespace

std::vector<ContextRow> context_rows(const Form& form) {
  std::vector<ContextRow> rows;
  std::vector<std::map<uint64_t, bool>> statements(form.contexts.size());
  for (const ThreadForm& thread : form.threads)
    for (const auto& [id, stream] : thread.streams)
      if (id.kind == StreamKind::address) statements[id.node][id.place] = true;
  const Entrances entrances = entrances_of(form);
  form.contexts.each([&](uint32_t node) {
    const ContextKey& key = form.contexts.key(node);
    ContextRow row;
    row.depth = form.contexts.depth(node);
    row.loop = key.kind == ContextKey::Kind::loop;
    const auto function = form.functions.find(key.function);
    if (function != form.functions.end()) row.name = function->second.name;
    row.place = key.place;
    row.references = statements[node].size();
    if (const auto found = entrances.find(node); found != entrances.end())
      for (const auto& [from, threads] : found->second)
        row.entrances.push_back({{threads.begin(), threads.end()}, from ? *from - 1 : kNone});
    rows.push_back(std::move(row));
  });
  return rows;
}

std::vector<DescriptorRow> descriptor_rows(const Form& form) {
  std::vector<DescriptorRow> rows;
  const MergedStreams merged = merge_threads(form);
  for (const MergedStream& stream : merged.streams) {
    if (stream.id.kind == StreamKind::facts) continue;
    for (const Group& group : stream.groups) {
      DescriptorRow row;
      row.context = stream.id.node == Contexts::kRoot ? kNone : stream.id.node - 1;
      row.threads = group.threads;
      row.kind = kind_name(stream.id);
      const bool address =
          stream.id.kind == StreamKind::address || stream.id.kind == StreamKind::length;
      if (address) {
        row.statement = stream.id.place;
        for (const auto& [digest, function] : form.functions) {
          const auto found = function.statements.find(row.statement);
          if (found == function.statements.end()) continue;
          row.file = found->second.file;
          row.line = found->second.line;
        }
      }
      row.pattern = pattern_of(group, merged.labels, stream.id.kind == StreamKind::address);
      if (stream.id.kind == StreamKind::message && stream.id.part == 1)
        if (const auto name = kind_of_message(row.pattern); !name.empty()) row.pattern = name;
      row.stretches =
          stretches_of(put_together(group.shape, std::vector<uint64_t>(group.numbers.size(), 1)));
      for (const auto& blocks : group.literals)
        for (const LiteralBlock& block : blocks) {
          row.literals += block.count;
          row.literal_bytes += block.bytes->size();
        }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace vestige::spmd
