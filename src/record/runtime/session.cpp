#include "record/runtime/session.h"

#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace vestige::runtime {

using namespace protocol;

constinit Session session{};

namespace {

constexpr uint64_t kPage = 4096;

// The value is "<path>:<nonce in hex>+<rank in hex>". Copies the path into session.path.
bool parse_variable(const char* value, uint64_t* nonce) {
  size_t colon = 0;
  for (size_t i = 0; value[i] != '\0'; ++i) {
    if (value[i] == ':') colon = i;
  }
  if (colon == 0 || colon >= sizeof session.path) return false;
  copy_bytes(session.path, value, colon);
  session.path[colon] = '\0';
  *nonce = 0;
  uint64_t rank = 0;
  uint64_t* into = nonce;
  const char* digit = value + colon + 1;
  if (*digit == '\0') return false;
  for (; *digit != '\0'; ++digit) {
    char c = *digit;
    uint64_t number;
    if (c == '+' && into == nonce) {
      into = &rank;
      continue;
    }
    if (c >= '0' && c <= '9') {
      number = static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      number = static_cast<uint64_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      number = static_cast<uint64_t>(c - 'A') + 10;
    } else {
      return false;
    }
    *into = *into << 4 | number;
  }
  session.rank = static_cast<uint32_t>(rank);
  return true;
}

// Passes the environment by, a character at a time, and keeps our variable's value.
class VariableFinder {
 public:
  void feed(char c) {
    if (c == '\0') {
      if (in_value_ && !done_) done_ = true;
      at_ = 0;
      in_value_ = lost_ = false;
    } else if (in_value_) {
      if (!done_ && size_ + 1 < sizeof value_) value_[size_++] = c;
    } else if (kSessionVariable[at_] == '\0' && c == '=' && !lost_) {
      in_value_ = true;
    } else if (lost_ || kSessionVariable[at_++] != c) {
      lost_ = true;
    }
  }
  // Null when it is not there.
  const char* value() {
    value_[size_] = '\0';
    return done_ ? value_ : nullptr;
  }

 private:
  char value_[128];
  size_t size_ = 0;
  size_t at_ = 0;
  bool in_value_ = false;
  bool lost_ = false;  // this entry is another variable
  bool done_ = false;
};

// Not by getenv: a program may define its own. Before libc's own constructor there is no
// `environ` yet (a sanitizer's runtime calls sigaction that early).
void find_variable(VariableFinder* finder) {
  if (environ != nullptr) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      for (const char* c = *entry; *c != '\0'; ++c) finder->feed(*c);
      finder->feed('\0');
    }
    return;
  }
  int fd = open_file("/proc/self/environ", O_RDONLY);
  if (fd < 0) return;
  char block[1024];
  for (long n; (n = read_file(fd, block, sizeof block)) > 0;) {
    for (long i = 0; i < n; ++i) finder->feed(block[i]);
  }
  close_file(fd);
}

// Opens the session's memfd again; −1 when it is gone or is not the one this process attached to.
int reopen_session() {
  int fd = open_file(session.path, O_RDWR);
  if (fd < 0) return -1;
  struct stat info;
  if (stat_fd(fd, &info) && info.st_dev == session.device && info.st_ino == session.inode)
    return fd;
  close_file(fd);
  return -1;
}

bool map_tables() {
  uint64_t nonce;
  if (getauxval(AT_SECURE) != 0) return false;
  VariableFinder finder;
  find_variable(&finder);
  const char* value = finder.value();
  if (value == nullptr || !parse_variable(value, &nonce)) return false;
  int fd = open_file(session.path, O_RDWR);
  if (fd < 0) return false;
  struct stat info;
  bool sized = stat_fd(fd, &info) && static_cast<uint64_t>(info.st_size) >= kUploadsOffset;
  constexpr uint64_t kWithWindow = kRingsOffset + kWindowRings * kRingBytes;
  uint8_t* base = nullptr;
  uint64_t size = kWithWindow;
  if (sized) {
    base =
        static_cast<uint8_t*>(map_memory(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (base == nullptr) {  // an address-space limit: take the rings one window at a time
      size = kRingsOffset;
      base = static_cast<uint8_t*>(
          map_memory(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    }
  }
  close_file(fd);
  if (base == nullptr) return false;
  auto* header = reinterpret_cast<SessionHeader*>(base);
  if (header->magic != kMagic || header->version != kProtocolVersion || header->nonce != nonce ||
      header->state.load(std::memory_order_acquire) != static_cast<uint32_t>(SessionState::open)) {
    unmap_memory(base, size);
    return false;
  }
  system_call(SYS_madvise, word_of(base), size, MADV_DONTDUMP);
  session.device = info.st_dev;
  session.inode = info.st_ino;
  session.bytes = static_cast<uint64_t>(info.st_size);
  session.header = header;
  session.processes = reinterpret_cast<ProcessEntry*>(base + kProcessesOffset);
  session.modules = reinterpret_cast<ModuleEntry*>(base + kModulesOffset);
  session.rings = reinterpret_cast<RingEntry*>(base + kRingEntriesOffset);
  if (size == kWithWindow) {
    session.windows[0].store(base + kRingsOffset, std::memory_order_release);
  }
  return true;
}

// "exe path\0arg0\0arg1\0…"
bool describe_process(uint64_t* offset, uint32_t* size) {
  char exe[1024];
  long exe_size =
      system_call(SYS_readlink, word_of("/proc/self/exe"), word_of(exe), sizeof exe - 1);
  if (exe_size < 0) exe_size = 0;
  exe[exe_size++] = '\0';
  uint64_t total = static_cast<uint64_t>(exe_size);
  char block[1024];
  int fd = open_file("/proc/self/cmdline", O_RDONLY);
  for (long n; fd >= 0 && (n = read_file(fd, block, sizeof block)) > 0;) {
    total += static_cast<uint64_t>(n);
  }
  Upload upload(total);
  if (upload.bytes() == nullptr) {
    if (fd >= 0) close_file(fd);
    return false;
  }
  copy_bytes(upload.bytes(), exe, static_cast<size_t>(exe_size));
  uint64_t at = static_cast<uint64_t>(exe_size);
  if (fd >= 0) {
    system_call(SYS_lseek, static_cast<uint64_t>(fd), 0, SEEK_SET);
    for (long n; at < total && (n = read_file(fd, upload.bytes() + at, total - at)) > 0;) {
      at += static_cast<uint64_t>(n);
    }
    close_file(fd);
  }
  *offset = upload.offset();
  *size = static_cast<uint32_t>(at);
  return true;
}

}  // namespace

bool attach_session() {
  for (;;) {
    SessionPhase phase = session.phase.load(std::memory_order_acquire);
    if (phase == SessionPhase::absent) return false;
    if (phase == SessionPhase::attached) return !session.over.load(std::memory_order_relaxed);
    if (phase == SessionPhase::unknown &&
        session.phase.compare_exchange_strong(phase, SessionPhase::attaching)) {
      break;
    }
    system_call(SYS_sched_yield);
  }
  bool attached = map_tables();
  if (attached) {
    uint64_t description = 0;
    uint32_t description_size = 0;
    attached = describe_process(&description, &description_size) &&
               register_process(0, description, description_size);
  }
  session.phase.store(attached ? SessionPhase::attached : SessionPhase::absent,
                      std::memory_order_release);
  return attached;
}

bool register_process(uint32_t forked_from, uint64_t description, uint32_t description_size) {
  uint32_t index = session.header->process_count.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxProcesses) {
    session.header->process_count.store(kMaxProcesses, std::memory_order_relaxed);
    session.over.store(true, std::memory_order_relaxed);
    return false;
  }
  ProcessEntry& entry = session.processes[index];
  entry.pid = process_id();
  entry.parent_pid = static_cast<uint32_t>(system_call(SYS_getppid));
  entry.forked_from = forked_from;
  entry.rank = session.rank;
  entry.description = description;
  entry.description_size = description_size;
  session.process = index;
  entry.ready.store(1, std::memory_order_release);
  ring_doorbell();
  return true;
}

uint32_t* ring_memory(uint32_t index) {
  std::atomic<uint8_t*>& window = session.windows[index / kWindowRings];
  uint8_t* base = window.load(std::memory_order_acquire);
  if (base == nullptr) {
    int fd = reopen_session();
    if (fd < 0) return nullptr;
    constexpr uint64_t kBytes = kWindowRings * kRingBytes;
    uint8_t* fresh =
        static_cast<uint8_t*>(map_memory(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                                         kRingsOffset + index / kWindowRings * kBytes));
    close_file(fd);
    if (fresh == nullptr) return nullptr;
    system_call(SYS_madvise, word_of(fresh), kBytes, MADV_DONTDUMP);
    if (window.compare_exchange_strong(base, fresh)) {
      base = fresh;
    } else {
      unmap_memory(fresh, kBytes);
    }
  }
  return reinterpret_cast<uint32_t*>(base + index % kWindowRings * kRingBytes);
}

bool collector_alive() {
  // The collector holds the memfd for as long as it lives, so its own name for it tells, and a
  // reused process id does not deceive.
  struct stat info;
  long result = stat_path(session.path, &info);
  if (result == 0) return info.st_dev == session.device && info.st_ino == session.inode;
  if (result != -13 /* EACCES: this process changed its user */) return false;
  return system_call(SYS_kill, session.header->collector_pid, 0) != -3 /* ESRCH */;
}

void ring_doorbell() {
  session.header->doorbell.fetch_add(1);
  if (session.header->collector_asleep.load() != 0) {
    system_call(SYS_futex, word_of(&session.header->doorbell), FUTEX_WAKE, INT32_MAX);
  }
}

Upload::Upload(uint64_t size) {
  offset_ = session.header->upload_end.fetch_add((size + 7) & ~uint64_t{7});
  if (size == 0 || kUploadsOffset + offset_ + size > session.bytes) return;
  int fd = reopen_session();
  if (fd < 0) return;
  uint64_t from = (kUploadsOffset + offset_) & ~(kPage - 1);
  mapping_size_ = kUploadsOffset + offset_ + size - from;
  mapping_ = static_cast<uint8_t*>(
      map_memory(nullptr, mapping_size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from));
  close_file(fd);
  if (mapping_ != nullptr) bytes_ = mapping_ + (kUploadsOffset + offset_ - from);
}

Upload::~Upload() {
  if (mapping_ != nullptr) unmap_memory(mapping_, mapping_size_);
}

}  // namespace vestige::runtime
