#include "query/dependences/shared_writers.h"

#include <algorithm>

namespace vestige {

Label SharedWriters::read(const AccessPlace& reader, uint64_t address, uint64_t length,
                          const uint64_t* value, bool keeps, std::vector<LabelPart>& parts) {
  if (!happens_) return last_.read(address, length, value, keeps, parts);
  const size_t first = parts.size();
  Label label = last_.read(address, length, nullptr, false, parts);
  // A value that may be older than what was written last says nothing about that.
  if (!name(reader, length, first, label, parts) || !value) return label;
  parts.resize(first);
  label = last_.read(address, length, value, keeps, parts);
  name(reader, length, first, label, parts);
  return label;
}

bool SharedWriters::name(const AccessPlace& reader, uint64_t length, size_t first, Label& label,
                         std::vector<LabelPart>& parts) const {
  const bool whole = label.kind() != Label::Kind::parts;
  if (whole) parts.push_back({.length = length, .label = label, .last = true});
  bool certain = true;
  for (size_t i = first; i < parts.size(); ++i) {
    name_part(reader, parts[i]);
    certain &= parts[i].label.kind() != Label::Kind::unordered;
  }
  if (!whole) return certain;
  if (parts[first].foreign() || !certain) {
    label = Label::parts(first);
  } else {
    label = parts[first].label;
    parts.pop_back();
  }
  return certain;
}

void SharedWriters::name_part(const AccessPlace& reader, LabelPart& part) const {
  if (part.label.kind() != Label::Kind::one) return;
  const uint64_t order = part.label.time();
  const ThreadRun* run = order_.run_of(order);
  if (!run) return;
  const uint64_t time = run->first_time + (order - run->first_order);
  const uint64_t bits = part.label.bits();
  part.label = Label::written(time, part.label.item());
  if (run->thread == reader.thread) return;
  const AccessPlace by{run->thread, time, std::ranges::binary_search(atomic_writes_, bits)};
  const races::ThreadOrder& theirs = happens_->of(by.thread);
  const uint32_t known = happens_->of(reader.thread).clock(segment_of(reader)).of(by.thread);
  const bool certain =
      order_.is_ordered()
          ? order_.trusts(order_.order(reader.thread, reader.time), order)
          : theirs.segments[segment_of(by)].own <= known || (by.atomic && reader.atomic);
  if (certain) {
    part.thread = by.thread;
    return;
  }
  part.label = Label::unordered();
  part.copied = false;
  part.offset = 0;
}

uint32_t SharedWriters::segment_of(const AccessPlace& access) const {
  const races::ThreadOrder& order = happens_->of(access.thread);
  if (!access.atomic) return order.segment_of(access.time);
  const auto at =
      std::ranges::lower_bound(order.atomics, access.time, {}, &races::AtomicAccess::time);
  return at != order.atomics.end() && at->time == access.time ? at->segment
                                                              : order.segment_of(access.time);
}

}  // namespace vestige
