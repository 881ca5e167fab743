// Which module each process has where, so that an address of a dead process can be named.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace vestige {

class LoadMap {
 public:
  struct Hit {
    uint32_t module;   // the trace's index
    uint64_t address;  // as in the file: the process's address minus where the file was loaded
  };
  void loaded(uint32_t process, uint32_t module, uint64_t address) {
    processes_[process][address] = module;
  }
  void unloaded(uint32_t process, uint32_t module) {
    std::erase_if(processes_[process], [&](const auto& entry) { return entry.second == module; });
  }
  // A forked process has what its parent had.
  void inherit(uint32_t child, uint32_t parent) { processes_[child] = processes_[parent]; }

  // The module loaded last at or below `pc`. Whether the address is inside it is not known here.
  std::optional<Hit> find(uint32_t process, uint64_t pc) const {
    const auto modules = processes_.find(process);
    if (modules == processes_.end()) return std::nullopt;
    auto above = modules->second.upper_bound(pc);
    if (above == modules->second.begin()) return std::nullopt;
    --above;
    return Hit{above->second, pc - above->first};
  }

 private:
  std::map<uint32_t, std::map<uint64_t, uint32_t>> processes_;  // load address → module
};

}  // namespace vestige
