// What one thread's words can name outside the thread: the words of a ring know modules, rings and
// addresses by the session's numbers, the trace by its own.
#pragma once

#include <cstdint>
#include <vector>

#include "store/chunks.h"

namespace vestige {

class SessionDirectory {
 public:
  virtual ~SessionDirectory() = default;

  // The kind of a path id that the table does not have yet (path_kinds.h); 0 when there is none.
  virtual uint8_t resolve(uint32_t path) = 0;
  // A number that is the same for paths of one function.
  virtual uint32_t function_of(uint32_t path) const = 0;
  // The trace's index of a session's module; kNone when it never arrived.
  virtual uint32_t module(uint32_t session_index) = 0;
  // The number of a table of addresses (AddressChunk), by the session's entry; kNone likewise.
  virtual uint32_t address_table(uint32_t session_index) = 0;
  // Where a process (the session's index) has a module from here on, or that it has it no longer.
  virtual void loaded(uint32_t process, uint32_t module, uint64_t address) = 0;
  virtual void unloaded(uint32_t process, uint32_t module) = 0;

  struct Moment {
    uint32_t thread;  // the trace's index; kNone when the ring is not known
    uint64_t time;    // in recorded paths
    bool recording;
  };
  // The thread that wrote ring `ring` under `serial`, when it had completed `target_time` paths.
  virtual Moment moment(uint32_t ring, uint64_t serial, uint64_t target_time) = 0;

  // The thread that writes the ring of this serial is about to fork, with this stack (the times in
  // it are the target's).
  virtual void forking(uint64_t serial, uint64_t target_time, std::vector<Frame> stack) = 0;

  // An operation of a thread of the trace took this stamp.
  virtual void stamped(uint32_t /*thread*/, uint64_t /*time*/, uint64_t /*stamp*/) {}

  struct Place {
    uint32_t function;  // its first path id; kNone when the address is in no recorded function
    uint32_t block;
    uint32_t line = 0, column = 0;  // of the address itself; 0 when not known
  };
  virtual Place place(uint32_t process, uint64_t pc) = 0;
};

}  // namespace vestige
