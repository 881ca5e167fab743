#include "spmd/merge_forms.h"

#include <algorithm>
#include <set>

#include "spmd/form_bytes.h"

namespace vestige::spmd {

Gathered gather(Form form, uint32_t index) {
  Gathered out;
  Gathered::Input input{index, form.ranks, content_checksum(form)};
  for (ThreadForm& thread : form.threads) {
    input.ranks = std::max(input.ranks, thread.rank + 1);
    thread.rank += kMostRanks * index;
  }
  out.form = std::move(form);
  out.inputs.push_back(input);
  return out;
}

void join(Gathered& into, Gathered from) {
  into.inputs.insert(into.inputs.end(), from.inputs.begin(), from.inputs.end());
  for (auto& [digest, function] : from.form.functions) {
    FunctionForm& kept = into.form.functions[digest];
    if (kept.name.empty()) kept.name = function.name;
    kept.statements.merge(function.statements);
    kept.pieces.merge(function.pieces);
    kept.fragments.merge(function.fragments);
  }
  const std::vector<uint32_t> map = into.form.contexts.merge(from.form.contexts);
  for (ThreadForm& thread : from.form.threads) {
    thread.renumber(map);
    into.form.threads.push_back(std::move(thread));
  }
  TraceCounts& counts = into.form.counts;
  counts.paths += from.form.counts.paths;
  counts.blocks += from.form.counts.blocks;
  counts.statements += from.form.counts.statements;
  counts.loads += from.form.counts.loads;
  counts.stores += from.form.counts.stores;
  counts.sync_ops += from.form.counts.sync_ops;
  into.form.missing.merge(from.form.missing);
}

Form finish(Gathered all) {
  std::set<uint32_t> ranks;                         // of the forms themselves
  std::set<std::pair<uint32_t, uint32_t>> members;  // form and rank
  for (const ThreadForm& thread : all.form.threads) {
    ranks.insert(thread.rank % kMostRanks);
    members.emplace(thread.rank / kMostRanks, thread.rank % kMostRanks);
  }
  if (ranks.size() == members.size()) {
    for (ThreadForm& thread : all.form.threads) thread.rank %= kMostRanks;
    all.form.ranks = static_cast<uint32_t>(ranks.size());
  } else {
    std::ranges::sort(all.inputs, {}, [](const Gathered::Input& input) {
      return std::pair(input.checksum, input.index);
    });
    std::map<uint32_t, uint32_t> first;
    uint32_t next = 0;
    for (const Gathered::Input& input : all.inputs) {
      first[input.index] = next;
      next += input.ranks;
    }
    for (ThreadForm& thread : all.form.threads)
      thread.rank = first[thread.rank / kMostRanks] + thread.rank % kMostRanks;
    all.form.ranks = next;
  }
  put_in_order(all.form);
  return std::move(all.form);
}

Form merge_forms(std::vector<Form> forms) {
  Gathered all;
  for (uint32_t i = 0; i < forms.size(); ++i) join(all, gather(std::move(forms[i]), i));
  return finish(std::move(all));
}

namespace {

Bytes to_message(const Result<Gathered>& gathered) {
  ByteWriter out;
  out.u8(gathered ? 0 : 1);
  if (!gathered) {
    out.u8(static_cast<uint8_t>(gathered.error().kind));
    out.string(gathered.error().message);
    return out.take();
  }
  out.varint(gathered->inputs.size());
  for (const Gathered::Input& input : gathered->inputs) {
    out.varint(input.index);
    out.varint(input.ranks);
    out.u64(input.checksum);
  }
  out.varint(gathered->form.missing.size());
  for (const std::string& missing : gathered->form.missing) out.string(missing);
  Form form = gathered->form;
  put_in_order(form);
  out.bytes(encode_form(form));
  return out.take();
}

Result<Gathered> from_message(ByteView message) {
  ByteReader in(message);
  if (in.u8() != 0) {
    const uint8_t kind = in.u8();
    return fail(kind <= static_cast<uint8_t>(ErrorKind::missing) ? static_cast<ErrorKind>(kind)
                                                                 : ErrorKind::corrupt,
                in.string());
  }
  Gathered out;
  for (size_t n = in.count(10); n != 0; --n) {
    Gathered::Input input;
    input.index = in.varint32();
    input.ranks = in.varint32();
    input.checksum = in.u64();
    out.inputs.push_back(input);
  }
  std::set<std::string> missing;
  for (size_t n = in.count(1); n != 0; --n) missing.insert(in.string());
  if (in.failed()) return fail(ErrorKind::corrupt, "a rank sent a message that makes no sense");
  auto form = decode_form(in.bytes(in.remaining()));
  if (!form) return std::unexpected(form.error());
  out.form = std::move(*form);
  out.form.missing = std::move(missing);
  return out;
}

}  // namespace

Result<std::optional<Gathered>> merge_rounds(Transport& transport, Result<Gathered> own) {
  const uint32_t rank = transport.rank(), size = transport.size();
  for (uint32_t step = 1; step < size; step *= 2) {
    if (rank & step) {
      if (auto sent = transport.send(rank - step, to_message(own)); !sent)
        return std::unexpected(sent.error());
      if (!own) return std::unexpected(own.error());
      return std::optional<Gathered>();
    }
    if (rank + step >= size) continue;
    const auto message = transport.receive(rank + step);
    if (!message) return std::unexpected(message.error());
    auto other = from_message(*message);
    if (!own) continue;
    if (!other)
      own = std::unexpected(other.error());
    else
      join(*own, std::move(*other));
  }
  if (!own) return std::unexpected(own.error());
  return std::optional<Gathered>(std::move(*own));
}

}  // namespace vestige::spmd
