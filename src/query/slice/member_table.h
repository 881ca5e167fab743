// The members of a slice that is complete, one by one, with all that is known of each.
#pragma once

#include <map>

#include "query/slice/call_reads.h"
#include "query/slice/member_values.h"

namespace vestige {

class MemberTable {
 public:
  // Takes the members over. All else must outlive it.
  MemberTable(const SliceGround& ground, bool forward, SliceMembers& members);

  // Their instance numbers, values and addresses. Without that they have none.
  Result<void> read_values(const Windows& windows, const std::vector<SliceStatement>& statements);
  uint64_t size() const { return members_.size(); }
  // Places among those found, in the order executed.
  MemberOrder& order() { return order_; }
  // `of` is a place.
  SliceInstance at(uint32_t place);
  // The criterion's; kNone: there is none.
  uint32_t criterion();
  // A temporary file could not be read.
  bool failed() const { return members_.failed() || found_.facts.failed() || order_.failed(); }

 private:
  uint64_t reason_address(uint32_t place, const FoundMember& member);

  const SliceGround& ground_;
  const bool forward_;
  SliceMembers& of_;
  FoundMembers& members_;
  MemberOrder order_;
  MemberFactsFound found_;
  bool valued_ = false;
  struct Statement {
    StatementRef ref;
    bool calls_library = false;
  };
  std::vector<Statement> statements_;    // by #ID
  std::map<uint32_t, CallReads> calls_;  // by thread
};

}  // namespace vestige
