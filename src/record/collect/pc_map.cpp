#include "record/collect/pc_map.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <map>

#include "base/bytes.h"
#include "record/collect/md5.h"

namespace vestige {

namespace {

struct Symbol {
  uint64_t begin = 0, end = 0;
};

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) {
    elf_version(EV_CURRENT);
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ >= 0) elf_ = elf_begin(fd_, ELF_C_READ_MMAP, nullptr);
  }
  ~ElfFile() {
    if (elf_) elf_end(elf_);
    if (fd_ >= 0) ::close(fd_);
  }

  ByteView section(const char* wanted) const {
    size_t names = 0;
    if (!elf_ || elf_getshdrstrndx(elf_, &names) != 0) return {};
    for (Elf_Scn* at = elf_nextscn(elf_, nullptr); at; at = elf_nextscn(elf_, at)) {
      GElf_Shdr header{};
      if (!gelf_getshdr(at, &header)) continue;
      const char* name = elf_strptr(elf_, names, header.sh_name);
      if (name && std::string_view(name) == wanted) return bytes(at);
    }
    return {};
  }

  // Calls use(name, symbol) for every function symbol.
  template <class Use>
  void functions(Use use) const {
    if (!elf_) return;
    for (Elf_Scn* at = elf_nextscn(elf_, nullptr); at; at = elf_nextscn(elf_, at)) {
      GElf_Shdr header{};
      if (!gelf_getshdr(at, &header) || header.sh_type != SHT_SYMTAB) continue;
      Elf_Data* data = elf_getdata(at, nullptr);
      for (int i = 0; data && header.sh_entsize && i < int(header.sh_size / header.sh_entsize);
           ++i) {
        GElf_Sym symbol{};
        if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
        if (const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name))
          use(std::string_view(name), Symbol{symbol.st_value, symbol.st_value + symbol.st_size});
      }
    }
  }

 private:
  static ByteView bytes(Elf_Scn* section) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (!data || !data->d_buf) return {};
    return {static_cast<const uint8_t*>(data->d_buf), data->d_size};
  }
  int fd_ = -1;
  Elf* elf_ = nullptr;
};

int64_t sleb(ByteReader& in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = in.u8();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (shift + 7 < 64 && (byte & 0x40)) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
  }
  in.fail();
  return 0;
}

class ProbeReader {
 public:
  ProbeReader(ByteView section, const std::multimap<uint64_t, uint64_t>& starts, uint64_t address,
              Symbol around)
      : in_(section), starts_(starts), address_(address), around_(around) {}

  std::optional<ProbeHit> find() {
    while (in_.remaining() > 0 && !in_.failed()) body(0);
    return best_;
  }

 private:
  static constexpr unsigned kSentinel = 2, kDiscriminator = 4;

  void body(int depth) {
    if (depth > 64) return in_.fail();
    const uint64_t guid = in_.u64();
    const size_t probes = in_.count(2);
    const size_t inlined = in_.count();
    for (size_t i = 0; i < probes && !in_.failed(); ++i) {
      const uint64_t index = in_.varint();
      const uint8_t kind = in_.u8();
      const unsigned attributes = kind >> 4 & 7;
      if (attributes & kSentinel) {
        open_symbol(in_.u64());
      } else if (kind & 0x80) {
        at_ += static_cast<uint64_t>(sleb(in_));
      } else {
        at_ = in_.u64();
      }
      if (attributes & kDiscriminator) in_.varint();
      if (!(attributes & kSentinel)) consider(guid, index);
    }
    for (size_t i = 0; i < inlined && !in_.failed(); ++i) {
      in_.varint();  // call site
      body(depth + 1);
    }
  }

  // Several functions of one name (static ones) stand in address order, as their bodies do.
  void open_symbol(uint64_t name) {
    const auto [begin, end] = starts_.equal_range(name);
    at_ = 0;
    for (auto s = begin; s != end; ++s)
      if (at_ == 0 || (s->second > last_start_ && at_ <= last_start_)) at_ = s->second;
    last_start_ = at_;
  }

  void consider(uint64_t guid, uint64_t index) {
    if (index == 0 || index > UINT32_MAX || at_ < around_.begin || at_ >= around_.end) return;
    // In the prologue no probe lies before: then the first one behind.
    const bool better =
        !best_ ||
        (at_ <= address_ ? best_address_ > address_ || at_ >= best_address_ : at_ < best_address_);
    if (!better) return;
    best_ = {guid, static_cast<uint32_t>(index - 1)};
    best_address_ = at_;
  }

  ByteReader in_;
  const std::multimap<uint64_t, uint64_t>& starts_;
  const uint64_t address_;
  const Symbol around_;
  uint64_t at_ = 0, last_start_ = 0, best_address_ = 0;
  std::optional<ProbeHit> best_;
};

}  // namespace

std::optional<ProbeHit> find_probe(const std::string& elf_path, uint64_t address) {
  const ElfFile file(elf_path);
  std::multimap<uint64_t, uint64_t> starts;
  std::optional<Symbol> around;
  file.functions([&](std::string_view name, Symbol symbol) {
    starts.emplace(md5_low(name), symbol.begin);
    if (symbol.begin <= address && address < symbol.end) around = symbol;
  });
  if (!around) return std::nullopt;
  return ProbeReader(file.section(".pseudo_probe"), starts, address, *around).find();
}

SourcePosition find_line(const std::string& elf_path, uint64_t address) {
  SourcePosition position;
  const int fd = ::open(elf_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return position;
  if (Dwarf* debug = dwarf_begin(fd, DWARF_C_READ)) {
    // Unit by unit: clang leaves out the table that would lead from addresses to units.
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(debug, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      if (dwarf_haspc(&die, address) <= 0) continue;
      int line = 0, column = 0;
      Dwarf_Line* row = dwarf_getsrc_die(&die, address);
      if (row && dwarf_lineno(row, &line) == 0 && dwarf_linecol(row, &column) == 0)
        position = {static_cast<uint32_t>(line), static_cast<uint32_t>(column)};
      break;
    }
    dwarf_end(debug);
  }
  ::close(fd);
  return position;
}

}  // namespace vestige
