// The modelled machine once more, plainly: caches as lists, histories as long lists of outcomes,
// tables as maps. Shares no code with src/query/machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <vector>

namespace plain {

struct Cache {
  uint64_t sets, ways, line;
  std::map<uint64_t, std::list<uint64_t>> lines;  // by set, most recently used first
  Cache(uint64_t bytes, uint64_t ways, uint64_t line)
      : sets(bytes / (ways * line)), ways(ways), line(line) {}
  bool missed(uint64_t number) {
    std::list<uint64_t>& set = lines[number % sets];
    const auto at = std::find(set.begin(), set.end(), number);
    const bool missed = at == set.end();
    if (!missed) set.erase(at);
    set.push_front(number);
    if (set.size() > ways) set.pop_back();
    return missed;
  }
};

struct Hierarchy {
  Cache first, second;
  // Misses of the first, misses of the second.
  std::pair<bool, bool> refer(uint64_t address, uint64_t bytes) {
    bool one = false, two = false;
    uint64_t last = UINT64_MAX;
    for (uint64_t at = 0; at == 0 || at < bytes; ++at) {
      const uint64_t number = (address + at) / first.line;
      if (number == last) continue;
      last = number;
      if (!first.missed(number)) continue;
      one = true;
      if (second.missed(number * first.line / second.line)) two = true;
    }
    return {one, two};
  }
};

inline uint32_t hash_of(uint64_t id) {
  return static_cast<uint32_t>(((id + 1) * 11400714819323198485ull) / 4294967296ull);
}

struct Gshare {
  std::map<uint32_t, int> counters;
  std::deque<bool> history;  // newest first
  bool wrong(uint32_t hash, bool taken) {
    uint32_t bits = 0;
    for (size_t i = 0; i < std::min<size_t>(16, history.size()); ++i)
      if (history[i]) bits += 1u << i;
    int& counter = counters.try_emplace((hash ^ bits) % 65536, 1).first->second;
    const bool guess = counter > 1;
    counter = std::clamp(counter + (taken ? 1 : -1), 0, 3);
    history.push_front(taken);
    return guess != taken;
  }
  void note(bool bit) { history.push_front(bit); }
};

struct Tage {
  struct Entry {
    uint32_t tag = 0;
    int counter = 3, useful = 0;
  };
  static constexpr size_t kLengths[6] = {4, 9, 18, 38, 78, 160};
  std::map<uint32_t, int> base;
  std::map<uint32_t, Entry> tables[6];
  std::deque<bool> history;  // newest first
  int trust = 0;
  uint32_t random = 0x2545f491;
  uint64_t branches = 0;

  uint32_t folded(size_t length, size_t width) const {
    uint32_t out = 0;
    for (size_t i = 0; i < std::min(length, history.size()); ++i)
      if (history[i]) out ^= 1u << (i % width);
    return out;
  }
  void note(bool bit) {
    history.push_front(bit);
    if (history.size() > 200) history.pop_back();
  }
  bool wrong(uint32_t hash, bool taken) {
    Entry* of[6];
    uint32_t tags[6];
    std::vector<Entry*> matching;
    size_t longest = 0;
    for (size_t t = 0; t < 6; ++t) {
      const uint32_t index = (hash ^ (hash >> (11 - t)) ^ folded(kLengths[t], 11)) % 2048;
      tags[t] = ((hash >> 16) ^ folded(kLengths[t], 11) ^ (folded(kLengths[t], 10) * 2)) % 2048;
      of[t] = &tables[t][index];
      if (of[t]->tag == tags[t]) {
        matching.push_back(of[t]);
        longest = t + 1;
      }
    }
    int& plain = base.try_emplace(hash % 8192, 1).first->second;
    Entry* const mine = matching.empty() ? nullptr : matching.back();
    Entry* const next = matching.size() < 2 ? nullptr : matching[matching.size() - 2];
    const bool shorter = next ? next->counter > 3 : plain > 1;
    const bool longer = mine ? mine->counter > 3 : shorter;
    bool guess = longer;
    const auto learn_shorter = [&] {
      if (next)
        next->counter = std::clamp(next->counter + (taken ? 1 : -1), 0, 7);
      else
        plain = std::clamp(plain + (taken ? 1 : -1), 0, 3);
    };
    if (mine) {
      if ((mine->counter == 3 || mine->counter == 4) && mine->useful == 0) {
        if (trust >= 0) guess = shorter;
        if (longer != shorter) trust = std::clamp(trust + (shorter == taken ? 1 : -1), -8, 7);
      }
      if (longer != shorter)
        mine->useful = std::clamp(mine->useful + (longer == taken ? 1 : -1), 0, 3);
      mine->counter = std::clamp(mine->counter + (taken ? 1 : -1), 0, 7);
      if (mine->useful == 0) learn_shorter();
    } else {
      learn_shorter();
    }
    if (longer != taken && longest < 6) {
      random ^= random << 13;
      random ^= random >> 17;
      random ^= random << 5;
      std::vector<size_t> free;
      for (size_t t = longest; t < 6; ++t)
        if (of[t]->useful == 0) free.push_back(t);
      if (free.empty()) {
        for (size_t t = longest; t < 6; ++t) --of[t]->useful;
      } else {
        const size_t t = free[random % 2 == 1 && free.size() > 1 ? 1 : 0];
        *of[t] = {tags[t], taken ? 4 : 3, 0};
      }
    }
    ++branches;
    if (branches % 262144 == 0)
      for (auto& table : tables)
        for (auto& [index, entry] : table) entry.useful &= branches / 262144 % 2 == 1 ? 1 : 2;
    note(taken);
    return guess != taken;
  }
};

struct Targets {
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> entries;
  uint32_t history = 0;
  bool wrong(uint32_t hash, uint32_t target) {
    const uint32_t index = (hash ^ history) % 4096;
    const auto found = entries.find(index);
    const bool wrong = found == entries.end() || found->second != std::pair(hash, target);
    entries[index] = {hash, target};
    history = ((history * 8) ^ target) % 4096;
    return wrong;
  }
};

}  // namespace plain
