// Modules with recorded code: each gets flat ids for its paths and a copy of its program table in
// the session, once for all processes that load the same file. The slots' bases are written last,
// so a path word either names nothing (kUnregistered) or something the collector can look up.
//
// Runs in constructors and destructors of the modules, never in handlers. No state is kept: the
// module of a slot is found again by its first id.

#include <errno.h>
#include <link.h>
#include <time.h>
#include <unistd.h>

#include "record/runtime/threads.h"

namespace vestige::runtime {

using namespace protocol;

namespace {

constexpr uint32_t kNoModule = UINT32_MAX;

struct ModuleFile {
  uint64_t inside;  // an address in the module
  uint64_t load_address = 0;
  char path[1024];
};

int examine_object(dl_phdr_info* info, size_t, void* argument) {
  ModuleFile* file = static_cast<ModuleFile*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || file->inside < begin ||
        file->inside >= begin + segment.p_memsz) {
      continue;
    }
    file->load_address = info->dlpi_addr;
    const char* name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    size_t length = text_length(name);
    size_t at = 0;
    if (length > 0 && name[0] != '/') {
      long size = system_call(SYS_getcwd, word_of(file->path), sizeof file->path);
      if (size > 0) {
        at = static_cast<size_t>(size) - 1;
        file->path[at++] = '/';
      }
    }
    if (at + length < sizeof file->path) copy_bytes(file->path + at, name, length + 1);
    return 1;
  }
  return 0;
}

// The executable has no name in the loader's list.
void name_executable(ModuleFile* file) {
  long size = system_call(SYS_readlink, word_of("/proc/self/exe"), word_of(file->path),
                          sizeof file->path - 1);
  file->path[size < 0 ? 0 : size] = '\0';
}

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

// 0: the file cannot be examined, and nothing is shared.
uint64_t module_key(const char* path, const VestigeFunctionSlot* begin,
                    const VestigeFunctionSlot* end) {
  struct stat info;
  if (stat_path(path, &info) != 0) return 0;
  uint64_t hash = mix(1, info.st_dev);
  hash = mix(hash, info.st_ino);
  hash = mix(hash, static_cast<uint64_t>(info.st_mtim.tv_sec));
  hash = mix(hash, static_cast<uint64_t>(info.st_mtim.tv_nsec));
  hash = mix(hash, static_cast<uint64_t>(info.st_size));
  for (const VestigeFunctionSlot* slot = begin; slot != end; ++slot) {
    hash = mix(hash, uint64_t{slot->path_count} << 32 | slot->record_size);
  }
  return hash == 0 ? 1 : hash;
}

uint32_t module_count() {
  uint32_t count = session.header->module_count.load(std::memory_order_acquire);
  return count < kMaxModules ? count : kMaxModules;
}

uint32_t find_module(uint64_t key, uint64_t path_count) {
  if (key == 0) return kNoModule;
  uint32_t count = module_count();
  for (uint32_t i = 0; i < count; ++i) {
    const ModuleEntry& entry = session.modules[i];
    if (entry.ready.load(std::memory_order_acquire) != 0 && entry.key == key &&
        entry.path_count == path_count) {
      return i;
    }
  }
  return kNoModule;
}

uint32_t find_module_by_path(uint32_t first_path) {
  uint32_t count = module_count();
  for (uint32_t i = 0; i < count; ++i) {
    const ModuleEntry& entry = session.modules[i];
    if (entry.ready.load(std::memory_order_acquire) != 0 && entry.first_path == first_path) {
      return i;
    }
  }
  return kNoModule;
}

bool allocate_paths(uint64_t count, uint32_t* first) {
  std::atomic<uint64_t>& next = session.header->next_path;
  uint64_t at = next.load();
  do {
    if (at + count > uint64_t{kLastPath} + 1) return false;
  } while (!next.compare_exchange_weak(at, at + count));
  *first = static_cast<uint32_t>(at);
  return true;
}

uint64_t padded(uint64_t size) { return (size + 7) & ~uint64_t{7}; }

const uint64_t* addresses_of(const VestigeFunctionSlot& slot) {
  return reinterpret_cast<const uint64_t*>(reinterpret_cast<const uint8_t*>(&slot.addresses) +
                                           slot.addresses);
}

uint64_t hash_addresses(const VestigeFunctionSlot* begin, const VestigeFunctionSlot* end) {
  uint64_t hash = 2;
  for (const VestigeFunctionSlot* slot = begin; slot != end; ++slot) {
    const uint64_t* addresses = addresses_of(*slot);
    for (uint32_t i = 0; i < slot->address_count; ++i) hash = mix(hash, addresses[i]);
  }
  return hash;
}

// Null: there are too many. The caller sets `ready`.
ModuleEntry* new_entry(uint32_t* index) {
  *index = session.header->module_count.fetch_add(1);
  if (*index >= kMaxModules) {
    session.header->module_count.store(kMaxModules);
    return nullptr;
  }
  ModuleEntry& entry = session.modules[*index];
  entry.process = session.process;
  return &entry;
}

void fill_table(uint8_t* at, uint32_t first_path, const VestigeFunctionSlot* begin,
                const VestigeFunctionSlot* end) {
  for (const VestigeFunctionSlot* slot = begin; slot != end; ++slot) {
    UploadedFunction header{slot->record_size, slot->path_count, first_path, slot->address_count};
    copy_bytes(at, &header, sizeof header);
    const uint8_t* record = reinterpret_cast<const uint8_t*>(&slot->record) + slot->record;
    copy_bytes(at + sizeof header, record, slot->record_size);
    at += sizeof header + padded(slot->record_size);
    copy_bytes(at, addresses_of(*slot), 8 * uint64_t{slot->address_count});
    at += 8 * uint64_t{slot->address_count};
    first_path += slot->path_count;
  }
}

uint32_t upload_module(const ModuleFile& file, uint64_t key, uint64_t path_count,
                       const VestigeFunctionSlot* begin, const VestigeFunctionSlot* end) {
  uint64_t table_size = 0;
  for (const VestigeFunctionSlot* slot = begin; slot != end; ++slot) {
    table_size +=
        sizeof(UploadedFunction) + padded(slot->record_size) + 8 * uint64_t{slot->address_count};
  }
  uint64_t name_size = text_length(file.path);
  Upload upload(table_size + name_size);
  uint32_t first_path;
  if (upload.bytes() == nullptr || !allocate_paths(path_count, &first_path)) return kNoModule;
  fill_table(upload.bytes(), first_path, begin, end);
  copy_bytes(upload.bytes() + table_size, file.path, name_size);

  uint32_t index;
  ModuleEntry* place = new_entry(&index);
  if (place == nullptr) return kNoModule;
  ModuleEntry& entry = *place;
  entry.key = key;
  entry.load_address = file.load_address;
  entry.first_path = first_path;
  entry.path_count = static_cast<uint32_t>(path_count);
  entry.table = upload.offset();
  entry.table_size = table_size;
  entry.name = upload.offset() + table_size;
  entry.name_size = static_cast<uint32_t>(name_size);
  entry.addresses_hash = hash_addresses(begin, end);
  entry.ready.store(1, std::memory_order_release);
  ring_doorbell();
  return index;
}

uint32_t find_table(uint32_t module, uint64_t hash) {
  if (session.modules[module].addresses_hash == hash) return module;
  uint32_t count = module_count();
  for (uint32_t i = 0; i < count; ++i) {
    const ModuleEntry& entry = session.modules[i];
    if (entry.ready.load(std::memory_order_acquire) != 0 && entry.table_of == module + 1 &&
        entry.addresses_hash == hash) {
      return i;
    }
  }
  return kNoModule;
}

uint32_t upload_table(uint32_t module, uint64_t load_address, uint64_t hash,
                      const VestigeFunctionSlot* begin, const VestigeFunctionSlot* end) {
  uint64_t size = 0;
  for (const VestigeFunctionSlot* slot = begin; slot != end; ++slot) {
    size += 8 + 8 * uint64_t{slot->address_count};
  }
  Upload upload(size);
  if (upload.bytes() == nullptr) return kNoModule;
  uint8_t* at = upload.bytes();
  for (const VestigeFunctionSlot* slot = begin; slot != end; ++slot) {
    uint64_t count = slot->address_count;
    copy_bytes(at, &count, 8);
    copy_bytes(at + 8, addresses_of(*slot), 8 * count);
    at += 8 + 8 * count;
  }
  uint32_t index;
  ModuleEntry* entry = new_entry(&index);
  if (entry == nullptr) return kNoModule;
  entry->load_address = load_address;
  entry->table = upload.offset();
  entry->table_size = size;
  entry->table_of = module + 1;
  entry->addresses_hash = hash;
  entry->ready.store(1, std::memory_order_release);
  ring_doorbell();
  return index;
}

// While it is there, no other process adds a module, so that ranks that begin together have one
// between them. A process that died with the turn has lost it, and nobody waits for long: two of a
// module are a waste, and no more.
class ModuleTurn {
 public:
  ModuleTurn() {
    std::atomic<uint32_t>& writer = session.header->module_writer;
    for (int i = 0; i < kTries; ++i) {
      uint32_t owner = 0;
      if (writer.compare_exchange_strong(owner, me_)) {
        mine_ = true;
        return;
      }
      const bool dead = system_call(SYS_kill, owner, 0) == -ESRCH;
      if (dead && writer.compare_exchange_strong(owner, me_)) {
        mine_ = true;
        return;
      }
      timespec pause{0, kPauseNanoseconds};
      system_call(SYS_nanosleep, word_of(&pause), 0);
    }
  }
  ~ModuleTurn() {
    uint32_t me = me_;
    if (mine_) session.header->module_writer.compare_exchange_strong(me, 0);
  }
  ModuleTurn(const ModuleTurn&) = delete;
  ModuleTurn& operator=(const ModuleTurn&) = delete;

 private:
  static constexpr int kTries = 5000;
  static constexpr long kPauseNanoseconds = 200'000;
  const uint32_t me_ = process_id();
  bool mine_ = false;
};

// The module's number, and that of its table of addresses.
struct ModulePlace {
  uint32_t module = kNoModule, table = kNoModule;
};

ModulePlace place_module(const ModuleFile& file, uint64_t path_count,
                         const VestigeFunctionSlot* begin, const VestigeFunctionSlot* end) {
  const ModuleTurn turn;
  const uint64_t key = module_key(file.path, begin, end);
  ModulePlace place;
  place.module = find_module(key, path_count);
  if (place.module == kNoModule) place.module = upload_module(file, key, path_count, begin, end);
  place.table = place.module;
  if (place.module == kNoModule || session.header->depth == Depth::control) return place;
  const uint64_t hash = hash_addresses(begin, end);
  place.table = find_table(place.module, hash);
  if (place.table == kNoModule)
    place.table = upload_table(place.module, file.load_address, hash, begin, end);
  return place;
}

void load_module(VestigeFunctionSlot* begin, VestigeFunctionSlot* end) {
  uint64_t path_count = 0;
  for (const VestigeFunctionSlot* slot = begin; slot != end; ++slot) path_count += slot->path_count;
  RingWriter* writer = attached_writer();
  if (path_count == 0 || !recording()) return;
  ModuleFile file;
  file.inside = word_of(begin);
  file.path[0] = '\0';
  dl_iterate_phdr(examine_object, &file);
  if (file.path[0] == '\0') name_executable(&file);
  const auto [index, table] = place_module(file, path_count, begin, end);
  if (index == kNoModule) return;
  if (session.header->order.load(std::memory_order_relaxed) != Order::none) {
    uint32_t orderly = 0;
    for (const VestigeFunctionSlot* slot = begin; slot != end; ++slot) orderly += slot->has_order;
    session.header->orderly.fetch_add(orderly);
    session.header->disorderly.fetch_add(static_cast<uint32_t>(end - begin) - orderly);
  }
  uint32_t base = session.modules[index].first_path;
  for (VestigeFunctionSlot* slot = begin; slot != end; ++slot) {
    __atomic_store_n(&slot->base, base, __ATOMIC_RELAXED);
    base += slot->path_count;
  }
  if (writer == nullptr) return;
  uint32_t payload[4] = {index, static_cast<uint32_t>(file.load_address),
                         static_cast<uint32_t>(file.load_address >> 32), table};
  write_event(*writer, EventKind::module_load, payload, 4);
}

void unload_module(const VestigeFunctionSlot* begin, const VestigeFunctionSlot* end) {
  RingWriter* writer = current_writer(this_thread());
  if (begin == end || writer == nullptr || begin->base >= kUnregistered) return;
  uint32_t index = find_module_by_path(begin->base);
  if (index != kNoModule) write_event(*writer, EventKind::module_unload, &index, 1);
}

}  // namespace
}  // namespace vestige::runtime

extern "C" void __vestige_module_load(VestigeFunctionSlot* begin, VestigeFunctionSlot* end) {
  vestige::runtime::load_module(begin, end);
}

extern "C" void __vestige_module_unload(VestigeFunctionSlot* begin, VestigeFunctionSlot* end) {
  vestige::runtime::unload_module(begin, end);
}
