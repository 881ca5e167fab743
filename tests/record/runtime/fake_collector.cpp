#include "record/runtime/fake_collector.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace vestige::test {

using namespace protocol;

std::vector<Record> RingLog::records() const {
  std::vector<Record> result;
  for (size_t i = 0; i < words.size();) {
    uint32_t word = words[i++];
    if (word >= kFirstPath) {
      result.push_back({false, word, {}});
      continue;
    }
    size_t size = word >> 8;
    if (i + size > words.size()) throw std::runtime_error("an event runs over the end");
    // libgcc's unwinder locks for itself, more or less often: that is for tests/sync.
    if ((word & 0xff) != static_cast<uint32_t>(EventKind::sync))
      result.push_back({true, word & 0xff, {words.begin() + i, words.begin() + i + size}});
    i += size;
  }
  return result;
}

std::vector<uint32_t> RingLog::paths() const {
  std::vector<uint32_t> result;
  for (const Record& record : records()) {
    if (!record.is_event) result.push_back(record.word);
  }
  return result;
}

std::vector<Record> RingLog::events(EventKind kind) const {
  std::vector<Record> result;
  for (const Record& record : records()) {
    if (record.is(kind)) result.push_back(record);
  }
  return result;
}

FakeCollector::FakeCollector() {
  fd_ = memfd_create("vestige-test", MFD_CLOEXEC);
  if (fd_ < 0 || ftruncate(fd_, kSessionBytes) != 0) throw std::runtime_error("memfd");
  void* base =
      mmap(nullptr, kSessionBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (base == MAP_FAILED) throw std::runtime_error("mmap");
  base_ = static_cast<uint8_t*>(base);
  header().magic = kMagic;
  header().version = kProtocolVersion;
  header().collector_pid = static_cast<uint32_t>(getpid());
  header().nonce = 0x1234abcd5678;
  header().next_path = kFirstPath;
  header().next_ring_serial = 1;
  header().state = static_cast<uint32_t>(SessionState::open);
}

FakeCollector::~FakeCollector() {
  stop_ = true;
  if (drainer_) drainer_->join();
  munmap(base_, kSessionBytes);
  ::close(fd_);
}

std::string FakeCollector::variable() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_) + ":1234abcd5678";
}

ProcessEntry& FakeCollector::process(uint32_t i) {
  return reinterpret_cast<ProcessEntry*>(base_ + kProcessesOffset)[i];
}
ModuleEntry& FakeCollector::module(uint32_t i) {
  return reinterpret_cast<ModuleEntry*>(base_ + kModulesOffset)[i];
}

void FakeCollector::start_draining() {
  drainer_.emplace([this] {
    while (!stop_) {
      uint32_t seen = header().doorbell.load();
      drain_once();
      header().collector_asleep = 1;
      timespec duration{0, 10'000'000};
      syscall(SYS_futex, &header().doorbell, FUTEX_WAIT, seen, &duration);
      header().collector_asleep = 0;
    }
  });
}

std::vector<RingLog> FakeCollector::finish() {
  stop_ = true;
  if (drainer_) drainer_->join();
  drainer_.reset();
  drain_once();
  for (uint32_t i = 0; i < header().ring_count; ++i) drain_ring(i, true);
  std::vector<RingLog> result;
  for (auto& [serial, log] : logs_) result.push_back(log);
  return result;
}

void FakeCollector::drain_once() {
  for (uint32_t i = 0; i < header().ring_count; ++i) drain_ring(i, false);
}

void FakeCollector::drain_ring(uint32_t index, bool final) {
  RingEntry& entry = reinterpret_cast<RingEntry*>(base_ + kRingEntriesOffset)[index];
  auto state = static_cast<RingState>(entry.state.load());
  if (state == RingState::free) return;
  RingLog& log = logs_[entry.serial];
  log.serial = entry.serial;
  log.kind = entry.kind;
  log.index = index;
  log.process = entry.process;
  log.parent_ring = entry.parent_ring;
  log.parent_serial = entry.parent_serial;
  log.parent_time = entry.parent_time;
  log.pthread_id = entry.pthread_id;
  uint32_t* memory = reinterpret_cast<uint32_t*>(base_ + kRingsOffset + index * kRingBytes);
  auto take = [&](uint64_t number) {
    uint32_t* piece = memory + number % kPieces * (kPieceBytes / 4);
    // No record begins with a zero word, but a payload may hold one.
    for (size_t i = 0; i < kPieceBytes / 4 && piece[i] != 0;) {
      size_t size = piece[i] < kFirstPath ? 1 + (piece[i] >> 8) : 1;
      log.words.insert(log.words.end(), piece + i, piece + i + size);
      i += size;
    }
    memset(piece, 0, kPieceBytes);
  };
  while (entry.drained < entry.filled) {
    take(entry.drained);
    ++entry.drained;
    if (entry.writer_waits != 0) {
      ++entry.drained_signal;
      syscall(SYS_futex, &entry.drained_signal, FUTEX_WAKE, INT32_MAX);
    }
  }
  if (state == RingState::closed || final) {
    take(entry.drained);
    log.closed = state == RingState::closed;
    entry.state = static_cast<uint32_t>(RingState::free);
    entry.claimed = 0;
  }
}

Outcome run(const std::string& program, const std::vector<std::string>& arguments,
            const std::string& session) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    if (session.empty()) {
      unsetenv(kSessionVariable);
    } else {
      setenv(kSessionVariable, session.c_str(), 1);
    }
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  ::close(ends[1]);
  Outcome outcome{};
  char block[4096];
  for (ssize_t n; (n = read(ends[0], block, sizeof block)) > 0;) outcome.output.append(block, n);
  ::close(ends[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

}  // namespace vestige::test
