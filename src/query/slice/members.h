// The members of a slice, as they are found: how many of each statement, and where they are wanted
// one by one, what each is and why it is in. Of the slicer's thread.
//
// Invariants:
// 1. A member enters once; further ways to it only shorten its depth.
// 2. A token's `of` is the member's place in found(), kNone where members are not wanted.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/check.h"
#include "query/slice/found_member.h"
#include "query/slice/token.h"
#include "vestige/slice.h"

namespace vestige {

class SliceMembers {
 public:
  SliceMembers(const Trace& trace, const SliceOptions& options)
      : trace_(trace), options_(options), counts_(statement_count(trace)) {}

  // Members that enter from here on are this thread's.
  void set_thread(uint32_t thread) {
    thread_ = thread;
    threads_.insert(thread);
  }
  // A member that depends, or is depended on, for this reason. It must not be in the slice yet.
  Token enter(uint32_t function, uint32_t statement, uint64_t time, SliceReason reason, Token of,
              uint64_t offset = 0) {
    ++count_;
    const uint64_t id = uint64_t{trace_.functions()[function].first_statement} + statement;
    ++counts_[id];
    Token token{kNone, reason == SliceReason::criterion ? 0 : of.depth + 1};
    if (options_.instances && !too_many()) {
      token.of = static_cast<uint32_t>(members_.size());
      FoundMember member;
      member.statement = static_cast<uint32_t>(id);
      member.thread = thread_;
      member.time = time;
      set_reason(member, token.depth, reason, of, offset);
      members_.append(member);
      if (options_.through && !options_.through(asked(member, {function, statement}, reason)))
        token.depth = options_.depth;
    }
    return token;
  }
  // Another way to the same member.
  Token again(Token member, SliceReason reason, Token of, uint64_t offset = 0) {
    VESTIGE_CHECK(member.of == kNone || member.of < members_.size());
    Token token{member.of, of.depth + 1};
    if (member.of != kNone && token.depth < members_.at(member.of).depth)
      set_reason(members_[member.of], token.depth, reason, of, offset);
    if (options_.through && member.of != kNone) {
      const FoundMember found = members_.at(member.of);
      if (!options_.through(asked(found, *statement_by_id(trace_, found.statement), reason)))
        token.depth = options_.depth;
    }
    return token;
  }
  void end(Token member, SliceEnd end, uint64_t count = 1) {
    unresolved_[static_cast<size_t>(end)] += count;
    if (member.of != kNone)
      members_[member.of].ends |= static_cast<uint8_t>(1u << static_cast<unsigned>(end));
  }
  // What has this depth has no further dependences that are wanted.
  bool last(Token token) const { return token.depth >= options_.depth; }
  bool too_many() const { return options_.instances && count_ > options_.most_instances; }
  // Members no longer fit into files, and take much memory.
  bool no_room() const { return members_.full() && members_.size() > kMostInMemory; }

  // The slice without criterion, thread and members.
  void finish(Slice& slice) const;
  // Threads that have members, and perhaps others.
  const std::set<uint32_t>& threads() const { return threads_; }
  // As they were found; `of` is a place here.
  FoundMembers& found() { return members_; }

 private:
  static constexpr uint64_t kMostInMemory = uint64_t{1} << 26;
  static uint64_t statement_count(const Trace& trace);
  static void set_reason(FoundMember& member, uint32_t depth, SliceReason reason, Token of,
                         uint64_t offset) {
    member.depth = depth;
    member.reason = static_cast<uint32_t>(reason) & 7;
    member.of = of.of;
    member.offset = offset;
  }
  static SliceInstance asked(const FoundMember& member, StatementRef statement,
                             SliceReason reason) {
    SliceInstance instance;
    instance.statement = statement;
    instance.thread = member.thread;
    instance.time = member.time;
    instance.depth = member.depth;
    instance.reason = reason;
    instance.of = member.of;
    instance.reason_address = member.offset;
    instance.ends = static_cast<uint8_t>(member.ends);
    return instance;
  }

  const Trace& trace_;
  const SliceOptions& options_;
  uint32_t thread_ = 0;
  std::set<uint32_t> threads_;
  uint64_t count_ = 0;
  std::vector<uint64_t> counts_;  // by statement id
  FoundMembers members_;
  std::array<uint64_t, kSliceEnds> unresolved_{};
};

// What a slice fails with that has too many members, or bytes of memory at one time.
std::unexpected<Error> too_large(const SliceOptions& options, bool memory);
std::unexpected<Error> no_room_for_members();

}  // namespace vestige
