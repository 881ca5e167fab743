#include "store/reader.h"
#include "vestige/trace.h"

namespace vestige {

Result<RecoverReport> recover(const std::string& from, const std::string& to) {
  auto summary = recover_store(from, to);
  if (!summary) return std::unexpected(std::move(summary.error()));
  return RecoverReport{summary->chunks, summary->paths, std::move(summary->damage)};
}

}  // namespace vestige
