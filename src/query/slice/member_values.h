// What the members of a slice had: instance numbers, values, addresses.
#pragma once

#include <map>
#include <vector>

#include "query/slice/member_order.h"
#include "query/slice/members.h"
#include "trace/windows/windows.h"

namespace vestige {

struct MemberFactsFound {
  MemberFactsArray facts;                                // by place
  std::map<uint32_t, std::vector<uint64_t>> call_times;  // by thread: of library calls, rising
};

// Of all members; `statements` have members. Only windows that hold members are evaluated.
Result<void> add_values(const Trace& trace, const Windows& windows,
                        const std::vector<SliceStatement>& statements, SliceMembers& members,
                        MemberOrder& order, MemberFactsFound& found);

}  // namespace vestige
