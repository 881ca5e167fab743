// Your own events in regular sections: the messages that the ranks of a ring exchange, folded in
// each rank while they come in, then merged over ranks. Partners are kept relative to the rank, so
// all ranks say the same.
#include <array>
#include <cstdio>

#include "vestige/context.h"
#include "vestige/section.h"

// What a rank did, and for which ranks that holds.
struct Message {
  uint32_t context = 0;  // a node of the tree of contexts
  int partner = 0;       // relative to the rank
  int bytes = 0;
  int first_rank = 0, ranks = 1;
};

// Within a rank, messages fold when they are the same.
struct SameMessage {
  static bool match(const Message& a, const Message& b) {
    return a.context == b.context && a.partner == b.partner && a.bytes == b.bytes;
  }
  static bool merge(Message&, const Message&, uint64_t, size_t) { return true; }
  static Message at(const Message& message, std::span<const uint64_t>) { return message; }
};
using Messages = vestige::SectionList<Message, SameMessage>;
using Part = vestige::Section<Message>;

// Over ranks, lists merge when they are the same but for the rank.
static bool merge_ranks(std::vector<Part>& into, const std::vector<Part>& from) {
  if (into.size() != from.size()) return false;
  for (size_t i = 0; i < into.size(); ++i) {
    if (into[i].count != from[i].count || into[i].is_event() != from[i].is_event()) return false;
    if (into[i].is_event()) {
      if (!SameMessage::match(into[i].event, from[i].event)) return false;
      into[i].event.ranks += from[i].event.ranks;
    } else if (!merge_ranks(into[i].body, from[i].body)) {
      return false;
    }
  }
  return true;
}

int main() {
  constexpr int kRanks = 4, kSteps = 1000;
  vestige::ContextTree<int> contexts;
  const uint32_t send = contexts.add(std::array{10, 12}),
                 receive = contexts.add(std::array{10, 13}),
                 reduce = contexts.add(std::array{10, 20});
  std::vector<Part> all;
  uint64_t events = 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    Messages messages;
    for (int step = 0; step < kSteps; ++step) {
      messages.add({send, +1, 4096, rank});
      messages.add({receive, -1, 4096, rank});
      messages.add({reduce, 0, 8, rank});
    }
    events = messages.events();
    if (rank == 0)
      all = messages.sections();
    else if (!merge_ranks(all, messages.sections()))
      return 1;
  }
  std::printf("%zu section stands for %llu events in %d ranks\n", all.size(),
              static_cast<unsigned long long>(events), all[0].body[0].event.ranks);
}
