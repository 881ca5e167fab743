// The session's memory as this process sees it.
//
// attach_session() runs once per process image: it finds the collector's memfd through
// VESTIGE_SESSION, maps the tables and registers the process. It may be called before any
// constructor, from any thread, and from handlers: callers come with signals blocked, so it never
// runs inside itself on one thread, and other threads wait for it. Without the variable, or with
// one that does not check out, the session is absent and stays absent.
//
// No descriptor is kept (programs close and reuse those they do not know). Rings are mapped in
// windows of kWindowRings; the first comes with the tables, so most programs never open the memfd
// again. Windows are small because of mlockall(), which populates whatever is mapped.
#pragma once

#include "record/protocol.h"
#include "record/runtime/system.h"

namespace vestige::runtime {

inline constexpr uint32_t kNoRing = UINT32_MAX;
inline constexpr uint32_t kWindowRings = 64;

enum class SessionPhase : uint32_t { unknown = 0, attaching = 1, absent = 2, attached = 3 };

struct Session {
  std::atomic<SessionPhase> phase;
  // The collector died or stopped the session. Every writer that sees it goes on in its sink.
  std::atomic<bool> over;
  protocol::SessionHeader* header;
  protocol::ProcessEntry* processes;
  protocol::ModuleEntry* modules;
  protocol::RingEntry* rings;
  std::atomic<uint8_t*> windows[protocol::kMaxRings / kWindowRings];
  uint32_t process;  // index of this process
  uint32_t rank;     // ProcessEntry::rank
  uint64_t device;
  uint64_t inode;
  uint64_t bytes;  // the memfd's size
  char path[64];
};

extern Session session;

// Precondition: signals are blocked. Returns whether there is a session to write to.
bool attach_session();

// Never attaches: async-signal-safe anywhere.
inline bool recording() {
  return session.phase.load(std::memory_order_acquire) == SessionPhase::attached &&
         !session.over.load(std::memory_order_relaxed);
}

// Takes the next process entry for this process. False when the table is full: the session is over
// for this process.
bool register_process(uint32_t forked_from, uint64_t description, uint32_t description_size);

// The ring's memory, null when it cannot be mapped.
uint32_t* ring_memory(uint32_t index);

// Looks for the collector; slow (a few system calls).
bool collector_alive();

// Bumps the doorbell, and wakes the collector when it sleeps.
void ring_doorbell();

// A stretch of the upload area, mapped while it is filled.
class Upload {
 public:
  explicit Upload(uint64_t size);
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  uint8_t* bytes() const { return bytes_; }  // null when there is no room or no access
  uint64_t offset() const { return offset_; }

 private:
  uint64_t offset_ = 0;
  uint8_t* bytes_ = nullptr;
  uint8_t* mapping_ = nullptr;
  uint64_t mapping_size_ = 0;
};

}  // namespace vestige::runtime
