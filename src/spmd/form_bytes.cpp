#include "spmd/form_bytes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/checksum.h"
#include "base/squeeze.h"
#include "spmd/literal_bytes.h"
#include "spmd/program_bytes.h"
#include "spmd/shape.h"
#include "spmd/table_bytes.h"

namespace vestige::spmd {

namespace {

constexpr uint8_t kVersion = 9, kOldest = 3;
// Forms are small, and written once.
constexpr int kSqueezeLevel = 19;
constexpr uint32_t kMostThreads = 1 << 16;
// What decoding may make of few bytes: sections of all threads together.
constexpr uint64_t kMostSections = 1 << 23;

// ---- contexts -----------------------------------------------------------------------------------

Bytes encode_contexts(const Form& form) {
  ByteWriter out;
  std::unordered_map<uint64_t, uint64_t> functions;
  for (const auto& [digest, function] : form.functions) functions.emplace(digest, functions.size());
  form.contexts.serialize([&](uint64_t number) { out.varint(number); },
                          [&](auto put, const ContextKey& key) {
                            put(4 * functions[key.function] + static_cast<uint64_t>(key.kind));
                            put(key.place + 1 & UINT32_MAX);
                          });
  return out.take();
}

bool decode_contexts(ByteView bytes, Form& form) {
  std::vector<uint64_t> functions;
  for (const auto& [digest, function] : form.functions) functions.push_back(digest);
  ByteReader in(bytes);
  auto tree = Contexts::deserialize(
      [&]() -> std::optional<uint64_t> {
        const uint64_t number = in.varint();
        if (in.failed()) return std::nullopt;
        return number;
      },
      [&](auto get) -> std::optional<ContextKey> {
        const std::optional<uint64_t> what = get();
        const std::optional<uint64_t> place = get();
        if (!what || !place || *place > UINT32_MAX || *what / 4 >= functions.size() ||
            *what % 4 > static_cast<uint64_t>(ContextKey::Kind::loop))
          return std::nullopt;
        return ContextKey{static_cast<ContextKey::Kind>(*what % 4),
                          static_cast<uint32_t>(*place - 1), functions[*what / 4]};
      });
  if (!tree || in.remaining() != 0) return false;
  form.contexts = std::move(*tree);
  return true;
}

// ---- threads, sets and labels -------------------------------------------------------------------

Bytes encode_threads(const Form& form) {
  ByteWriter out;
  for (const uint64_t number :
       {form.counts.paths, form.counts.blocks, form.counts.statements, form.counts.loads,
        form.counts.stores, form.counts.sync_ops, uint64_t{form.ranks}})
    out.varint(number);
  // Runs of threads that follow each other in one rank, and how many ranks in a row have such a
  // run.
  struct Run {
    int64_t rank;  // minus the one behind the last run's
    uint64_t first, count, times;
  };
  std::vector<Run> runs;
  for (size_t i = 0, n; i < form.threads.size(); i += n) {
    const ThreadForm& thread = form.threads[i];
    for (n = 1; i + n < form.threads.size() && form.threads[i + n].rank == thread.rank &&
                form.threads[i + n].number == thread.number + n;)
      ++n;
    const uint64_t expected = i == 0 ? 0 : uint64_t{form.threads[i - 1].rank} + 1;
    const auto rank = static_cast<int64_t>(thread.rank - expected);
    if (!runs.empty() && rank == 0 && runs.back().first == thread.number && runs.back().count == n)
      ++runs.back().times;
    else
      runs.push_back({rank, thread.number, n, 1});
  }
  out.varint(runs.size());
  for (const Run& run : runs) {
    out.svarint(run.rank);
    out.varint(run.first);
    out.varint(run.count);
    out.varint(run.times);
  }
  return out.take();
}

bool decode_threads(ByteView bytes, uint8_t version, Form& form) {
  ByteReader in(bytes);
  TraceCounts& counts = form.counts;
  for (uint64_t* number : {&counts.paths, &counts.blocks, &counts.statements, &counts.loads,
                           &counts.stores, &counts.sync_ops})
    *number = in.varint();
  form.ranks = in.varint32();
  uint64_t rank = 0;
  for (size_t runs = in.count(version < 5 ? 3 : 4); runs != 0; --runs) {
    rank += version < 5 ? in.varint() : static_cast<uint64_t>(in.svarint());
    const uint64_t first = in.varint(), count = in.varint();
    const uint64_t times = version < 5 ? 1 : in.varint();
    if (in.failed() || rank >= kNone || first >= kNone || count == 0 || count > kMostThreads ||
        rank + times > kNone || times > kMostThreads ||
        form.threads.size() + count * times > kMostThreads)
      return false;
    for (uint64_t r = 0; r < times; ++r)
      for (uint64_t i = 0; i < count; ++i)
        form.threads.push_back(
            {static_cast<uint32_t>(rank + r), static_cast<uint32_t>(first + i), 0, {}});
    if (version >= 5) rank += times;
  }
  return !in.failed() && in.remaining() == 0;
}

// A set as runs of (distance from the last end, stride, count).
void put_set(const ThreadSet& set, ByteWriter& out) {
  struct Run {
    uint64_t first, stride, count;
  };
  std::vector<Run> runs;
  for (const uint32_t thread : set) {
    if (!runs.empty()) {
      Run& run = runs.back();
      const uint64_t last = run.first + (run.count - 1) * run.stride;
      if (run.count == 1) {
        run.stride = thread - run.first;
        run.count = 2;
        continue;
      }
      if (thread == last + run.stride) {
        ++run.count;
        continue;
      }
    }
    runs.push_back({thread, 1, 1});
  }
  out.varint(runs.size());
  uint64_t end = 0;
  for (const Run& run : runs) {
    out.varint(run.first - end);
    out.varint(run.count);
    if (run.count > 1) out.varint(run.stride);
    end = run.first + (run.count - 1) * run.stride + 1;
  }
}

bool get_set(ByteReader& in, size_t threads, ThreadSet& set) {
  uint64_t end = 0;
  for (size_t runs = in.count(2); runs != 0; --runs) {
    const uint64_t first = end + in.varint(), count = in.varint();
    const uint64_t stride = count > 1 ? in.varint() : 1;
    if (in.failed() || first >= threads || count == 0 || count > threads || stride == 0 ||
        stride > threads || first + (count - 1) * stride >= threads)
      return false;
    for (uint64_t i = 0; i < count; ++i) set.push_back(static_cast<uint32_t>(first + i * stride));
    end = first + (count - 1) * stride + 1;
  }
  return !in.failed() && !set.empty();
}

// ---- descriptors --------------------------------------------------------------------------------

// The number that another one is written as a distance from: the last of its kind and role with the
// same pair of labels, of any pair where there is none. So an array that lies elsewhere in each
// rank keeps to itself, wherever the others are.
class LastNumbers {
 public:
  uint64_t before(StreamKind kind, size_t role, uint64_t pair) {
    const size_t column = column_of(kind, role);
    return last_.try_emplace({column, pair}, latest_[column]).first->second;
  }
  void set(StreamKind kind, size_t role, uint64_t pair, uint64_t number) {
    const size_t column = column_of(kind, role);
    last_[{column, pair}] = latest_[column] = number;
  }

 private:
  static size_t column_of(StreamKind kind, size_t role) {
    return static_cast<size_t>(kind) * kRoles + role;
  }
  std::map<std::pair<size_t, uint64_t>, uint64_t> last_;
  std::array<uint64_t, kStreamKinds * kRoles> latest_{};
};

// Streams one behind the other, each kind of number in a column of its own: they compress better
// apart.
template <typename Column>
struct FormColumns {
  Column ids, groups, labels, roles[kRoles], slopes_across, literals, families;

  void each(auto&& visit) {  // in the order they have on disk
    for (Column* column : {&ids, &groups, &labels}) visit(*column);
    for (Column& role : roles) visit(role);
    for (Column* column : {&slopes_across, &literals, &families}) visit(*column);
  }
};

// What the column of labels says of a number: none; the group's family, the pair that the column of
// families has for each group with one (an array that lies elsewhere in each rank is the same array
// throughout a group); or another pair, from 1.
constexpr uint64_t kNoPair = 0, kFamily = 1, kOtherPair = 1;

// Thread by thread, streams by rising id.
void sort_literals(auto& literals) {
  std::ranges::sort(literals, {},
                    [](const auto& one) { return std::pair(one.thread, one.stream); });
}

class FormStreamsEncoder {
 public:
  explicit FormStreamsEncoder(const Form& form) : form_(form), merged_(merge_threads(form)) {}

  void run() {
    columns_.ids.varint(merged_.streams.size());
    uint64_t node = 0, place = 0;
    for (const MergedStream& stream : merged_.streams) {
      const StreamId& id = stream.id;
      columns_.ids.varint(id.node - node);
      columns_.ids.u8(static_cast<uint8_t>(static_cast<uint8_t>(id.kind) | id.part << 4));
      columns_.ids.svarint(static_cast<int64_t>(id.place - place));
      node = id.node;
      place = id.place;
      columns_.groups.varint(stream.groups.size());
      bool literal = false;
      for (const Group& group : stream.groups) {
        put(id, group);
        literal |= !group.literals.empty();
        if (group.literals.empty()) continue;
        for (const uint32_t thread : group.threads)
          literals_.push_back(
              {thread, literal_streams_, id, &form_.threads[thread].streams.at(id)});
      }
      literal_streams_ += literal;
    }
  }
  Bytes labels() {
    ByteWriter out;
    out.varint(sets_.size());
    std::vector<const ThreadSet*> sets(sets_.size());
    for (const auto& [set, index] : sets_) sets[index] = &set;
    for (const ThreadSet* set : sets) put_set(*set, out);
    out.varint(used_labels_.size());
    for (const uint32_t label : used_labels_) {
      const Label& from = merged_.labels[label];
      if (label < kFirstTable) {
        out.varint(label);
        continue;
      }
      out.varint(kFirstTable + kDomains * uint64_t{set_of(from.keys)} +
                 static_cast<uint64_t>(from.domain));
      put_table(std::span(from.values).subspan(1), out);
    }
    std::vector<std::pair<uint32_t, uint32_t>> pairs(pairs_.size());
    for (const auto& [pair, index] : pairs_) pairs[index] = pair;
    out.varint(pairs.size());
    for (const auto& [first, second] : pairs) {
      out.varint(first - 1);
      out.varint(second);
    }
    return out.take();
  }
  Bytes descriptors() {
    ByteWriter out;
    out.varint(shapes_.size());
    std::vector<const Bytes*> shapes(shapes_.size());
    for (const auto& [shape, index] : shapes_) shapes[index] = &shape;
    for (const Bytes* shape : shapes) {
      out.varint(shape->size());
      out.bytes(*shape);
    }
    columns_.each([&](ByteWriter& column) {
      out.varint(column.size());
      out.bytes(column.buffer());
    });
    return out.take();
  }
  Bytes literals() {
    sort_literals(literals_);
    return encode_literals(form_, literals_);
  }
  uint64_t checksum_of_literals() {
    sort_literals(literals_);
    return spmd::checksum_of_literals(literals_);
  }

 private:
  uint32_t set_of(const ThreadSet& set) {
    return sets_.try_emplace(set, static_cast<uint32_t>(sets_.size())).first->second;
  }
  // 0: no label at all.
  uint32_t pair_of(const AffineOverThreads& number) {
    if (number.terms[0].label == 0) return 0;
    const std::pair pair(label_of(number.terms[0].label), label_of(number.terms[1].label));
    return 1 + pairs_.try_emplace(pair, static_cast<uint32_t>(pairs_.size())).first->second;
  }
  uint32_t label_of(uint32_t label) {
    if (label == 0) return 0;
    const auto [found, fresh] =
        label_numbers_.try_emplace(label - 1, static_cast<uint32_t>(used_labels_.size()));
    if (fresh) {
      used_labels_.push_back(label - 1);
      if (label - 1 >= kFirstTable) set_of(merged_.labels[label - 1].keys);
    }
    return found->second + 1;
  }
  void put(const StreamId& id, const Group& group) {
    columns_.groups.varint(set_of(group.threads));
    columns_.groups.varint(
        shapes_.try_emplace(group.shape, static_cast<uint32_t>(shapes_.size())).first->second);
    auto roles = *roles_of(group.shape);
    if (!group.literals.empty()) roles.push_back(Role::constant);  // their base
    uint32_t family = 0;
    for (size_t n = 0; n < roles.size(); ++n) {
      const AffineOverThreads& number = group.numbers[n];
      const auto role = static_cast<size_t>(roles[n]);
      const uint32_t pair = pair_of(number);
      if (family == 0 && pair != 0) columns_.families.varint(family = pair);
      columns_.labels.varint(pair == 0 ? kNoPair : pair == family ? kFamily : kOtherPair + pair);
      columns_.roles[role].svarint(
          static_cast<int64_t>(number.a - last_.before(id.kind, role, pair)));
      last_.set(id.kind, role, pair, number.a);
      for (const Term& term : number.terms)
        if (term.label) columns_.slopes_across.svarint(static_cast<int64_t>(term.b));
    }
    columns_.literals.u8(!group.literals.empty());
  }

  const Form& form_;
  MergedStreams merged_;
  FormColumns<ByteWriter> columns_;
  std::vector<LiteralsOf> literals_;
  uint32_t literal_streams_ = 0;
  std::map<ThreadSet, uint32_t> sets_;
  std::map<Bytes, uint32_t> shapes_;
  std::map<uint32_t, uint32_t> label_numbers_;
  std::vector<uint32_t> used_labels_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> pairs_;  // of labels, 0: none
  LastNumbers last_;
};

class FormStreamsDecoder {
 public:
  FormStreamsDecoder(Form& form, uint8_t version)
      : form_(form), placement_(placement_of(form)), version_(version) {}

  bool read_labels(ByteView bytes) {
    ByteReader in(bytes);
    for (size_t n = in.count(2); n != 0; --n) {
      ThreadSet set;
      if (!get_set(in, form_.threads.size(), set)) return false;
      cells_ += set.size();
      if (cells_ > kMostSections) return false;
      sets_.push_back(std::move(set));
    }
    for (size_t n = in.count(); n != 0; --n)
      if (!read_label(in)) return false;
    for (size_t n = in.count(2); n != 0; --n) {
      const uint64_t first = in.varint() + 1, second = in.varint();
      if (in.failed() || first > labels_.size() || second > labels_.size()) return false;
      pairs_.emplace_back(static_cast<uint32_t>(first), static_cast<uint32_t>(second));
    }
    return !in.failed() && in.remaining() == 0;
  }

  bool read(ByteView bytes, ByteView literals) {
    ByteReader in(bytes);
    literals_ = ByteReader(literals);
    for (size_t n = in.count(); n != 0; --n) {
      const ByteView shape = in.bytes(in.varint());
      auto roles = roles_of(shape);
      if (in.failed() || !roles) return false;
      shapes_.push_back({shape, std::move(*roles)});
    }
    columns_.each([&](ByteReader& column) {
      if (version_ >= 6 || &column != &columns_.families)
        column = ByteReader(in.bytes(in.varint()));
    });
    if (in.failed() || in.remaining() != 0) return false;
    ByteReader& ids = columns_.ids;
    uint64_t node = 0, place = 0;
    for (size_t n = ids.count(3); n != 0; --n) {
      StreamId id;
      node += ids.varint();
      const uint8_t kind = ids.u8();
      place += static_cast<uint64_t>(ids.svarint());
      if (ids.failed() || node >= form_.contexts.size() || (kind & 15) >= kStreamKinds)
        return false;
      id.node = static_cast<uint32_t>(node);
      id.kind = static_cast<StreamKind>(kind & 15);
      id.part = kind >> 4;
      id.place = place;
      const size_t before = literals_to_.size();
      for (size_t groups = columns_.groups.count(2); groups != 0; --groups)
        if (!read_group(id)) return false;
      literal_streams_ += literals_to_.size() != before;
    }
    if (version_ >= 8) {
      sort_literals(literals_to_);
      if (!decode_literals(literals, form_, literals_to_, version_)) return false;
      (void)literals_.bytes(literals_.remaining());
    }
    bool whole = literals_.remaining() == 0;
    columns_.each([&](const ByteReader& column) {
      whole = whole && !column.failed() && column.remaining() == 0;
    });
    return whole;
  }

 private:
  struct KnownShape {
    ByteView bytes;
    std::vector<Role> roles;
  };
  bool read_label(ByteReader& in) {
    const uint64_t what = in.varint(), first_table = version_ == 3 ? 3 : kFirstTable;
    Label label;
    if (what < first_table) {
      label = placement_.builtin(static_cast<uint32_t>(what));
    } else {
      const uint64_t set = (what - first_table) / kDomains;
      label.domain = static_cast<Domain>((what - first_table) % kDomains);
      if (in.failed() || set >= sets_.size() || sets_[set].back() >= placement_.keys(label.domain))
        return false;
      label.keys = sets_[set];
      if (version_ != 3) label.values = {0};
      if (!get_table(in, label.keys.size(), label.values)) return false;
    }
    std::vector<uint64_t> by_key(placement_.keys(label.domain), 0);
    for (size_t i = 0; i < label.keys.size(); ++i) by_key[label.keys[i]] = label.values[i];
    std::vector<uint64_t> values(form_.threads.size());
    cells_ += values.size();
    if (cells_ > kMostSections) return false;
    for (uint32_t t = 0; t < values.size(); ++t)
      values[t] = by_key[placement_.key(label.domain, t)];
    labels_.push_back(std::move(values));
    return !in.failed();
  }
  // The pair of labels of the next number; `family` is the group's, 0 until it is known.
  std::optional<uint64_t> read_pair(uint64_t& family) {
    uint64_t pair = columns_.labels.varint();
    if (version_ >= 6 && pair == kFamily) {
      if (family == 0) family = columns_.families.varint();
      pair = family;
    } else if (version_ >= 6 && pair != kNoPair) {
      pair -= kOtherPair;
    }
    if (columns_.labels.failed() || columns_.families.failed() || pair > pairs_.size())
      return std::nullopt;
    return pair;
  }
  bool read_number(const StreamId& id, size_t role, uint64_t& family, AffineOverThreads& number) {
    const std::optional<uint64_t> pair = read_pair(family);
    if (!pair) return false;
    const uint64_t apart = version_ < 5 ? 0 : *pair;
    ByteReader& in = columns_.roles[role];
    number.a = last_.before(id.kind, role, apart) + static_cast<uint64_t>(in.svarint());
    if (in.failed()) return false;
    last_.set(id.kind, role, apart, number.a);
    if (*pair == 0) return true;
    number.terms[0].label = pairs_[*pair - 1].first;
    number.terms[1].label = pairs_[*pair - 1].second;
    for (Term& term : number.terms)
      if (term.label) term.b = static_cast<uint64_t>(columns_.slopes_across.svarint());
    return !columns_.slopes_across.failed();
  }
  bool read_group(const StreamId& id) {
    const uint64_t set = columns_.groups.varint(), shape = columns_.groups.varint();
    if (columns_.groups.failed() || set >= sets_.size() || shape >= shapes_.size()) return false;
    const KnownShape& known = shapes_[shape];
    std::vector<LiteralBlock> literals;
    ByteReader& in = columns_.literals;
    const bool coded = version_ >= 8 && in.u8() != 0;
    for (size_t n = version_ >= 8 ? 0 : in.count(2); n != 0; --n) {
      LiteralBlock block;
      block.count = in.varint();
      const uint64_t size = in.varint();
      if (size == 0 && version_ >= 7) {
        const uint64_t number = in.varint();
        if (in.failed() || number >= blocks_.size()) return false;
        block.bytes = blocks_[number];
      } else {
        const ByteView bytes = literals_.bytes(size);
        if (in.failed() || literals_.failed()) return false;
        block.bytes = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
        blocks_.push_back(block.bytes);
      }
      literals.push_back(std::move(block));
    }
    const bool based = coded || !literals.empty();
    std::vector<AffineOverThreads> numbers(known.roles.size() + based);
    uint64_t family = 0;
    for (size_t n = 0; n < numbers.size(); ++n) {
      const auto role =
          static_cast<size_t>(n < known.roles.size() ? known.roles[n] : Role::constant);
      if (!read_number(id, role, family, numbers[n])) return false;
    }
    std::vector<uint64_t> values(numbers.size());
    for (const uint32_t thread : sets_[set]) {
      cells_ += 1 + values.size();
      if (cells_ > kMostSections) return false;
      for (size_t n = 0; n < values.size(); ++n) {
        values[n] = numbers[n].a;
        for (const Term& term : numbers[n].terms)
          if (term.label) values[n] += term.b * labels_[term.label - 1][thread];
      }
      Stream stream{put_together(known.bytes, values), literals, based ? values.back() : 0};
      const auto [made, fresh] = form_.threads[thread].streams.emplace(id, std::move(stream));
      if (!fresh) return false;
      if (coded) literals_to_.push_back({thread, literal_streams_, id, &made->second});
    }
    return true;
  }

  Form& form_;
  Placement placement_;
  const uint8_t version_;
  FormColumns<ByteReader> columns_;
  ByteReader literals_;
  std::vector<std::shared_ptr<const Bytes>> blocks_;  // as they are written, before version 8
  std::vector<LiteralsTo> literals_to_;
  uint32_t literal_streams_ = 0;
  std::vector<ThreadSet> sets_;
  std::vector<std::vector<uint64_t>> labels_;         // by label, of each thread
  std::vector<std::pair<uint32_t, uint32_t>> pairs_;  // of labels, from 1
  std::vector<KnownShape> shapes_;
  LastNumbers last_;
  uint64_t cells_ = 0;
};

}  // namespace

void put_in_order(Form& form) {
  std::vector<uint32_t> map(form.contexts.size(), Contexts::kRoot);
  Contexts contexts;
  form.contexts.each([&](uint32_t node) {
    map[node] = contexts.add(map[form.contexts.parent(node)], form.contexts.key(node));
  });
  form.contexts = std::move(contexts);
  for (ThreadForm& thread : form.threads) thread.renumber(map);
  std::ranges::sort(form.threads, {},
                    [](const ThreadForm& thread) { return std::pair(thread.rank, thread.number); });
}

Bytes encode_form(const Form& form) {
  FormStreamsEncoder streams(form);
  streams.run();
  ByteWriter out;
  out.u8(kVersion);
  const auto part = [&](Bytes raw) {
    const Bytes squeezed = squeeze(std::move(raw), kSqueezeLevel);
    out.varint(squeezed.size());
    out.bytes(squeezed);
  };
  part(encode_program(form));
  part(encode_contexts(form));
  part(encode_threads(form));
  part(streams.labels());
  part(streams.descriptors());
  out.bytes(streams.literals());
  return out.take();
}

uint64_t content_checksum(const Form& form) {
  FormStreamsEncoder streams(form);
  streams.run();
  ByteWriter out;
  for (const Bytes& part : {encode_program(form), encode_contexts(form), encode_threads(form),
                            streams.labels(), streams.descriptors()}) {
    out.varint(part.size());
    out.bytes(part);
  }
  out.u64(streams.checksum_of_literals());
  return checksum(out.take());
}

Result<Form> decode_form(ByteView bytes, FormSizes* sizes) {
  ByteReader in(bytes);
  const auto wrong = [&](const char* what) {
    return fail(ErrorKind::corrupt, std::string("descriptors: ") + what + " make no sense");
  };
  const uint8_t version = in.u8();
  if (version < kOldest || version > kVersion)
    return fail(ErrorKind::unsupported,
                "descriptors of version " + std::to_string(version) +
                    "; this build reads versions " + std::to_string(kOldest) + " to " +
                    std::to_string(kVersion) + " (vestige represent makes them anew)");
  std::array<Bytes, 5> parts;
  std::array<uint64_t, 5> lengths{};
  for (size_t i = 0; i < parts.size(); ++i) {
    const ByteView squeezed = in.bytes(in.varint());
    if (in.failed()) return wrong("their parts");
    auto raw = unsqueeze(squeezed, "descriptors");
    if (!raw) return std::unexpected(raw.error());
    parts[i] = std::move(*raw);
    lengths[i] = squeezed.size();
  }
  Form form;
  if (!decode_program(parts[0], form)) return wrong("functions");
  if (!decode_contexts(parts[1], form)) return wrong("contexts");
  if (!decode_threads(parts[2], version, form)) return wrong("threads");
  FormStreamsDecoder streams(form, version);
  if (!streams.read_labels(parts[3])) return wrong("sets and labels");
  const ByteView literals = in.bytes(in.remaining());
  if (!streams.read(parts[4], literals)) return wrong("streams");
  if (sizes) *sizes = {lengths[0], lengths[1], lengths[2], lengths[3], lengths[4], literals.size()};
  return form;
}

}  // namespace vestige::spmd
