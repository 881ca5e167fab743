#include "query/order/lock_watch.h"

#include <algorithm>

#include "base/check.h"

namespace vestige::threads {

void LockWatch::take(uint32_t lock, const LockUser& who, bool shared) {
  Lock& taken = locks_[lock];
  taken.taken = true;
  if (const auto waits = waits_.find(who.thread); waits != waits_.end() && waits->second == lock)
    waits_.erase(waits);
  if (!shared) {
    taken.depth = taken.depth > 0 && taken.writer.is(who) ? taken.depth + 1 : 1;
    taken.writer = who;
    return;
  }
  const auto reader =
      std::ranges::find_if(taken.readers, [&](const auto& one) { return one.first.is(who); });
  if (reader == taken.readers.end())
    taken.readers.emplace_back(who, 1);
  else
    ++reader->second;
}

Had LockWatch::give(uint32_t lock, const LockUser& who) {
  Lock& given = locks_[lock];
  if (given.depth > 0 && given.writer.is(who)) {
    --given.depth;
    return Had::alone;
  }
  const auto reader =
      std::ranges::find_if(given.readers, [&](const auto& one) { return one.first.is(who); });
  if (reader != given.readers.end()) {
    VESTIGE_CHECK(reader->second > 0);
    if (--reader->second == 0) given.readers.erase(reader);
    return Had::shared;
  }
  if (const auto waits = waits_.find(who.thread); waits != waits_.end() && waits->second == lock) {
    waits_.erase(waits);
    return Had::again;
  }
  return given.taken || is_whole(trace_.threads()[who.thread].process) ? Had::nothing
                                                                       : Had::unrecorded;
}

void LockWatch::undo_give(uint32_t lock, const LockUser& who, Had had) {
  if (had == Had::alone || had == Had::shared) take(lock, who, had == Had::shared);
}

uint32_t LockWatch::holder(uint32_t lock) const {
  const auto found = locks_.find(lock);
  return found == locks_.end() || found->second.depth == 0 ? kNone : found->second.writer.thread;
}

bool LockWatch::is_whole(uint32_t process) {
  const auto [known, fresh] = whole_.try_emplace(process, true);
  if (!fresh) return known->second;
  bool& whole = known->second;
  whole = trace_.processes()[process].forked_from == kNone;
  for (uint32_t t = 0; whole && t < trace_.threads().size(); ++t) {
    const ThreadInfo& info = trace_.threads()[t];
    if (info.process != process) continue;
    const auto events = trace_.events(t);
    whole = info.first_time <= 1 && events &&
            std::ranges::none_of(*events, [](const TraceEvent& event) {
              return event.kind == TraceEvent::Kind::gap || event.kind == TraceEvent::Kind::damaged;
            });
  }
  return whole;
}

}  // namespace vestige::threads
