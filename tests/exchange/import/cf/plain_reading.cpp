#include "plain_reading.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace vestige {

std::vector<PlainEvent> read_plainly(const std::vector<uint32_t>& events, size_t stacks) {
  struct Activation {
    std::string function;
    bool seen = true;  // something of it other than a call
  };
  std::vector<Activation> stack = {{"unknown", false}};
  std::vector<PlainEvent> plain;
  for (const uint32_t event : events) {
    PlainEvent out;
    if (event >> 30 == 1) {
      out.kind = PlainEvent::Kind::entry;
      out.function = "f" + std::to_string(event & (kEntryEvent - 1));
      stack.push_back({out.function});
    } else if (event == kExitEvent) {
      out.kind = PlainEvent::Kind::exit;
      out.function = stack.back().function;
      stack.pop_back();
      if (stack.empty()) stack.push_back({"unknown", false});
    } else {
      out.function = stack.back().function;
      out.block = event;
      stack.back().seen = true;
    }
    for (size_t i = 0; plain.size() < stacks && i < stack.size(); ++i)
      if (stack[i].seen) out.stack.push_back(stack[i].function);
    plain.push_back(std::move(out));
  }
  return plain;
}

std::vector<uint32_t> random_events(std::mt19937_64& random, size_t count) {
  const auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t functions = 1 + below(5), blocks = 1 + below(7);
  const uint32_t calls = 1 + below(30), exits = 1 + below(30), bare = below(3) == 0 ? 20 : 0;
  std::vector<uint32_t> events;
  while (events.size() < count) {
    const uint32_t dice = below(100);
    if (dice < calls) {
      events.push_back(kEntryEvent | below(functions) * 1000);
      if (below(100) >= bare) events.push_back(0);
    } else if (dice < calls + exits) {
      events.push_back(kExitEvent);
    } else {
      events.push_back(below(blocks));
    }
  }
  events.resize(count);
  return events;
}

std::string write_events(const std::string& name, const std::vector<uint32_t>& events) {
  const std::string file = testing::TempDir() + name + std::to_string(::getpid());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(events.data()),
             static_cast<std::streamsize>(events.size() * 4));
  return file;
}

void expect_same(const std::vector<uint32_t>& events, const std::string& trace_file,
                 size_t stacks) {
  const std::vector<PlainEvent> plain = read_plainly(events, stacks);
  std::map<std::string, uint32_t> nowhere;  // behind the largest block of each function
  for (const PlainEvent& event : plain) {
    uint32_t& behind = nowhere[event.function];
    if (event.kind == PlainEvent::Kind::block) behind = std::max(behind, event.block + 1);
  }
  auto trace = Trace::open(trace_file);
  ASSERT_TRUE(trace) << trace.error().message;
  auto cursor = trace->walk(0);
  ASSERT_TRUE(cursor) << cursor.error().message;
  size_t at = 0;
  const auto next = [&](PlainEvent::Kind kind, const std::string& function, uint32_t block) {
    ASSERT_LT(at, plain.size());
    EXPECT_EQ(plain[at].kind, kind) << "event " << at;
    EXPECT_EQ(plain[at].function, function) << "event " << at;
    EXPECT_EQ(plain[at].block, block) << "event " << at;
    ++at;
  };
  while (cursor->next() && !testing::Test::HasFailure()) {
    const Path& path = cursor->path();
    const std::string& function = trace->functions()[path.function].name;
    if (path.enters) next(PlainEvent::Kind::entry, function, 0);
    for (size_t i = 0; i < path.blocks.size(); ++i) {
      if (path.enters && i == 0 && path.blocks[i] == nowhere[function]) continue;
      next(PlainEvent::Kind::block, function, path.blocks[i]);
    }
    if (path.leaves) next(PlainEvent::Kind::exit, function, 0);
    if (at == 0 || at > stacks) continue;
    const auto stack = trace->stack(0, cursor->time());
    ASSERT_TRUE(stack) << stack.error().message;
    std::vector<std::string> names;
    for (const auto& frame : *stack)
      names.push_back(trace->functions()[trace->path(frame.path)->function].name);
    EXPECT_EQ(names, plain[at - 1].stack) << "behind event " << at - 1;
  }
  EXPECT_EQ(cursor->error(), nullptr);
  EXPECT_EQ(at, plain.size());
}

}  // namespace vestige
