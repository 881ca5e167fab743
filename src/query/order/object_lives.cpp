#include "query/order/object_lives.h"

#include <algorithm>

namespace vestige::threads {

namespace {

bool is_leave(SyncKind kind) {
  return kind == SyncKind::barrier_leave || kind == SyncKind::cond_wake;
}
bool is_arrival(SyncKind kind) {
  return kind == SyncKind::barrier_arrive || kind == SyncKind::cond_wait;
}

}  // namespace

bool ObjectLives::operation(const SyncOperation& op, uint32_t process) {
  switch (op.kind) {
    case SyncKind::allocated:
      if (op.other > op.object) end(process, op.object, op.other);
      return true;
    case SyncKind::object_begins:
    case SyncKind::object_ends:
    case SyncKind::barrier_init:
    case SyncKind::sem_init:
      end(process, op.object, op.object + 1);
      return is_memory(op.kind);
    default:
      return is_memory(op.kind);
  }
}

void ObjectLives::end(uint32_t process, uint64_t first, uint64_t end) {
  for (auto at = by_address_.lower_bound({process, first});
       at != by_address_.end() && at->first < Object(process, end); ++at)
    at->second->ended = true;
}

uint32_t ObjectLives::at(const Object& object, uint64_t stamp) {
  ended_ = kNone;
  const auto [found, fresh] = uses_.try_emplace(object);
  Use& use = found->second;
  if (fresh) {
    use.number = next_++;
    use.first = stamp;
    by_address_.emplace(object, &use);
    if (rewrites_) {
      const auto rewrite = std::ranges::lower_bound(*rewrites_, object, {}, &Rewrite::object);
      use.rewrite = static_cast<size_t>(rewrite - rewrites_->begin());
    }
  }
  bool anew = std::exchange(use.ended, false);
  if (rewrites_) {
    const Rewrites& all = *rewrites_;
    for (; use.rewrite < all.size() && all[use.rewrite].object == object &&
           all[use.rewrite].after < stamp;
         ++use.rewrite)
      anew |= all[use.rewrite].before <= stamp;
  }
  use.last = stamp;
  if (anew && !fresh) ended_ = std::exchange(use.number, next_++);
  return use.number;
}

uint32_t ObjectLives::of(const SyncOperation& op, uint32_t process) {
  const Object object(process, op.object);
  if (is_leave(op.kind))
    if (const auto waits = waits_at_.find(op.thread);
        waits != waits_at_.end() && waits->second.first == object) {
      ended_ = kNone;
      return waits->second.second;
    }
  const uint32_t number = at(object, op.stamp);
  if (is_arrival(op.kind)) waits_at_[op.thread] = {object, number};
  return number;
}

std::vector<ObjectUse> ObjectLives::uses() const {
  std::vector<ObjectUse> all;
  for (const auto& [object, use] : by_address_)
    if (use->first < use->last) all.push_back({object, use->first, use->last});
  return all;
}

void RewriteFinder::write(uint32_t process, uint64_t address, uint64_t stride, uint64_t count,
                          uint64_t bytes, uint64_t after, uint64_t before) {
  const uint64_t last = address + (count - 1) * stride + (bytes - 1);
  auto at = std::ranges::lower_bound(uses_, Object(process, address), {}, &ObjectUse::object);
  for (; at != uses_.end() && at->object <= Object(process, last); ++at) {
    const uint64_t within = at->object.second - address;
    // Of accesses that overlap more than one may touch it.
    const uint64_t access = stride == 0 ? 0 : std::min(within / stride, count - 1);
    if (within - access * stride >= bytes) continue;
    if (at->first <= after && before <= at->last) found_.push_back({at->object, after, before});
  }
}

std::shared_ptr<const Rewrites> RewriteFinder::finish() {
  if (found_.empty()) return nullptr;
  std::ranges::sort(found_);
  const auto repeated = std::ranges::unique(found_);
  found_.erase(repeated.begin(), repeated.end());
  return std::make_shared<const Rewrites>(std::move(found_));
}

}  // namespace vestige::threads
