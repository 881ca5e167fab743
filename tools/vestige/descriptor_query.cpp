#include "descriptor_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "command_line.h"
#include "output.h"
#include "report.h"

namespace vestige::cli {

Result<Descriptors> read_descriptors(const std::string& file) {
  if (Descriptors::is_in(file)) return Descriptors::open(file);
  const auto trace = Trace::open(file);
  if (!trace) return std::unexpected(trace.error());
  return Descriptors::fold(*trace);
}

std::optional<Descriptors> open_descriptors(const std::string& file) {
  auto descriptors = read_descriptors(file);
  if (descriptors) return std::move(*descriptors);
  report_trace(descriptors.error());
  return std::nullopt;
}

uint64_t count_references(const Descriptors& descriptors) {
  uint64_t references = 0;
  for (const DescriptorThread& thread : descriptors.threads()) references += thread.references;
  return references;
}

nlohmann::ordered_json written_json(const Descriptors& descriptors, uint64_t file_bytes) {
  const uint64_t references = count_references(descriptors);
  nlohmann::ordered_json object = {{"threads", descriptors.threads().size()},
                                   {"references", references},
                                   {"raw_bytes", 8 * references},
                                   {"file_bytes", file_bytes}};
  for (const auto& [name, text] : descriptors.notes()) object[name] = text;
  add_lost_json(descriptors, object);
  return object;
}

namespace {

// Threads of which as much was given up, together.
struct LostAlike {
  std::vector<uint32_t> threads;
  uint64_t references = 0;
  LostReferences lost;
};
std::vector<LostAlike> lost_by_threads(const Descriptors& descriptors) {
  std::vector<LostAlike> out;
  const auto& threads = descriptors.threads();
  for (uint32_t t = 0; t < threads.size(); ++t) {
    const auto alike = std::ranges::find_if(out, [&](const LostAlike& other) {
      return other.references == threads[t].references && other.lost == threads[t].lost;
    });
    if (alike != out.end())
      alike->threads.push_back(t);
    else
      out.push_back({{t}, threads[t].references, threads[t].lost});
  }
  return out;
}

std::string lost_text(const LostAlike& group) {
  std::string text;
  const auto add = [&](uint64_t count, const char* what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), what);
  };
  add(group.lost.dropped, "dropped");
  add(group.lost.moved, "at another's place");
  add(group.lost.rounded, "rounded down");
  add(group.lost.elsewhere, "elsewhere");
  return fmt::format("[{}] {} of {} references{}", set_text(group.threads),
                     text.empty() ? "none" : text, grouped(group.references + group.lost.dropped),
                     group.threads.size() > 1 ? " each" : "");
}

bool is_lossy(const Descriptors& descriptors) {
  return std::ranges::any_of(descriptors.notes(),
                             [](const auto& note) { return note.first == "lossy"; });
}

}  // namespace

void add_lost_json(const Descriptors& descriptors, nlohmann::ordered_json& object) {
  if (!is_lossy(descriptors)) return;
  auto list = nlohmann::ordered_json::array();
  for (const LostAlike& group : lost_by_threads(descriptors))
    list.push_back({{"threads", group.threads},
                    {"references", group.references},
                    {"dropped", group.lost.dropped},
                    {"moved", group.lost.moved},
                    {"rounded", group.lost.rounded},
                    {"elsewhere", group.lost.elsewhere}});
  object["lossy_threads"] = std::move(list);
}

void print_lost(const Descriptors& descriptors, Output& out) {
  if (!is_lossy(descriptors)) return;
  constexpr size_t kMostLines = 8;
  const auto groups = lost_by_threads(descriptors);
  const size_t shown = groups.size() > kMostLines ? kMostLines - 1 : groups.size();
  for (size_t g = 0; g < shown; ++g) out.print("  threads {}\n", lost_text(groups[g]));
  if (shown < groups.size())
    out.print("  … other figures of {} more threads (--json has them)\n",
              descriptors.threads().size() -
                  std::accumulate(groups.begin(), groups.begin() + static_cast<ptrdiff_t>(shown),
                                  size_t{0}, [](size_t sum, const LostAlike& group) {
                                    return sum + group.threads.size();
                                  }));
}

std::string set_text(const std::vector<uint32_t>& threads) {
  std::string text;
  for (size_t i = 0; i < threads.size();) {
    size_t end = i + 1;
    const uint32_t stride = end < threads.size() ? threads[end] - threads[i] : 1;
    while (end < threads.size() && threads[end] - threads[end - 1] == stride) ++end;
    if (end - i == 2 && stride != 1) end = i + 1;
    if (!text.empty()) text += ", ";
    text += std::to_string(threads[i]);
    if (end - i > 1) text += "-" + std::to_string(threads[end - 1]);
    if (end - i > 1 && stride != 1) text += "/" + std::to_string(stride);
    i = end;
  }
  return text;
}

int info_of_descriptors(const std::string& file, bool json) {
  const auto descriptors = Descriptors::open(file);
  if (!descriptors) return report_trace(descriptors.error());
  const TraceCounts& c = descriptors->counts();
  const uint64_t references = count_references(*descriptors);
  uint64_t unknown = 0;
  for (const DescriptorThread& thread : descriptors->threads()) unknown += thread.unknown;
  const uint64_t bytes = descriptors->file_bytes(), raw = 8 * references;
  const double bits = c.statements ? 8.0 * bytes / c.statements : 0;
  Output out;
  if (json) {
    nlohmann::ordered_json object;
    object["file"] = file;
    object["what"] = "eprsd";
    object["threads"] = descriptors->threads().size();
    object["ranks"] = descriptors->ranks();
    object["paths"] = c.paths;
    object["blocks"] = c.blocks;
    object["statements"] = c.statements;
    object["loads"] = c.loads;
    object["stores"] = c.stores;
    object["sync_ops"] = c.sync_ops;
    object["references"] = references;
    object["unknown"] = unknown;
    object["contexts"] = descriptors->contexts().size();
    for (const auto& [name, text] : descriptors->notes()) object[name] = text;
    add_lost_json(*descriptors, object);
    object["raw_bytes"] = raw;
    object["file_bytes"] = bytes;
    object["sections"] = nlohmann::ordered_json::object();
    for (const auto& [name, size] : descriptors->sections()) object["sections"][name] = size;
    object["bits_per_statement"] = bits;
    object["ratio"] = bytes ? double(raw) / bytes : 0.0;
    out.json(object);
    return kDone;
  }
  const auto line = [&](std::string_view name, const std::string& value) {
    out.print("{:<12}{}\n", name, value);
  };
  line("holds", "memory references as descriptors (vestige replay, descriptors, contexts)");
  line("ranks", grouped(descriptors->ranks()));
  line("threads", grouped(descriptors->threads().size()));
  line("references", grouped(references));
  line("contexts", grouped(descriptors->contexts().size()));
  for (const auto& [name, text] : descriptors->notes()) line(name, text);
  print_lost(*descriptors, out);
  line("made from", fmt::format("{} paths, {} statements ({} loads, {} stores)", grouped(c.paths),
                                grouped(c.statements), grouped(c.loads), grouped(c.stores)));
  line("file", fmt::format("{}, {:.1f} times smaller than 8 bytes a reference", byte_size(bytes),
                           bytes ? double(raw) / bytes : 0.0));
  for (const auto& [name, size] : descriptors->sections())
    out.print("  {:<12}{:>14}  {:>5.1f} %\n", name, grouped(size),
              bytes ? 100.0 * size / bytes : 0.0);
  return kDone;
}

int verify_descriptors(const std::string& file, bool json) {
  std::vector<std::string> problems;
  uint64_t references = 0;
  const auto container = verify(file);
  if (!container) return report_trace(container.error());
  problems = container->problems;
  const auto descriptors = Descriptors::open(file);
  if (!descriptors) {
    problems.push_back(descriptors.error().message);
  } else {
    for (std::string& problem : descriptors->check()) problems.push_back(std::move(problem));
    references = count_references(*descriptors);
  }
  Output out;
  if (json) {
    nlohmann::ordered_json object = {
        {"ok", problems.empty()},
        {"chunks", container->chunks},
        {"statements", descriptors ? descriptors->counts().statements : 0},
        {"references", references},
        {"problems", problems}};
    if (descriptors)
      for (const auto& [name, text] : descriptors->notes()) object[name] = text;
    out.json(object);
  } else if (problems.empty()) {
    out.print("{}: ok, {} chunks, {} references replayed\n", file, grouped(container->chunks),
              grouped(references));
    for (const auto& [name, text] : descriptors->notes()) out.print("{}: {}\n", name, text);
  } else {
    for (const std::string& problem : problems) out.print("{}\n", problem);
  }
  return problems.empty() ? kDone : kBadTrace;
}

}  // namespace vestige::cli
