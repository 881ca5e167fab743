#include "spmd/aligned_contexts.h"

#include <algorithm>

namespace vestige::spmd {

namespace {

bool is_zero(uint64_t number) { return number == 0; }

// Calls use(stretch) for each of them, whatever nest it is in.
template <class Sections, class Use>
void each_stretch(Sections& sections, const Use& use) {
  for (auto& section : sections) {
    if (section.is_event())
      use(section.event);
    else
      each_stretch(section.body, use);
  }
}

bool is_constant(const Stretch& stretch) {
  return std::ranges::all_of(stretch.slopes, is_zero) &&
         std::ranges::all_of(stretch.strides, [](const auto& by) { return by[1] == 0; });
}

bool is_decision(StreamKind kind) {
  return kind == StreamKind::call || kind == StreamKind::after_call;
}

// Of namespace std, as its names are mangled.
bool is_of_library(const std::string& name) {
  return name.starts_with("_ZNSt") || name.starts_with("_ZNKSt") || name.starts_with("_ZSt");
}

// The contexts of one thread, as far as something is in them.
class ThreadContexts {
 public:
  ThreadContexts(const Contexts& contexts, ThreadForm& thread)
      : contexts_(contexts), thread_(thread) {
    for (const auto& [id, stream] : thread.streams) {
      if (id.node == Contexts::kRoot || !nodes_.insert(id.node).second) continue;
      const ContextKey& key = contexts.key(id.node);
      if (key.kind == ContextKey::Kind::loop) continue;
      const auto [found, fresh] = of_function_.try_emplace(key.function, id.node);
      // Recursion begins further down again.
      if (!fresh && !is_in(id.node, found->second)) found->second = Contexts::kRoot;
    }
  }
  // By function, the one activation's context; the root where there are several.
  const std::map<uint64_t, uint32_t>& of_function() const { return of_function_; }

  // Whether it is what the thread is there for: half of what it refers to memory with, the library
  // apart that makes threads of functions.
  bool does_most_in(uint32_t node, const std::map<uint64_t, FunctionForm>& functions) const {
    size_t here = 0, all = 0;
    for (const auto& [id, stream] : thread_.streams) {
      if (id.kind != StreamKind::address || id.part != 0) continue;
      const auto function = functions.find(contexts_.key(id.node).function);
      if (function != functions.end() && is_of_library(function->second.name)) continue;
      ++all;
      here += is_in(id.node, node);
    }
    return here != 0 && 2 * here >= all;
  }

  // Whether all that is in this context and below is the same when it begins at the root.
  bool may_move(uint32_t node) const {
    if (contexts_.key(node).kind != ContextKey::Kind::activation) return false;
    std::set<uint64_t> around;  // functions
    for (uint32_t up = contexts_.parent(node); up != Contexts::kRoot; up = contexts_.parent(up))
      around.insert(contexts_.key(up).function);
    if (around.contains(contexts_.key(node).function)) return false;  // recursion
    const size_t levels = contexts_.depth(node);
    for (const auto& [id, stream] : thread_.streams) {
      if (!is_in(id.node, node)) continue;
      const ContextKey& key = contexts_.key(id.node);
      if (key.kind != ContextKey::Kind::loop && around.contains(key.function)) return false;
      bool follows = false;
      each_stretch(stream.sections, [&](const Stretch& stretch) {
        const auto levels_here = static_cast<ptrdiff_t>(std::min(levels, stretch.slopes.size()));
        follows |=
            !std::all_of(stretch.slopes.begin(), stretch.slopes.begin() + levels_here, is_zero);
      });
      if (follows) return false;
    }
    return led_by_constants(node);
  }

  // Its calls lead to the root; `map` says where the nodes below are now.
  void move(uint32_t node, const std::map<uint32_t, uint32_t>& map) {
    const uint64_t digest = contexts_.key(node).function;
    for (const StreamKind kind : {StreamKind::call, StreamKind::after_call}) {
      const auto found =
          thread_.streams.find({contexts_.parent(node), kind, contexts_.key(node).place, 0});
      if (found == thread_.streams.end()) continue;
      each_stretch(found->second.sections, [&](Stretch& stretch) {
        if (stretch.constant == Decision::make(Decision::enter, digest))
          stretch.constant = Decision::make(Decision::enter, digest | Decision::kMovedToRoot);
      });
    }
    const size_t levels = contexts_.depth(node) - 1;
    std::map<StreamId, Stream> streams;
    for (auto& [id, stream] : thread_.streams) {
      StreamId there = id;
      if (const auto to = map.find(id.node); to != map.end()) {
        there.node = to->second;
        each_stretch(stream.sections, [&](Stretch& stretch) {
          const auto outer = static_cast<ptrdiff_t>(std::min(levels, stretch.slopes.size()));
          stretch.slopes.erase(stretch.slopes.begin(), stretch.slopes.begin() + outer);
        });
      }
      streams.emplace(there, std::move(stream));
    }
    thread_.streams = std::move(streams);
  }

  // Its nodes below this one, and that, parents first.
  std::vector<uint32_t> below(uint32_t node) const {
    std::vector<uint32_t> out;
    for (const uint32_t other : nodes_)
      for (uint32_t up = other; is_in(up, node); up = contexts_.parent(up)) out.push_back(up);
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
  }

 private:
  bool is_in(uint32_t node, uint32_t above) const {
    while (contexts_.depth(node) > contexts_.depth(above)) node = contexts_.parent(node);
    return node == above;
  }
  bool led_by_constants(uint32_t node) const {
    bool constant = true;
    for (const StreamKind kind : {StreamKind::call, StreamKind::after_call}) {
      const auto found =
          thread_.streams.find({contexts_.parent(node), kind, contexts_.key(node).place, 0});
      if (found == thread_.streams.end()) continue;
      constant &= found->second.literals.empty();
      each_stretch(found->second.sections,
                   [&](const Stretch& stretch) { constant &= is_constant(stretch); });
    }
    return constant;
  }

  const Contexts& contexts_;
  ThreadForm& thread_;
  std::set<uint32_t> nodes_;
  std::map<uint64_t, uint32_t> of_function_;
};

// Of one rank.
class RankAlignment {
 public:
  RankAlignment(Form& form, uint32_t rank) : form_(form) {
    for (ThreadForm& thread : form.threads)
      if (thread.rank == rank) threads_.push_back(&thread);
  }
  // Whether something moved.
  bool run() {
    bool moved = false;
    while (threads_.size() > 1 && move_one()) moved = true;
    return moved;
  }

 private:
  // One function, the outermost that can be moved. False: there is none.
  bool move_one() {
    std::vector<ThreadContexts> contexts;
    for (ThreadForm* thread : threads_) contexts.emplace_back(form_.contexts, *thread);
    std::map<uint64_t, std::set<uint32_t>> nodes;  // by function
    for (const ThreadContexts& thread : contexts)
      for (const auto& [function, node] : thread.of_function())
        if (node != Contexts::kRoot) nodes[function].insert(node);
    std::set<std::pair<uint32_t, uint64_t>> candidates;  // the outermost first
    for (const auto& [function, where] : nodes) {
      if (where.size() < 2 || done_.contains(function)) continue;
      uint32_t depth = UINT32_MAX;
      for (const uint32_t node : where) depth = std::min(depth, form_.contexts.depth(node));
      candidates.emplace(depth, function);
    }
    for (const auto& [depth, function] : candidates) {
      done_.insert(function);
      if (is_some_threads_work(function, contexts) && move(function, contexts)) return true;
    }
    return false;
  }
  bool is_some_threads_work(uint64_t function, const std::vector<ThreadContexts>& contexts) const {
    return std::ranges::any_of(contexts, [&](const ThreadContexts& thread) {
      const auto found = thread.of_function().find(function);
      return found != thread.of_function().end() && found->second != Contexts::kRoot &&
             thread.does_most_in(found->second, form_.functions);
    });
  }
  bool move(uint64_t function, std::vector<ThreadContexts>& contexts) {
    const ContextKey key{ContextKey::Kind::activation, kNone, function};
    const auto home = form_.contexts.find(Contexts::kRoot, key);
    std::vector<std::pair<size_t, uint32_t>> moves;
    size_t there = 0;
    for (size_t t = 0; t < contexts.size(); ++t) {
      const auto found = contexts[t].of_function().find(function);
      if (found == contexts[t].of_function().end() || found->second == Contexts::kRoot) continue;
      if (home && found->second == *home)
        ++there;
      else if (contexts[t].may_move(found->second))
        moves.emplace_back(t, found->second);
    }
    if (moves.empty() || moves.size() + there < 2) return false;
    const uint32_t to = form_.contexts.add(Contexts::kRoot, key);
    for (const auto& [t, node] : moves) {
      std::map<uint32_t, uint32_t> map;
      for (const uint32_t below : contexts[t].below(node))
        map[below] = below == node ? to
                                   : form_.contexts.add(map[form_.contexts.parent(below)],
                                                        form_.contexts.key(below));
      contexts[t].move(node, map);
    }
    return true;
  }

  Form& form_;
  std::vector<ThreadForm*> threads_;
  std::set<uint64_t> done_;
};

void drop_empty(Form& form) {
  std::vector<bool> used(form.contexts.size());
  for (const ThreadForm& thread : form.threads)
    for (const auto& [id, stream] : thread.streams)
      for (uint32_t up = id.node; up != Contexts::kRoot && !used[up]; up = form.contexts.parent(up))
        used[up] = true;
  std::vector<uint32_t> map(form.contexts.size(), Contexts::kRoot);
  Contexts kept;
  form.contexts.each([&](uint32_t node) {
    if (used[node]) map[node] = kept.add(map[form.contexts.parent(node)], form.contexts.key(node));
  });
  form.contexts = std::move(kept);
  for (ThreadForm& thread : form.threads) thread.renumber(map);
}

}  // namespace

void align_contexts(Form& form) {
  std::set<uint32_t> ranks;
  for (const ThreadForm& thread : form.threads) ranks.insert(thread.rank);
  bool moved = false;
  for (const uint32_t rank : ranks) moved |= RankAlignment(form, rank).run();
  if (moved) drop_empty(form);
}

Entrances entrances_of(const Form& form) {
  constexpr size_t kMostStretches = 1 << 16;
  Entrances out;
  for (uint32_t t = 0; t < form.threads.size(); ++t)
    for (const auto& [id, stream] : form.threads[t].streams) {
      if (!is_decision(id.kind)) continue;
      const bool root = id.node == Contexts::kRoot;
      size_t seen = 0;
      StretchList::Iterator stretch(stream.sections);
      for (; stretch != std::default_sentinel && seen < kMostStretches; ++stretch, ++seen) {
        const uint64_t decision = (*stretch).constant, number = Decision::number(decision);
        if (Decision::kind(decision) != Decision::enter || !is_constant(*stretch) ||
            (!root && number <= Decision::kDigest))
          continue;
        const auto node = form.contexts.find(
            Contexts::kRoot, {ContextKey::Kind::activation, kNone, number & Decision::kDigest});
        if (node) out[*node][root ? std::nullopt : std::optional<uint32_t>(id.node)].insert(t);
      }
    }
  return out;
}

}  // namespace vestige::spmd
