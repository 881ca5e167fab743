// A program that writes to a session by hand, as the runtime would: a second reading of protocol.h.
//
//     fake_target SCENARIO [NUMBER]
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "fake_program.h"
#include "program/record.h"
#include "record/protocol.h"

using namespace vestige;
using namespace vestige::protocol;
using namespace vestige::test;

namespace {

uint8_t* base = nullptr;
uint32_t process_index = 0;

template <class T>
T& at(uint64_t offset) {
  return *reinterpret_cast<T*>(base + offset);
}
SessionHeader& header() { return at<SessionHeader>(0); }

bool attach() {
  const char* variable = std::getenv(kSessionVariable);
  if (!variable) return false;
  const std::string value = variable;
  const size_t colon = value.rfind(':');
  const int fd = ::open(value.substr(0, colon).c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  void* mapping =
      ::mmap(nullptr, kSessionBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  ::close(fd);
  if (mapping == MAP_FAILED) return false;
  base = static_cast<uint8_t*>(mapping);
  return header().magic == kMagic && header().version == kProtocolVersion &&
         header().nonce == std::stoull(value.substr(colon + 1), nullptr, 16);
}

void ring_doorbell() {
  header().doorbell.fetch_add(1);
  if (header().collector_asleep.load())
    ::syscall(SYS_futex, &header().doorbell, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

uint64_t upload(const void* bytes, uint64_t size) {
  const uint64_t offset = header().upload_end.fetch_add((size + 7) & ~uint64_t{7});
  std::memcpy(base + kUploadsOffset + offset, bytes, size);
  return offset;
}

void register_process(uint32_t forked_from) {
  process_index = header().process_count.fetch_add(1);
  auto& entry = at<ProcessEntry>(kProcessesOffset + process_index * sizeof(ProcessEntry));
  entry.pid = static_cast<uint32_t>(::getpid());
  entry.parent_pid = static_cast<uint32_t>(::getppid());
  entry.forked_from = forked_from;
  constexpr char kText[] = "/bin/fake\0fake\0argument";
  entry.description = upload(kText, sizeof kText);
  entry.description_size = sizeof kText;
  entry.ready.store(1);
  ring_doorbell();
}

uint32_t register_module() {
  constexpr uint32_t kPaths = kFakeFunctions * kFakePaths;
  const auto first = static_cast<uint32_t>(header().next_path.fetch_add(kPaths));
  ByteWriter table;
  for (uint32_t n = 0; n < kFakeFunctions; ++n) {
    const Bytes record = encode_function(fake_function(n));
    table.u32(static_cast<uint32_t>(record.size()));
    table.u32(kFakePaths);
    table.u32(first + n * kFakePaths);
    table.u32(0);
    table.bytes(record);
    table.align(8);
  }
  const uint32_t index = header().module_count.fetch_add(1);
  auto& entry = at<ModuleEntry>(kModulesOffset + index * sizeof(ModuleEntry));
  entry.process = process_index;
  entry.load_address = 0x400000;
  entry.first_path = first;
  entry.path_count = kPaths;
  entry.table = upload(table.buffer().data(), table.size());
  entry.table_size = table.size();
  entry.name = upload("/bin/fake", 9);
  entry.name_size = 9;
  entry.ready.store(1);
  ring_doorbell();
  return first;
}

class Ring {
 public:
  explicit Ring(const Ring* parent, uint64_t parent_time) {
    for (uint32_t i = 0;; i = (i + 1) % kMaxRings) {
      entry_ = &at<RingEntry>(kRingEntriesOffset + i * sizeof(RingEntry));
      uint32_t unclaimed = 0;
      if (!entry_->claimed.compare_exchange_strong(unclaimed, 1)) continue;
      index_ = i;
      break;
    }
    uint32_t count = header().ring_count.load();
    while (count <= index_ && !header().ring_count.compare_exchange_weak(count, index_ + 1)) {
    }
    entry_->kind = RingKind::thread;
    entry_->process = process_index;
    entry_->tid = static_cast<uint32_t>(::syscall(SYS_gettid));
    entry_->parent_ring = parent ? parent->index_ : UINT32_MAX;
    entry_->parent_serial = parent ? parent->entry_->serial : 0;
    entry_->parent_time = parent_time;
    entry_->serial = header().next_ring_serial.fetch_add(1);
    entry_->filled = 0;
    entry_->drained = 0;
    next_ = piece();
    for (uint64_t i = 0; i < kRingBytes / 4; ++i)
      if (at<uint32_t>(kRingsOffset + index_ * kRingBytes + i * 4) != 0) {
        std::fprintf(stderr, "a free ring is not zero\n");
        std::abort();
      }
    entry_->state.store(static_cast<uint32_t>(RingState::active));
    ring_doorbell();
  }

  void word(uint32_t word) {
    *reinterpret_cast<volatile uint32_t*>(next_++) = word;
    if (next_ >= piece() + (kPieceBytes - kPieceSlackBytes) / 4) hand_over();
  }
  void event(EventKind kind, std::vector<uint32_t> payload) {
    for (size_t i = 0; i < payload.size(); ++i) next_[1 + i] = payload[i];
    std::atomic_ref<uint32_t>(*next_).store(
        event_word(kind, static_cast<uint32_t>(payload.size())));
    next_ += 1 + payload.size();
  }
  void close() {
    entry_->state.store(static_cast<uint32_t>(RingState::closed));
    ring_doorbell();
  }
  bool detached() const { return detached_; }

 private:
  uint32_t* piece() const {
    return &at<uint32_t>(kRingsOffset + index_ * kRingBytes + filled_ % kPieces * kPieceBytes);
  }
  void hand_over() {
    while (filled_ - entry_->drained.load() >= kPieces - 1) {
      if (header().state.load() != static_cast<uint32_t>(SessionState::open)) {
        detached_ = true;
        next_ = piece();
        return;
      }
      const uint32_t seen = entry_->drained_signal.load();
      entry_->writer_waits.store(1);
      if (filled_ - entry_->drained.load() < kPieces - 1) break;
      const timespec timeout{0, 100'000'000};
      ::syscall(SYS_futex, &entry_->drained_signal, FUTEX_WAIT, seen, &timeout, nullptr, 0);
    }
    entry_->writer_waits.store(0);
    entry_->filled.store(++filled_);
    next_ = piece();
    ring_doorbell();
  }
  RingEntry* entry_ = nullptr;
  uint32_t index_ = 0;
  uint64_t filled_ = 0;
  uint32_t* next_ = nullptr;
  bool detached_ = false;
};

void run(Ring& ring, uint32_t first, uint64_t seed, uint64_t steps, bool end = true) {
  FakeRun fake(first, seed);
  for (uint64_t i = 0; i < steps && !ring.detached(); ++i) ring.word(fake.step());
  if (!end) return;
  ring.event(EventKind::thread_end, {0});
  ring.close();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scenario = argc > 1 ? argv[1] : "";
  const uint64_t number = argc > 2 ? std::stoull(argv[2]) : 1000;
  if (scenario == "plain") return 9;  // nothing in it is recorded
  if (!attach()) return 99;
  register_process(0);
  const uint32_t first = register_module();
  Ring main_ring(nullptr, 0);

  if (scenario == "run") {
    run(main_ring, first, 1, number);
    return 5;
  }
  if (scenario == "killed") {
    run(main_ring, first, 1, number, false);
    ::raise(SIGKILL);
  }
  if (scenario == "forever") {
    FakeRun fake(first, 1);
    for (uint64_t i = 0;; ++i) {
      main_ring.word(fake.step());
      if (i % 10000 == 0) ::usleep(1000);
      if (main_ring.detached()) return 6;
    }
  }
  if (scenario == "threads") {
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < number; ++t)
      threads.emplace_back([&, t] {
        Ring ring(&main_ring, 0);
        run(ring, first, t, 1000 * t);
      });
    for (std::thread& thread : threads) thread.join();
    run(main_ring, first, 1, 10);
    return 0;
  }
  if (scenario == "fork") {
    run(main_ring, first, 1, number, false);
    const uint32_t parent = process_index;
    const pid_t child = ::fork();
    if (child == 0) {
      register_process(parent + 1);
      Ring ring(&main_ring, number);
      run(ring, first, 2, number, false);
      ::_exit(7);
    }
    main_ring.event(EventKind::fork, {static_cast<uint32_t>(child)});
    ::waitpid(child, nullptr, 0);
    return 3;
  }
  if (scenario == "orphan") {
    run(main_ring, first, 1, number, false);
    if (::fork() != 0) ::_exit(1);  // the child goes on without its parent
    register_process(1);
    ::usleep(300'000);
    Ring ring(&main_ring, number);
    run(ring, first, 2, number);
    ::_exit(8);
  }
  if (scenario == "exec") {
    run(main_ring, first, 1, number, false);
    ::execl("/proc/self/exe", argv[0], "run", "777", nullptr);
  }
  return 98;
}
