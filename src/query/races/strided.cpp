#include "query/races/strided.h"

#include <algorithm>

#include "base/check.h"

namespace vestige::races {

namespace {

__extension__ typedef __int128 Wide;

Wide floor_of(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
Wide ceil_of(Wide a, Wide b) { return -floor_of(-a, b); }

// gcd(a, b) and x with a·x ≡ gcd modulo b.
struct Bezout {
  Wide gcd, x;
};
Bezout bezout(Wide a, Wide b) {
  Wide x = 1, next_x = 0;
  while (b != 0) {
    const Wide quotient = a / b;
    const Wide r = a - quotient * b;
    a = b;
    b = r;
    const Wide s = x - quotient * next_x;
    x = next_x;
    next_x = s;
  }
  return {a, x};
}

// The pairs (i, j) at one distance, a.start + i·a.stride − (b.start + j·b.stride): i = first +
// k·step for k from 0.
struct Solutions {
  uint64_t count = 0;
  Wide first = 0;
};

// Solves i·s − j·t = c for 0 ≤ i < n, 0 ≤ j < m, with s, t > 0.
Solutions solve(Wide s, Wide t, const Bezout& common, Wide c, Wide n, Wide m) {
  if (c % common.gcd != 0) return {};
  const Wide step_i = t / common.gcd, step_j = s / common.gcd;
  Wide i = c / common.gcd % step_i * (common.x % step_i) % step_i;
  if (i < 0) i += step_i;
  const Wide j = (i * s - c) / t;  // exact
  // All solutions: (i + k·step_i, j + k·step_j).
  const Wide low = std::max(ceil_of(-i, step_i), ceil_of(-j, step_j));
  const Wide high = std::min(floor_of(n - 1 - i, step_i), floor_of(m - 1 - j, step_j));
  if (low > high) return {};
  return {static_cast<uint64_t>(high - low + 1), i + low * step_i};
}

bool apart(const StridedInterval& a, const StridedInterval& b) {
  return a.start > b.last() || b.start > a.last();
}

// The accesses of a run that share a byte with [first, last]: from `low` up to `high`.
struct Within {
  Wide low, high;
};
Within within(const StridedInterval& run, uint64_t first, uint64_t last) {
  if (run.count == 1) return {0, 0};
  const Wide start = run.start, stride = run.stride, bytes = run.bytes;
  return {std::max<Wide>(0, ceil_of(Wide(first) - start - bytes + 1, stride)),
          std::min<Wide>(Wide(run.count) - 1, floor_of(Wide(last) - start, stride))};
}

}  // namespace

Hits hits(const StridedInterval& run, uint64_t first, uint64_t last) {
  if (first > run.last() || run.start > last) return {};
  const Within hit = within(run, first, last);
  if (hit.low > hit.high) return {};
  return {static_cast<uint64_t>(hit.low), static_cast<uint64_t>(hit.high) + 1};
}

uint64_t meetings(const StridedInterval& a, const StridedInterval& b) {
  VESTIGE_CHECK(a.sound() && b.sound());
  if (apart(a, b)) return 0;
  if (b.count == 1) {
    const Within hit = within(a, b.start, b.last());
    return hit.low > hit.high ? 0 : static_cast<uint64_t>(hit.high - hit.low + 1);
  }
  if (a.count == 1) return meetings(b, a);
  const Wide s = a.stride, t = b.stride;
  const Bezout common = bezout(s, t);
  const Wide apart_by = Wide(b.start) - Wide(a.start);
  // a's address minus b's is in (−a.bytes, b.bytes): c = i·s − j·t is that plus apart_by.
  const Wide low = apart_by - Wide(a.bytes) + 1, high = apart_by + Wide(b.bytes) - 1;
  uint64_t sum = 0;
  for (Wide c = ceil_of(low, common.gcd) * common.gcd; c <= high; c += common.gcd)
    sum += solve(s, t, common, c, Wide(a.count), Wide(b.count)).count;
  return sum;
}

std::optional<uint64_t> first_meeting(const StridedInterval& a, const StridedInterval& b) {
  VESTIGE_CHECK(a.sound() && b.sound());
  if (apart(a, b)) return std::nullopt;
  if (b.count == 1) {
    const Within hit = within(a, b.start, b.last());
    if (hit.low > hit.high) return std::nullopt;
    return std::max(b.start, a.start + static_cast<uint64_t>(hit.low) * a.stride);
  }
  if (a.count == 1) return first_meeting(b, a);
  const Wide s = a.stride, t = b.stride;
  const Bezout common = bezout(s, t);
  const Wide apart_by = Wide(b.start) - Wide(a.start);
  const Wide low = apart_by - Wide(a.bytes) + 1, high = apart_by + Wide(b.bytes) - 1;
  std::optional<uint64_t> best;
  for (Wide c = ceil_of(low, common.gcd) * common.gcd; c <= high; c += common.gcd) {
    const Solutions found = solve(s, t, common, c, Wide(a.count), Wide(b.count));
    if (found.count == 0) continue;
    // They share bytes from the later start on.
    const uint64_t mine = a.start + static_cast<uint64_t>(found.first) * a.stride;
    const uint64_t address = std::max(mine, mine - static_cast<uint64_t>(c - apart_by));
    if (!best || address < *best) best = address;
  }
  return best;
}

}  // namespace vestige::races
