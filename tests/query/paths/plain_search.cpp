#include "query/paths/plain_search.h"

#include <algorithm>
#include <regex>

namespace vestige::plain {

std::vector<Activation> activations(const std::vector<Terminal>& stream, uint64_t first_time,
                                    uint32_t function, uint32_t caller,
                                    const std::function<std::vector<uint32_t>(uint32_t)>& blocks) {
  struct Open {
    size_t steps;               // into `all`
    uint32_t function = kNone;  // of the last path seen
    bool part;
  };
  std::vector<Activation> all;
  std::vector<Open> stack;
  const auto open = [&](bool part) {
    all.emplace_back();
    stack.push_back({all.size() - 1, kNone, part});
  };
  // Whoever is innermost; one that was there before appears when it is needed.
  const auto innermost = [&]() -> Open& {
    if (stack.empty()) open(caller == kNone);
    return stack.back();
  };
  uint64_t time = first_time, order = 0;
  for (const Terminal& t : stream) {
    if (t.path == kNone) {
      for (int32_t i = 0; i > t.lowest && !stack.empty(); --i) stack.pop_back();
      for (int32_t i = t.lowest; i < t.net; ++i) open(caller == kNone);
    } else {
      if (t.enters) {
        const uint32_t from = stack.empty() ? kNone : stack.back().function;
        Open& outside = innermost();
        if (outside.part) all[outside.steps].push_back({true, t.function, time, 0, order++});
        open(caller == kNone || (t.function == function && from == caller));
      }
      Open& here = innermost();
      here.function = t.function;
      if (t.function == function && here.part) {
        const auto list = blocks(t.path);
        for (uint32_t i = 0; i < list.size(); ++i)
          all[here.steps].push_back({false, list[i], time, i, order++});
      }
      if (t.leaves) stack.pop_back();
    }
    time += t.times;
  }
  return all;
}

namespace {

std::vector<Hit> in_order(std::vector<std::pair<uint64_t, Hit>> found) {
  std::ranges::sort(found, {}, [](const auto& f) { return f.first; });
  std::vector<Hit> hits;
  for (const auto& [order, hit] : found) hits.push_back(hit);
  return hits;
}

}  // namespace

std::vector<Hit> find_literal(const std::vector<Activation>& all,
                              const std::vector<uint32_t>& path) {
  std::vector<std::pair<uint64_t, Hit>> found;
  for (const Activation& activation : all) {
    Activation blocks;
    for (const Step& step : activation)
      if (!step.call) blocks.push_back(step);
    for (size_t end = path.size(); end <= blocks.size(); ++end) {
      bool same = true;
      for (size_t i = 0; i < path.size(); ++i)
        same &= blocks[end - path.size() + i].what == path[i];
      const Step& last = blocks[end - 1];
      if (same) found.emplace_back(last.order, Hit{last.time, last.block});
    }
  }
  return in_order(std::move(found));
}

std::vector<Hit> find_regex(const std::vector<Activation>& all, const std::string& expression,
                            bool calls) {
  const std::regex regex(expression);
  std::vector<std::pair<uint64_t, Hit>> found;
  for (const Activation& activation : all) {
    std::string text;
    std::vector<const Step*> steps;
    for (const Step& step : activation) {
      if (step.call && !calls) continue;
      text += static_cast<char>((step.call ? 'A' : 'a') + step.what);
      steps.push_back(&step);
    }
    for (size_t end = 1; end <= text.size(); ++end)
      for (size_t begin = 0; begin < end; ++begin)
        if (std::regex_match(text.begin() + static_cast<ptrdiff_t>(begin),
                             text.begin() + static_cast<ptrdiff_t>(end), regex)) {
          const Step& last = *steps[end - 1];
          found.emplace_back(last.order, Hit{last.time, last.block});
          break;
        }
  }
  return in_order(std::move(found));
}

}  // namespace vestige::plain
