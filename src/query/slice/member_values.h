// What the members of a slice had: instance numbers, values, addresses.
#pragma once

#include "query/slice/found_member.h"
#include "query/slice/member_order.h"
#include "trace/windows.h"

namespace vestige {

// By the places of the members. Only windows that hold members are evaluated.
Result<void> add_values(const Trace& trace, const Windows& windows,
                        const std::vector<SliceStatement>& statements, FoundMembers& members,
                        MemberOrder& order, MemberFactsArray& facts);

}  // namespace vestige
