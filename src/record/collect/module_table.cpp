#include "record/collect/module_table.h"

#include <algorithm>

#include "program/record.h"
#include "program/untold.h"

namespace vestige {

using namespace protocol;

namespace {

// The file says what was told. A record that does not decode is the reader's to refuse.
void make_untold(Bytes& record) {
  auto function = decode_function(record);
  if (!function || !has_untold(*function)) return;
  vestige::make_untold(*function);
  record = encode_function(*function);
}

}  // namespace

Result<void> ModuleTable::discover() {
  const uint32_t count =
      std::min(session_.header().module_count.load(std::memory_order_acquire), kMaxModules);
  for (; seen_ < count; ++seen_) waiting_.insert(seen_);
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (session_.module(*it).ready.load(std::memory_order_acquire) == 0) {
      ++it;
      continue;
    }
    const uint32_t session_index = *it;
    it = waiting_.erase(it);
    const bool whole = session_.module(session_index).table_of == 0;
    if (auto ok = whole ? take(session_index) : take_table(session_index); !ok) return ok;
  }
  return {};
}

uint32_t ModuleTable::index(uint32_t session_index) const {
  const auto found = indices_.find(session_index);
  return found == indices_.end() ? kNone : found->second;
}

uint32_t ModuleTable::table(uint32_t session_index) const {
  const auto found = tables_.find(session_index);
  return found == tables_.end() ? kNone : found->second;
}

// Of a module that a process has elsewhere than the one that uploaded it.
Result<void> ModuleTable::take_table(uint32_t session_index) {
  const ModuleEntry& entry = session_.module(session_index);
  AddressChunk addresses{index(entry.table_of - 1), entry.load_address, {}, 0};
  if (addresses.module == kNone) return {};
  const auto table = session_.upload(entry.table, entry.table_size);
  for (ByteView rest = table ? *table : ByteView{}; rest.size() >= 8;) {
    uint64_t count;
    std::memcpy(&count, rest.data(), sizeof count);
    rest = rest.subspan(sizeof count);
    const size_t known = std::min<uint64_t>(count, rest.size() / 8);
    auto& list = addresses.functions.emplace_back(known);
    if (known != 0) std::memcpy(list.data(), rest.data(), 8 * known);
    rest = rest.subspan(8 * known);
  }
  session_.release_upload(entry.table, entry.table_size);
  addresses.table = tables_[session_index] = ++table_counts_[addresses.module];
  return with_addresses_ ? writer_.append(addresses) : Result<void>{};
}

Result<void> ModuleTable::take(uint32_t session_index) {
  const ModuleEntry& entry = session_.module(session_index);
  ModuleChunk module;
  module.index = static_cast<uint32_t>(loaded_.size());
  module.load_address = entry.load_address;
  module.first_path = entry.first_path;
  module.path_count = entry.path_count;
  if (const auto name = session_.upload(entry.name, entry.name_size))
    module.name.assign(name->begin(), name->end());
  while (module.name.ends_with('\0')) module.name.pop_back();

  const uint64_t end = uint64_t{entry.first_path} + entry.path_count;
  const bool sound = entry.first_path >= kFirstPath && end <= uint64_t{kLastPath} + 1;
  std::vector<uint32_t> path_counts;
  AddressChunk addresses{module.index, entry.load_address, {}, 0};
  const auto table = session_.upload(entry.table, entry.table_size);
  for (ByteView rest = table && sound ? *table : ByteView{};
       rest.size() >= sizeof(UploadedFunction);) {
    UploadedFunction function;
    std::memcpy(&function, rest.data(), sizeof function);
    rest = rest.subspan(sizeof function);
    const uint64_t padded = (uint64_t{function.size} + 7) & ~uint64_t{7};
    if (function.size > rest.size() || function.first_path < entry.first_path ||
        uint64_t{function.first_path} + function.path_count > end)
      break;  // what was taken so far is sound; paths of the rest will count as unregistered
    ModuleChunk::Entry& stored = module.functions.emplace_back();
    stored.first_path = function.first_path;
    stored.record.assign(rest.begin(), rest.begin() + function.size);
    if (session_.header().depth == Depth::addresses) make_untold(stored.record);
    path_counts.push_back(function.path_count);
    rest = rest.subspan(std::min<uint64_t>(padded, rest.size()));
    const size_t known = std::min<size_t>(function.address_count, rest.size() / 8);
    auto& list = addresses.functions.emplace_back(known);
    if (known != 0) std::memcpy(list.data(), rest.data(), 8 * known);
    rest = rest.subspan(8 * known);
  }
  session_.release_upload(entry.table, entry.table_size);

  indices_[session_index] = module.index;
  tables_[session_index] = 0;
  loaded_.push_back({module.index, entry.process, entry.load_address, module.name});
  auto written = writer_.append(module);
  if (written && with_addresses_) written = writer_.append(addresses);
  kinds_.add(std::move(module), path_counts);
  return written;
}

}  // namespace vestige
