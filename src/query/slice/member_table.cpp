#include "query/slice/member_table.h"

#include "vestige/values.h"

namespace vestige {

MemberTable::MemberTable(const SliceGround& ground, bool forward, SliceMembers& members)
    : ground_(ground),
      forward_(forward),
      of_(members),
      members_(members.found()),
      order_(MemberOrder::of(forward, ground.dependences.order(), members_)) {
  const auto& functions = ground.trace.functions();
  for (uint32_t f = 0; f < functions.size(); ++f)
    for (uint32_t s = 0; s < functions[f].statements.size(); ++s)
      statements_.push_back({{f, s}, has_library_ranges(functions[f], s)});
}

Result<void> MemberTable::read_values(const Windows& windows,
                                      const std::vector<SliceStatement>& statements) {
  if (auto added = add_values(ground_.trace, windows, statements, of_, order_, found_); !added)
    return added;
  valued_ = true;
  for (const auto& [thread, times] : found_.call_times) {
    if (times.empty()) continue;
    CallReads& of = calls_.try_emplace(thread, ground_, windows, thread).first->second;
    if (auto read = of.read(times); !read) return read;
  }
  return {};
}

// The reader is the member itself, or the one that it is in the slice for.
uint64_t MemberTable::reason_address(uint32_t place, const FoundMember& member) {
  const uint32_t reader = forward_ ? place : member.of;
  const FoundMember& by = members_.at(reader);
  if (statements_[by.statement].calls_library)
    return calls_.at(by.thread).place(by.time, member.offset).value_or(0);
  const MemberFacts& facts = found_.facts.at(reader);
  if (facts.has_source) return facts.value + member.offset;
  return facts.has_address ? facts.address + member.offset : 0;
}

SliceInstance MemberTable::at(uint32_t place) {
  const FoundMember member = members_.at(place);
  SliceInstance instance;
  instance.statement = statements_[member.statement].ref;
  instance.thread = member.thread;
  instance.time = member.time;
  instance.depth = member.depth;
  instance.reason = static_cast<SliceReason>(member.reason);
  instance.of = member.of;
  instance.reason_address = member.offset;
  instance.ends = static_cast<uint8_t>(member.ends);
  if (!valued_) return instance;
  if (instance.reason == SliceReason::memory)
    instance.reason_address = reason_address(place, member);
  const MemberFacts& facts = found_.facts.at(place);
  instance.instance = facts.instance;
  if (facts.has_value) instance.value = facts.value;
  if (facts.has_address) instance.address = facts.address;
  return instance;
}

uint32_t MemberTable::criterion() {
  for (uint64_t i = 0; i < members_.size(); ++i)
    if (static_cast<SliceReason>(members_.at(i).reason) == SliceReason::criterion)
      return static_cast<uint32_t>(i);
  return kNone;
}

}  // namespace vestige
