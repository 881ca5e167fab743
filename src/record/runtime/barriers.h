// What a forked child has to do about barriers (barriers.cpp).
#pragma once

namespace vestige::runtime {

// Threads that are not here any more may have held them.
void forget_barrier_locks();

}  // namespace vestige::runtime
