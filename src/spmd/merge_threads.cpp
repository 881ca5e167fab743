#include <algorithm>
#include <map>

#include "base/sort_stably.h"
#include "spmd/form_bytes.h"
#include "spmd/shape.h"

namespace vestige::spmd {

namespace {

// A group being made: the numbers of each of its threads.
struct Making {
  Group group;
  std::vector<std::vector<uint64_t>> numbers;  // by thread
};

// Threads whose stream has the same shape, and literals behind it or none.
std::vector<Making> group_threads(const Form& form, const StreamId& id) {
  std::vector<Making> groups;
  std::map<std::pair<Bytes, bool>, size_t> by_shape;
  for (uint32_t t = 0; t < form.threads.size(); ++t) {
    const auto found = form.threads[t].streams.find(id);
    if (found == form.threads[t].streams.end()) continue;
    Shape shape = take_apart(found->second.sections);
    const bool literal = !found->second.literals.empty();
    if (literal) shape.numbers.push_back(found->second.literal_base);
    const auto [at, fresh] = by_shape.try_emplace({shape.bytes, literal}, groups.size());
    if (fresh) groups.push_back({{{}, std::move(shape.bytes), {}, {}}, {}});
    Making& made = groups[at->second];
    made.group.threads.push_back(t);
    made.numbers.push_back(std::move(shape.numbers));
    if (literal) made.group.literals.push_back(found->second.literals);
  }
  return groups;
}

}  // namespace

Placement placement_of(const Form& form) {
  Placement placement;
  for (const ThreadForm& thread : form.threads) placement.add(thread.rank, thread.number);
  placement.finish();
  return placement;
}

MergedStreams merge_threads(const Form& form) {
  MergedStreams out;
  std::map<StreamId, size_t> ids;
  for (const ThreadForm& thread : form.threads)
    for (const auto& [id, stream] : thread.streams) ids.try_emplace(id, 0);
  std::vector<std::vector<Making>> making;
  std::vector<std::pair<size_t, size_t>> order;  // stream, group
  for (auto& [id, at] : ids) {
    at = out.streams.size();
    out.streams.push_back({id, {}});
    making.push_back(group_threads(form, id));
    for (size_t g = 0; g < making.back().size(); ++g) order.emplace_back(at, g);
  }
  // Large groups first: their labels serve parts of them.
  sort_stably(order, [&](const auto& a, const auto& b) {
    return making[a.first][a.second].group.threads.size() >
           making[b.first][b.second].group.threads.size();
  });
  const Placement placement = placement_of(form);
  Labels labels(placement);
  std::vector<uint64_t> column;
  for (const auto& [s, g] : order) {
    Making& made = making[s][g];
    for (size_t n = 0; n < made.numbers[0].size(); ++n) {
      column.clear();
      for (const auto& numbers : made.numbers) column.push_back(numbers[n]);
      made.group.numbers.push_back(labels.fit(made.group.threads, column));
    }
  }
  for (size_t s = 0; s < making.size(); ++s)
    for (Making& made : making[s]) out.streams[s].groups.push_back(std::move(made.group));
  out.labels = labels.all();
  return out;
}

}  // namespace vestige::spmd
