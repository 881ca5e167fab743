// How threads share memory: who reads and writes what, in which way, and what lies too near to
// something else. docs/threads.md defines the words.
//
//     auto report = vestige::find_sharing(trace);
//     for (const vestige::SharingRow& row : report->rows) use(row.variable, row.use);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/api.h"
#include "vestige/result.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

enum class SharingUse : uint8_t {
  private_,           // one thread only
  read_only,          // nobody writes once a second thread has come
  producer_consumer,  // from then on one thread writes, others read
  migratory,          // threads take turns, and each of them changes it
  mixed,              // anything else
};
std::string_view sharing_use_name(SharingUse use);

// What a machine should do with the other threads' copies when one thread writes.
enum class SharingAdvice : uint8_t { none, update, invalidate };
std::string_view sharing_advice_name(SharingAdvice advice);

inline constexpr uint32_t kSharingLines[] = {16, 32, 64, 128, 256};

// Memory that is used in one way; addresses that follow each other and belong to one variable are
// one row.
struct SharingRow {
  uint32_t process = 0;
  uint64_t address = 0, bytes = 0;
  std::string variable;  // empty when that is not known
  SharingUse use = SharingUse::private_;
  SharingAdvice advice = SharingAdvice::none;
  std::vector<uint32_t> readers, writers;  // threads, rising
  uint64_t reads = 0, writes = 0;
  uint64_t changes = 0;  // of the thread that uses it
  // Consecutive writes of one thread between which others read it, and those where nobody did.
  uint64_t read_between = 0, unread_between = 0;
  // The smallest cache line of kSharingLines that some other thread's variable lies in too, while
  // it is used and one of the two is written; 0: none.
  uint32_t false_line = 0;
};

struct SharingReport {
  std::vector<SharingRow> rows;  // by process and address; private memory only when falsely shared
  uint64_t private_bytes = 0;    // on pages that several threads use: private all the same
  uint64_t accesses = 0;         // looked at: on such pages
  uint64_t unknown = 0;          // of unknown address
  uint64_t left_out = 0;         // accesses to memory past what is kept
};

// ErrorKind::unsupported when the trace has no values.
Result<SharingReport> find_sharing(const Trace& trace);

}  // namespace vestige
VESTIGE_API_END
