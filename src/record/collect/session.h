// The session's shared memory, as the collector owns it: created sparse, mapped whole, gone with
// the last process that has it. Everything in it is written by the target, so offsets and sizes
// read from it are checked here before they are used.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "record/protocol.h"
#include "vestige/result.h"

namespace vestige {

class Session {
 public:
  static Result<Session> create(protocol::Depth depth = protocol::Depth::control);
  Session(Session&& other) noexcept { swap(other); }
  Session& operator=(Session&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Session();

  // The value of VESTIGE_SESSION for the target; for a rank's there is with_rank()
  // (rank_meeting.h).
  std::string variable() const;

  protocol::SessionHeader& header() const { return at<protocol::SessionHeader>(0); }
  protocol::ProcessEntry& process(uint32_t i) const {
    return at<protocol::ProcessEntry>(protocol::kProcessesOffset +
                                      i * sizeof(protocol::ProcessEntry));
  }
  protocol::ModuleEntry& module(uint32_t i) const {
    return at<protocol::ModuleEntry>(protocol::kModulesOffset + i * sizeof(protocol::ModuleEntry));
  }
  protocol::RingEntry& ring(uint32_t i) const {
    return at<protocol::RingEntry>(protocol::kRingEntriesOffset + i * sizeof(protocol::RingEntry));
  }
  protocol::RankEntry& rank(uint32_t i) const {
    return at<protocol::RankEntry>(protocol::kRankEntriesOffset + i * sizeof(protocol::RankEntry));
  }
  uint32_t* piece(uint32_t ring, uint64_t n) const {
    return &at<uint32_t>(protocol::kRingsOffset + ring * protocol::kRingBytes +
                         n % protocol::kPieces * protocol::kPieceBytes);
  }

  // Uploaded bytes, or nothing when the range lies outside the uploads.
  std::optional<ByteView> upload(uint64_t offset, uint64_t size) const;
  // Gives the memory of whole pages in the range back; they read as zeros afterwards.
  void release_upload(uint64_t offset, uint64_t size) const;

  // Wakes the collector's thread.
  void ring_doorbell() const;
  // Writers detach at their next check; those that wait are woken.
  void stop() const;

 private:
  Session() = default;
  void swap(Session& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(base_, other.base_);
  }
  template <class T>
  T& at(uint64_t offset) const {
    return *reinterpret_cast<T*>(base_ + offset);
  }
  int fd_ = -1;
  uint8_t* base_ = nullptr;
};

}  // namespace vestige
