// The session's modules as they arrive: checked, written to the trace, given to PathKinds, and
// their uploaded bytes freed. Of the collector's thread.
#pragma once

#include <map>
#include <set>

#include "record/collect/path_kinds.h"
#include "record/collect/session.h"
#include "store/writer.h"

namespace vestige {

class ModuleTable {
 public:
  ModuleTable(const Session& session, StoreWriter& writer, PathKinds& kinds, bool with_addresses)
      : session_(session), writer_(writer), kinds_(kinds), with_addresses_(with_addresses) {}

  // Takes every module that has become ready.
  Result<void> discover();
  // The trace's index of a session's module; kNone when it is not there (yet).
  uint32_t index(uint32_t session_index) const;
  // The number of a table of addresses, by the session's entry that holds it; kNone likewise.
  uint32_t table(uint32_t session_index) const;
  size_t size() const { return loaded_.size(); }

  struct Loaded {
    uint32_t index;    // the trace's
    uint32_t process;  // the session's index of who loaded it
    uint64_t load_address;
    std::string name;
  };
  const std::vector<Loaded>& loaded() const { return loaded_; }

 private:
  Result<void> take(uint32_t session_index);
  Result<void> take_table(uint32_t session_index);

  const Session& session_;
  StoreWriter& writer_;
  PathKinds& kinds_;
  const bool with_addresses_;
  uint32_t seen_ = 0;
  std::set<uint32_t> waiting_;  // entries below seen_ that are not ready
  std::map<uint32_t, uint32_t> indices_;
  std::map<uint32_t, uint32_t> tables_;        // by entry
  std::map<uint32_t, uint32_t> table_counts_;  // by the trace's index
  std::vector<Loaded> loaded_;
};

}  // namespace vestige
