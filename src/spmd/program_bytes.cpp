#include "spmd/program_bytes.h"

#include <algorithm>
#include <map>

namespace vestige::spmd {

Bytes encode_program(const Form& form) {
  ByteWriter out;
  std::map<std::string, uint32_t> names;  // of files and variables
  for (const auto& [digest, function] : form.functions)
    for (const auto& [id, facts] : function.statements) {
      names.try_emplace(facts.file, 0);
      names.try_emplace(facts.variable, 0);
    }
  out.varint(names.size());
  uint32_t number = 0;
  for (auto& [name, index] : names) {
    index = number++;
    out.string(name);
  }
  out.varint(form.functions.size());
  for (const auto& [digest, function] : form.functions) {
    out.u32(static_cast<uint32_t>(digest));
    out.u16(static_cast<uint16_t>(digest >> 32));
    out.string(function.name);
    std::map<uint64_t, Access> accesses;
    for (const auto& [key, piece] : function.pieces)
      for (const Access& access : piece.accesses) accesses.try_emplace(access.statement, access);
    out.varint(accesses.size());
    uint64_t last = 0, line = 0;
    std::map<uint64_t, uint64_t> numbers;
    for (const auto& [id, access] : accesses) {
      numbers.emplace(id, numbers.size());
      const auto facts = function.statements.find(id);
      const bool known = facts != function.statements.end();
      out.varint(id - last);
      out.u8(static_cast<uint8_t>(static_cast<uint8_t>(access.kind) | access.measured << 2 |
                                  access.moves << 3));
      out.varint(access.bytes);
      out.varint(known ? names[facts->second.file] : 0);
      out.varint(known ? names[facts->second.variable] : 0);
      out.svarint(static_cast<int64_t>((known ? facts->second.line : 0) - line));
      line = known ? facts->second.line : 0;
      last = id;
    }
    out.varint(function.pieces.size());
    for (const auto& [key, piece] : function.pieces) {
      out.varint(piece.start);
      out.varint(piece.number);
      out.u8(static_cast<uint8_t>(piece.end));
      out.varint(piece.segment);
      out.varint(piece.ways.size());
      for (const Way& way : piece.ways) {
        out.varint(2 * uint64_t{way.up} + way.again);
        out.varint(way.into.size());
        for (const uint32_t loop : way.into) out.varint(loop);
        out.varint(way.segment);
      }
      out.varint(piece.accesses.size());
      uint64_t before = 0;
      for (const Access& access : piece.accesses) {
        out.svarint(static_cast<int64_t>(numbers[access.statement] - before));
        before = numbers[access.statement] + 1;
      }
    }
    out.varint(function.fragments.size());
    for (const auto& [start, loops] : function.fragments) {
      out.varint(start);
      out.varint(loops.size());
      for (const uint32_t loop : loops) out.varint(loop);
    }
  }
  return out.take();
}

namespace {

bool decode_function(ByteReader& in, const std::vector<std::string>& names, Form& form) {
  const uint64_t low = in.u32();
  const uint64_t digest = low | uint64_t{in.u16()} << 32;
  const auto [place, fresh] = form.functions.try_emplace(digest);
  if (!fresh) return false;
  FunctionForm& function = place->second;
  function.name = in.string();
  std::vector<Access> accesses;
  uint64_t id = 0, line = 0;
  for (size_t n = in.count(6); n != 0; --n) {
    id += in.varint();
    Access access;
    access.statement = id;
    const uint8_t flags = in.u8();
    if ((flags & 3) > static_cast<uint8_t>(Reference::Kind::modify)) return false;
    access.kind = static_cast<Reference::Kind>(flags & 3);
    access.measured = flags >> 2 & 1;
    access.moves = flags >> 3 & 1;
    access.bytes = in.varint32();
    const uint64_t file = in.varint(), variable = in.varint();
    line += static_cast<uint64_t>(in.svarint());
    if (in.failed() || std::max(file, variable) >= names.size() || line > UINT32_MAX) return false;
    accesses.push_back(access);
    function.statements.emplace(
        id, StatementFacts{id, names[file], static_cast<uint32_t>(line), names[variable]});
  }
  for (size_t n = in.count(6); n != 0; --n) {
    Piece piece;
    piece.start = in.varint32();
    piece.number = in.varint();
    const uint8_t end = in.u8();
    if (end > static_cast<uint8_t>(Piece::End::leave)) return false;
    piece.end = static_cast<Piece::End>(end);
    piece.segment = in.varint32();
    for (size_t w = in.count(3); w != 0; --w) {
      Way way;
      const uint64_t up = in.varint();
      if (up >> 33) return false;
      way.up = static_cast<uint32_t>(up >> 1);
      way.again = up & 1;
      for (size_t l = in.count(); l != 0; --l) way.into.push_back(in.varint32());
      way.segment = in.varint32();
      piece.ways.push_back(std::move(way));
    }
    if (piece.end == Piece::End::go && piece.ways.size() != 1) return false;
    uint64_t at = 0;
    for (size_t a = in.count(); a != 0; --a) {
      at += static_cast<uint64_t>(in.svarint());
      if (at >= accesses.size()) return false;
      piece.accesses.push_back(accesses[at++]);
    }
    if (in.failed()) return false;
    const std::pair key(piece.start, piece.number);
    function.pieces.emplace(key, std::move(piece));
  }
  for (size_t n = in.count(2); n != 0; --n) {
    const uint32_t start = in.varint32();
    auto& loops = function.fragments[start];
    for (size_t l = in.count(); l != 0; --l) loops.push_back(in.varint32());
  }
  return !in.failed();
}

}  // namespace

bool decode_program(ByteView bytes, Form& form) {
  ByteReader in(bytes);
  std::vector<std::string> names;
  for (size_t n = in.count(); n != 0; --n) names.push_back(in.string());
  for (size_t n = in.count(8); n != 0; --n)
    if (!decode_function(in, names, form)) return false;
  return !in.failed() && in.remaining() == 0;
}

}  // namespace vestige::spmd
