// The collector's side of protocol.h, as plainly as possible: a session that keeps every word of
// every ring. The twin of src/record/collect in the runtime's tests.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "record/protocol.h"

namespace vestige::test {

// One record of a ring.
struct Record {
  bool is_event;
  uint32_t word;  // the path, or the event's kind
  std::vector<uint32_t> payload;

  bool is(protocol::EventKind kind) const {
    return is_event && word == static_cast<uint32_t>(kind);
  }
  uint64_t wide(size_t at) const { return payload[at] | uint64_t{payload[at + 1]} << 32; }
};

// One life of a ring.
struct RingLog {
  uint64_t serial;
  protocol::RingKind kind;
  uint32_t index, process, parent_ring;
  uint64_t parent_serial, parent_time, pthread_id;
  bool closed = false;
  std::vector<uint32_t> words;

  std::vector<Record> records() const;
  std::vector<uint32_t> paths() const;
  std::vector<Record> events(protocol::EventKind kind) const;
};

struct Outcome {
  int status;  // as waitpid tells it
  std::string output;
};

class FakeCollector {
 public:
  FakeCollector();
  ~FakeCollector();

  // The value of VESTIGE_SESSION.
  std::string variable() const;
  protocol::SessionHeader& header() { return *reinterpret_cast<protocol::SessionHeader*>(base_); }
  protocol::ProcessEntry& process(uint32_t i);
  protocol::ModuleEntry& module(uint32_t i);
  const uint8_t* upload(uint64_t offset) const { return base_ + protocol::kUploadsOffset + offset; }

  void start_draining();
  // Stops the drain thread, takes what is left, and returns every ring by serial.
  std::vector<RingLog> finish();

 private:
  void drain_once();
  void drain_ring(uint32_t index, bool final);

  int fd_;
  uint8_t* base_;
  std::map<uint64_t, RingLog> logs_;
  std::atomic<bool> stop_ = false;
  std::optional<std::thread> drainer_;
};

// Runs a program; `session` empty: without VESTIGE_SESSION.
Outcome run(const std::string& program, const std::vector<std::string>& arguments,
            const std::string& session);

}  // namespace vestige::test
