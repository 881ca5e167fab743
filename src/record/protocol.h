// What the instrumented program, its runtime and the collector share: the layout of the session's
// memory, of a ring, and of the words in it. The three are built and shipped together and never
// talk across versions: kProtocolVersion is checked at attach and a mismatch runs unrecorded.
//
// The session is one memfd that the collector creates. The target finds it through
// VESTIGE_SESSION=/proc/<collector>/fd/<n>:<nonce in hex>; it needs no inherited descriptor,
// nothing to clean up, and it is gone when the last process of the session is.
//
//     SessionHeader | ProcessEntry[kMaxProcesses] | ModuleEntry[kMaxModules] | RingEntry[kMaxRings]
//     | rings: kMaxRings × kRingBytes, from kRingsOffset | uploads, from kUploadsOffset
//
// A ring is kPieces pieces of kPieceBytes. The writer fills piece (filled % kPieces); when it is
// full, it adds one to `filled` and goes on in the next, waiting while filled − drained == kPieces
// − 1. The collector reads pieces [drained, filled), zeroes each, then adds one to `drained`. So
// the writer always stands in a zeroed piece, and whoever scans it finds the end of what was
// written at the first zero word, without the writer's pointer: that is how nothing is lost when a
// target dies between two instructions.
//
// Words. No record begins with a zero word; a payload may hold zeros.
//     0                          end of what was written so far in this piece
//     1 … 0xffff                 an event: kind in bits 0–7, number of payload words in bits 8–15;
//                                the payload follows. The header word is stored last.
//     kFirstPath … kLastPath     a path that was completed: its flat id
//     ≥ kUnregistered            a path of a module whose functions have no ids (yet): counted,
//                                not decoded
//
// With Depth::full a thread has a second ring, of kind `values`, for values that could not be
// foreseen (program/derive.h). Its records are two 64-bit words:
//     bits 0–31 the number of paths completed before (modulo 2^32), bits 32–62 the index of the
//     statement or argument, bit 63 set; then the value. The value is stored first.
// Records with the indices kOrder… say that an access comes behind one of another thread
// (runtime/order.h). With Depth::addresses only what addresses follow from is told
// (program/untold.h). With Depth::checked, records whose index has kChecked set give the value of
// every statement, told or not, for those who want to compare.
#pragma once

#include <atomic>
#include <cstdint>

#include "program/told_value.h"
#include "vestige/sync_kind.h"

namespace vestige::protocol {

inline constexpr uint64_t kMagic = 0x4e4f495353455356;  // "VSESSION"
inline constexpr uint32_t kProtocolVersion = 10;
inline constexpr const char* kSessionVariable = "VESTIGE_SESSION";

inline constexpr uint32_t kFirstPath = 0x10000;
inline constexpr uint32_t kLastPath = 0xefffffff;
inline constexpr uint32_t kUnregistered = 0xf0000000;

inline constexpr uint64_t kPieceBytes = 64 * 1024;
inline constexpr uint64_t kPieces = 8;
inline constexpr uint64_t kRingBytes = kPieceBytes * kPieces;
// Who sleeps is woken once for several pieces: a writer that waits when the collector has left it
// this many, the collector when it finds more.
inline constexpr uint64_t kFewPieces = (kPieces - 1) / 2;
// The inline code checks after each append; the runtime leaves this much behind the limit, for
// events and for the one word an append may write past a limit that was moved meanwhile.
inline constexpr uint64_t kPieceSlackBytes = 4096;

// A thread's shadow (program/derive.h).
inline constexpr uint64_t kShadowBytes = 1 << 24;
inline constexpr uint64_t kShadowPiece = 64;
inline constexpr uint64_t kShadowSlack = kShadowPiece;
// What __vestige_tell_own tells: an index, and from this bit on of how many bytes the value is.
inline constexpr unsigned kOwnBytes = 32;
// What __vestige_measure gives (program/library.h says of what).
enum class Measure : uint64_t { text, appended, common, numeral, distance, word, half, allocated };
inline constexpr uint64_t kUnmeasured = UINT64_MAX;
// In the place of an index: kPathAbandoned, kRoundingSet (the value is what VestigeThread::rounding
// became) of program/told_value.h, and these.
//
// An access of this thread (whose time is the record's) comes behind another thread's: the serial
// of that one's ring; how many paths it had completed with the access's; both statements, that
// one's in the upper half; and last, how-manyth accesses of their paths they are, from 1: that
// one's in bits 0–15, this one's in bits 16–31, and kAccessComplete. Atomic operations, which end
// their paths, have kLastAccess.
inline constexpr uint64_t kOrderRing = 0x7ffffffb;
inline constexpr uint64_t kOrderTime = 0x7ffffffa;
inline constexpr uint64_t kOrderStatements = 0x7ffffff9;
inline constexpr uint64_t kOrderEdge = 0x7ffffff8;
// An access that had to go on without its place in the order.
inline constexpr uint64_t kOrderLost = 0x7ffffff7;
// The path in progress was left: the value says how many accesses of it there were, with those of
// others that were left before it since the last one was completed.
inline constexpr uint64_t kOrderLeft = 0x7ffffff6;
// The path of the access is complete already: it ends with an atomic operation.
inline constexpr uint64_t kAccessComplete = uint64_t{1} << 32;
// And of plain accesses, those behind so many others.
inline constexpr uint64_t kLastAccess = 0xffff;

inline constexpr uint32_t kMaxProcesses = 65536;
inline constexpr uint32_t kMaxModules = 16384;
inline constexpr uint32_t kMaxRings = 16384;

enum class EventKind : uint8_t {
  // payload: entry time of the activation that goes on (2 words, low first). Written at landing
  // pads and behind calls that return twice: the frames above that activation are gone.
  reannounce = 1,
  // payload: module index, and for module_load where this process has it (2 words; the entry's
  // load_address is the uploader's), and the entry with its table of addresses: the module's own,
  // one of those that say `table_of`, or UINT32_MAX when there is none. The module's code may run
  // from here on / no longer.
  module_load = 2,
  module_unload = 3,
  // payload: signal, pc (2 words), fault address (2), then 17 general registers (2 words each: rax
  // rbx rcx rdx rsi rdi rbp rsp r8 … r15 rflags). The thread died of it, or is about to.
  fatal_signal = 4,
  // payload: signal, then the interrupted ring's index, its serial (2), and the time (paths
  // completed) reached there (2). First record of a handler's run in a handler ring.
  handler_begin = 5,
  handler_end = 6,
  // payload: none. The path in progress was left in its middle and will never complete.
  abandoned = 7,
  // payload: ring index of the new thread's ring is not known yet, so: its pthread_t (2 words)
  thread_create = 8,
  thread_join = 9,
  // payload: child's pid. The child's first ring names this one and the time of `forking`.
  fork = 10,
  // payload: none. swapcontext or setcontext: what runs next runs on another stack.
  stack_switch = 13,
  // payload: exit code or 0. The thread's last record.
  thread_end = 11,
  // payload: none. Before a fork: the child's first ring goes on with the stack of this moment.
  forking = 12,
  // payload: SyncKind in bits 0–7 and the result above, object (2 words), stamp (2), and where the
  // kind has one, the other object or a number (2).
  sync = 14,
  // payload: a path's flat id, run_check, sometimes a word of padding, then two addresses (2 words
  // each): the path was completed once for each 4 bytes between them. The second one moves on until
  // the next record begins; its place is aligned to 8 bytes. Written by loops that go round in one
  // way.
  run = 15,
};

// So that nothing else is taken for a run, which may be long.
constexpr uint32_t run_check(uint32_t path, uint64_t from) {
  return (path ^ static_cast<uint32_t>((from * 0x9e3779b97f4a7c15) >> 32)) | 1;
}

// From the payload of a run.
struct RunOf {
  uint32_t path = 0;
  uint64_t count = 0;
};
inline constexpr uint64_t kMostRounds = uint64_t{1} << 48;  // more cannot be true
inline RunOf run_of(const uint32_t* payload, uint32_t words) {
  if (words < 6) return {};
  const auto wide = [&](uint32_t at) { return payload[at] | uint64_t{payload[at + 1]} << 32; };
  const uint64_t from = wide(words - 4), count = (wide(words - 2) - from) / 4;
  const bool sound = payload[1] == run_check(payload[0], from) && count <= kMostRounds;
  return sound ? RunOf{payload[0], count} : RunOf{};
}

using vestige::SyncKind;  // what is told has the numbers of the file

constexpr uint32_t event_word(EventKind kind, uint32_t payload_words) {
  return static_cast<uint32_t>(kind) | (payload_words << 8);
}

// How much is recorded.
enum class Depth : uint32_t { control = 0, addresses = 1, full = 2, checked = 3 };

// by_locks: as on machines that have no membarrier, or no AVX.
enum class Order : uint32_t { none = 0, wanted = 1, by_locks = 2 };

enum class SessionState : uint32_t { open = 1, stopped = 2 };

// A word that processes sleep on; plain futex semantics, shared.
using Futex = std::atomic<uint32_t>;

struct alignas(4096) SessionHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t collector_pid;
  uint64_t nonce;
  std::atomic<uint32_t> state;  // SessionState; stopped: writers detach at their next check
  // Bumped (and woken when collector_asleep) on hand-overs beyond kFewPieces, and on every close.
  Futex doorbell;
  std::atomic<uint32_t> collector_asleep;
  std::atomic<uint32_t> process_count;  // entries below are valid up to here once `ready`
  std::atomic<uint32_t> module_count;
  std::atomic<uint32_t> module_writer;  // the process that may add a module now; 0: nobody
  std::atomic<uint32_t> ring_count;     // high-water mark of ring entries ever used
  std::atomic<uint64_t> next_path;      // next free flat id
  std::atomic<uint64_t> upload_end;     // next free upload byte, from kUploadsOffset
  std::atomic<uint64_t> next_ring_serial;
  Depth depth;
  std::atomic<Order> order;  // of conflicting accesses (runtime/order.h)
  // Functions of modules that came: that can tell it, that cannot.
  std::atomic<uint32_t> orderly, disorderly;
  uint32_t exit_wait;  // milliseconds that the program's end waits for its other threads
  // The next synchronization operation's: one order for all processes of the session. Alone in its
  // cache line.
  alignas(64) std::atomic<uint64_t> next_stamp;
  alignas(64) char behind_next_stamp[64];
};

// One program image: a process between two execs.
struct alignas(128) ProcessEntry {
  std::atomic<uint32_t> ready;
  uint32_t pid;
  uint32_t parent_pid;
  uint32_t forked_from;  // process index + 1 when it came by fork; 0 when it came by exec
  uint64_t description;  // upload offset of "exe path\0arg0\0arg1\0…"
  uint32_t description_size;
  uint32_t rank;                       // in a parallel run: 1 + its rank
  std::atomic<uint32_t> threads_made;  // by the interposed pthread_create and thrd_create
};

// One rank of a parallel run, by rank: what the process that launched its program says.
enum class RankState : uint32_t { none = 0, launched = 1, ended = 2 };
struct alignas(64) RankEntry {
  std::atomic<uint32_t> state;
  uint32_t launcher;  // pid
  uint32_t program;   // pid, once it was started
  int32_t status;     // once ended: as wait gives it
};
inline constexpr uint32_t kMaxRanks = 4096;

// One program table: an executable or library with recorded code. Never removed or reused. Or only
// a table of addresses, for processes that have such a module elsewhere.
struct alignas(128) ModuleEntry {
  std::atomic<uint32_t> ready;
  uint32_t process;  // who uploaded it
  uint64_t key;      // device, inode, mtime, size of the file: same key, same table
  uint64_t load_address;
  uint32_t first_path;  // flat ids [first_path, first_path + path_count)
  uint32_t path_count;
  uint64_t table;  // upload offset, see UploadedFunction
  uint64_t table_size;
  uint64_t name;  // upload offset of the file's path
  uint32_t name_size;
  // Module index + 1: `table` is, for each function, the number of its addresses and these, in 8
  // bytes each; there are no paths and no name.
  uint32_t table_of;
  uint64_t addresses_hash;
};

// A module's table as uploaded: for each function this header, then `size` bytes of its record,
// padded to 8, then its addresses: its own, and those of its symbols.
struct UploadedFunction {
  uint32_t size;
  uint32_t path_count;
  uint32_t first_path;     // flat id of path 0
  uint32_t address_count;  // the addresses follow the record, 8 bytes each
};

enum class RingState : uint32_t { free = 0, active = 1, closed = 2 };
// values: parent_ring is its thread's.
enum class RingKind : uint32_t { thread = 0, handler = 1, values = 2 };

// One ring's life. A writer claims a free entry, fills in who it is, then sets `active`; it sets
// `closed` when the thread ends; the collector drains it, zeroes what was used, sets `free`, and
// clears `claimed` last. The claimer starts filled and drained from 0. Time starts from 0 in a
// ring, but where parent_ring is another process's (fork) it goes on from parent_time: the child's
// activations are the parent's. A ring of values says in parent_time where its thread's time
// starts.
struct alignas(128) RingEntry {
  std::atomic<uint32_t> state;
  std::atomic<uint32_t> claimed;  // 0 → 1 by compare-exchange, before the fields below
  RingKind kind;
  uint32_t process;  // process index
  uint32_t tid;
  uint32_t parent_ring;    // creator thread's or forked-from thread's ring, or UINT32_MAX
  uint32_t made;           // the how-manyth thread of its process, from 1; 0: that is not known
  uint64_t serial;         // unique in the session
  uint64_t parent_serial;  // so that a reused entry is not mistaken for the parent
  uint64_t parent_time;    // paths the parent had completed
  uint64_t pthread_id;
  alignas(64) std::atomic<uint64_t> filled;
  alignas(64) std::atomic<uint64_t> drained;
  Futex drained_signal;  // bumped and woken when kFewPieces are left while `writer_waits`
  std::atomic<uint32_t> writer_waits;
};

inline constexpr uint64_t kProcessesOffset = sizeof(SessionHeader);
inline constexpr uint64_t kModulesOffset = kProcessesOffset + sizeof(ProcessEntry) * kMaxProcesses;
inline constexpr uint64_t kRingEntriesOffset = kModulesOffset + sizeof(ModuleEntry) * kMaxModules;
inline constexpr uint64_t kRankEntriesOffset = kRingEntriesOffset + sizeof(RingEntry) * kMaxRings;
inline constexpr uint64_t kTablesEnd = kRankEntriesOffset + sizeof(RankEntry) * kMaxRanks;
inline constexpr uint64_t kRingsOffset = (kTablesEnd + 0xfffff) & ~uint64_t{0xfffff};
inline constexpr uint64_t kUploadsOffset = kRingsOffset + kRingBytes * kMaxRings;
inline constexpr uint64_t kSessionBytes = kUploadsOffset + (uint64_t{1} << 40);

}  // namespace vestige::protocol

// Which of its bodies a recorded function runs. kVestigeOrder: that of kVestigeFull, which tells the
// order of accesses as well.
enum VestigeMode : uint64_t {
  kVestigeUndecided = 0,
  kVestigeControl = 1,
  kVestigeFull = 2,
  kVestigeAddresses = 3,
  kVestigeOrder = 4,
};
inline constexpr bool tells_values(uint64_t mode) { return mode > kVestigeControl; }

// What inline code touches. The pass knows the members by their order.
struct VestigeThread {
  uint32_t* next;   // where the next word goes; in a register inside recorded functions
  uint32_t* limit;  // next >= limit after an append: call __vestige_full
  uint64_t origin;  // (origin + (uintptr_t)next) / 4 = paths completed so far, this thread
  uint64_t mode;    // VestigeMode
  // Where values are told only:
  uint8_t* shadow;
  uint64_t callee;        // the address of the function called last, 0 once it has seen it
  uint64_t ack;           // the address of the recorded function that returned last
  uint64_t* values_next;  // where the next record of the values' ring goes
  uint64_t* values_limit;
  uint64_t rounding;  // the bits of MXCSR in kRoundingBits, as they were seen last
};

// One per recorded function, in section vestige_fn of the function's own COMDAT group. The
// runtime finds a module's slots between __start_vestige_fn and __stop_vestige_fn.
struct VestigeFunctionSlot {
  uint32_t base;  // flat id of path 0; kUnregistered until the runtime has assigned one
  uint32_t path_count;
  uint32_t record_size;
  int32_t record;  // the record's address minus this field's
  uint32_t address_count;
  int32_t addresses;   // the table's address minus this field's
  uint32_t has_order;  // 1: it can tell the order of its accesses
  uint32_t reserved;
};
