#include "spmd/lossy.h"

#include <algorithm>
#include <charconv>

#include "spmd/player.h"

namespace vestige {

Result<LossyOptions> parse_lossy(std::string_view text, LossyOptions options) {
  const size_t colon = text.find(':');
  uint32_t number = 0;
  if (colon != text.npos) {
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data() + colon + 1, end, number);
    if (failure != std::errc() || stop != end) number = 0;
  }
  const std::string_view mode = text.substr(0, colon);
  if (mode == "noise" && number >= 1 && number <= 100)
    options.noise = number;
  else if (mode == "order" && number >= 2)
    options.order = number;
  else if (mode == "address" && number >= 2)
    options.address = number;
  else
    return fail(
        ErrorKind::usage,
        "lossy is noise:PERCENT (1 to 100), order:REFERENCES or address:BYTES (2 at least); not " +
            std::string(text));
  return options;
}

namespace spmd {

namespace {

uint64_t fact_of(const ThreadForm& thread, uint8_t part) {
  const auto found = thread.streams.find({Contexts::kRoot, StreamKind::facts, 0, part});
  return found == thread.streams.end() || found->second.sections.empty()
             ? 0
             : found->second.sections[0].event.constant;
}

void set_fact(ThreadForm& thread, uint8_t part, uint64_t number) {
  Stream stream;
  stream.sections.push_back({1, {}, Stretch{0, number}});
  thread.streams.insert_or_assign({Contexts::kRoot, StreamKind::facts, 0, part}, std::move(stream));
}

// References that few threads make are no part of the form any more, but for those of threads which
// would have none left: who took part is still to be seen.
void drop_noise(Form& form, uint32_t percent) {
  std::map<StreamId, uint64_t> makers;
  for (const ThreadForm& thread : form.threads)
    for (const auto& [id, stream] : thread.streams)
      if (id.kind == StreamKind::address && id.part == 0) ++makers[id];
  const auto is_noise = [&](StreamId id) {
    if (id.kind != StreamKind::address && id.kind != StreamKind::length) return false;
    id.kind = StreamKind::address;
    id.part = 0;
    const auto found = makers.find(id);
    return found != makers.end() && found->second * 100 < percent * form.threads.size();
  };
  for (ThreadForm& thread : form.threads) {
    const bool some_left = std::ranges::any_of(thread.streams, [&](const auto& entry) {
      const StreamId& id = entry.first;
      return id.kind == StreamKind::odd_address ||
             (id.kind == StreamKind::address && !is_noise(id));
    });
    if (some_left)
      std::erase_if(thread.streams, [&](const auto& entry) { return is_noise(entry.first); });
  }
}

// Addresses that are no descriptor, changed by `change`; how many are others now.
template <class Change>
uint64_t change_addresses(ThreadForm& thread, bool measured_too, const Change& change) {
  uint64_t changed = 0;
  for (auto& [id, stream] : thread.streams) {
    if (id.kind != StreamKind::address) continue;
    // Lengths belong to addresses in their order.
    const bool measured = thread.streams.contains({id.node, StreamKind::length, id.place, 0});
    if (measured && !measured_too) continue;
    for (LiteralBlock& block : stream.literals) {
      auto values = unpack_literals(block, stream.literal_base);
      if (!values) continue;
      const std::vector<uint64_t> before = *values;
      change(*values);
      uint64_t here = 0;
      for (size_t i = 0; i < before.size(); ++i) here += before[i] != (*values)[i];
      if (here != 0) block = pack_literals(*values, stream.literal_base);
      changed += here;
    }
  }
  return changed;
}

}  // namespace

Result<void> make_lossy(Form& form, const LossyOptions& options) {
  if (!options) return {};
  if (options.noise != 0) drop_noise(form, options.noise);
  for (uint32_t t = 0; t < form.threads.size(); ++t) {
    ThreadForm& thread = form.threads[t];
    const auto add = [&](uint8_t measure, uint32_t asked, uint8_t part, uint64_t changed) {
      set_fact(thread, measure, std::max<uint64_t>(asked, fact_of(thread, measure)));
      set_fact(thread, part, changed + fact_of(thread, part));
    };
    uint64_t moved = 0, rounded = 0;
    if (options.order != 0)
      moved = change_addresses(thread, false, [&](std::vector<uint64_t>& values) {
        for (size_t from = 0; from < values.size(); from += options.order)
          std::sort(values.begin() + static_cast<ptrdiff_t>(from),
                    values.begin() +
                        static_cast<ptrdiff_t>(std::min(values.size(), from + options.order)));
      });
    if (options.address != 0)
      rounded = change_addresses(thread, true, [&](std::vector<uint64_t>& values) {
        for (uint64_t& value : values) value -= value % options.address;
      });
    add(kFactOrder, options.order, kFactMoved, moved);
    add(kFactAddress, options.address, kFactRounded, rounded);
    add(kFactNoise, options.noise, kFactDropped, 0);
    const auto left = Player(form, t).count();
    if (!left) return std::unexpected(left.error());
    add(kFactNoise, options.noise, kFactDropped, fact_of(thread, 0) - left->references);
    set_fact(thread, 0, left->references);
  }
  return {};
}

void add_plugin_facts(ThreadForm& thread, uint64_t elsewhere) {
  set_fact(thread, kFactElsewhere, elsewhere);
}

LostReferences lost_references(const ThreadForm& thread) {
  return {fact_of(thread, kFactDropped), fact_of(thread, kFactMoved), fact_of(thread, kFactRounded),
          fact_of(thread, kFactElsewhere)};
}

std::string lossy_text(const Form& form) {
  uint64_t facts[kLastFact + 1] = {};
  for (const ThreadForm& thread : form.threads)
    for (uint8_t part = 0; part <= kLastFact; ++part) {
      const bool measure = part == kFactNoise || part == kFactOrder || part == kFactAddress;
      const uint64_t fact = fact_of(thread, part);
      facts[part] = measure ? std::max(facts[part], fact) : facts[part] + fact;
    }
  std::string text;
  const auto say = [&](const char* mode, uint8_t measure, uint8_t part, const std::string& what) {
    if (facts[measure] == 0) return;
    text += (text.empty() ? "" : "; ") + std::string(mode) + ":" + std::to_string(facts[measure]) +
            ", " + std::to_string(facts[part]) + " of " +
            std::to_string(facts[0] + facts[kFactDropped]) + " references " + what;
  };
  say("noise", kFactNoise, kFactDropped, "dropped");
  say("order", kFactOrder, kFactMoved, "at another's place");
  say("address", kFactAddress, kFactRounded, "rounded down");
  if (facts[kFactElsewhere] != 0)
    text += (text.empty() ? "" : "; ") + std::string("plug-in, ") +
            std::to_string(facts[kFactElsewhere]) + " of " +
            std::to_string(facts[0] + facts[kFactDropped]) + " references elsewhere";
  return text;
}

}  // namespace spmd
}  // namespace vestige
