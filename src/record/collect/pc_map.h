// From a code address to the block it belongs to, through the probes the pass left in the machine
// code (LLVM pseudo probes: section .pseudo_probe, no run-time cost, gone after strip).
//
// The section is a sequence of bodies, each: u64 guid of the function the blocks belong to, ULEB
// number of probes, ULEB number of inlined bodies, the probes, then per inlined body a ULEB call
// site and a body. A probe: ULEB index (block + 1), u8 type | attributes << 4 | delta << 7, then a
// SLEB delta to the address of the probe before; or, for the sentinel that opens a body, the u64
// MD5 of the name of the symbol the addresses count from; then a ULEB discriminator when attribute
// 4 is set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vestige {

struct ProbeHit {
  uint64_t guid = 0;  // XXH3 of unit, a zero byte, name: the function whose block it is
  uint32_t block = 0;
};

// The last probe at or before `address` (as in the file: minus the load address) in the function
// that holds it, or the function's first when there is none before. Nothing when the file cannot be
// read, is stripped, or has no recorded code there.
std::optional<ProbeHit> find_probe(const std::string& elf_path, uint64_t address);

struct SourcePosition {
  uint32_t line = 0;  // 0: not known
  uint32_t column = 0;
};

// Where the debug information says the code at `address` comes from.
SourcePosition find_line(const std::string& elf_path, uint64_t address);

}  // namespace vestige
