// Who wrote memory last, of all threads of a process.
//
// LastWriters knows paths by their order (Interleaving). Whoever reads what another thread wrote
// may name that write when it happened before the read (query/order/happens_before.h), or when both
// are atomic: their stamps are in the order in which they happened. Where the order of accesses was
// recorded, that says it instead. Otherwise nothing says which of the two came first.
//
// One owner thread.
#pragma once

#include "query/dependences/interleaving.h"
#include "query/dependences/last_writers.h"

namespace vestige {

// An access of a thread.
struct AccessPlace {
  uint32_t thread = 0;
  uint64_t time = 0;
  bool atomic = false;
};

class SharedWriters {
 public:
  // Both must outlive it. Without an order of synchronization there is one thread, and paths have
  // their time for a number.
  SharedWriters(const Interleaving& order, const races::HappensBefore* happens)
      : order_(order), happens_(happens) {}

  LastWriters& last() { return last_; }
  // The write is of an atomic operation. By rising order.
  void note_atomic(Label write) {
    if (happens_) atomic_writes_.push_back(write.bits());
  }
  // What a statement reads there, as LastWriters::read, with labels in the times of the threads.
  Label read(const AccessPlace& reader, uint64_t address, uint64_t length, const uint64_t* value,
             bool keeps, std::vector<LabelPart>& parts);

 private:
  // Puts the label of all that was read, or its parts from `first` on, into times of threads.
  // False: of some it is not known when they were written.
  bool name(const AccessPlace& reader, uint64_t length, size_t first, Label& label,
            std::vector<LabelPart>& parts) const;
  void name_part(const AccessPlace& reader, LabelPart& part) const;
  uint32_t segment_of(const AccessPlace& access) const;

  const Interleaving& order_;
  const races::HappensBefore* happens_;
  LastWriters last_;
  std::vector<uint64_t> atomic_writes_;  // bits of labels, rising
};

}  // namespace vestige
