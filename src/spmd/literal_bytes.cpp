#include "spmd/literal_bytes.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <numeric>

#include "base/checksum.h"
#include "base/squeeze.h"
#include "spmd/literal_feed.h"
#include "spmd/literal_model.h"
#include "spmd/literal_rounds.h"
#include "spmd/player.h"

namespace vestige::spmd {

namespace {

constexpr uint64_t kNumbersPerByte = 4096, kAllowance = 1 << 16;
constexpr uint64_t kSteps = 64, kMoreSteps = 1 << 16;
constexpr size_t kRecentKinds = 64;
constexpr uint64_t kMostInRounds = uint64_t{1} << 24;  // numbers that are kept, of a thread
constexpr uint8_t kWithRounds = 9;                     // the first version that has them
enum What : size_t { kList, kSize, kRecentKind, kUnit, kRound, kRepeated };

// What a list is like, but for its numbers.
struct ListKind {
  uint64_t size = 0;
  LiteralRounds rounds;
  uint64_t told() const { return size - rounds.repeated; }
  bool is_sound() const {
    if (rounds.length == 0) return rounds.repeated == 0;
    return rounds.length <= RoundSearch::kMostLength && rounds.repeated < size &&
           rounds.length <= told();
  }
  bool operator==(const ListKind&) const = default;
};

uint64_t fold(int64_t number) {
  return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
}
int64_t unfold(uint64_t number) {
  return static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
}
uint64_t size_of(uint64_t difference) {
  return static_cast<int64_t>(difference) < 0 ? -difference : difference;
}

// The numbers of blocks, without their base. What cannot be read ends them.
class BlockNumbers {
 public:
  explicit BlockNumbers(const std::vector<LiteralBlock>& blocks) : blocks_(&blocks) {}
  std::optional<uint64_t> next() {
    if (left_ == 0) {
      if (at_ == blocks_->size()) return std::nullopt;
      const LiteralBlock& block = (*blocks_)[at_++];
      auto raw = unsqueeze(*block.bytes, "literal numbers");
      if (!raw || block.count == 0) return end();
      raw_ = std::move(*raw);
      in_ = ByteReader(raw_);
      left_ = block.count;
      value_ = 0;
    }
    --left_;
    value_ += static_cast<uint64_t>(in_.svarint());
    return in_.failed() ? end() : std::optional(value_);
  }

 private:
  std::optional<uint64_t> end() {
    at_ = blocks_->size();
    left_ = 0;
    return std::nullopt;
  }
  const std::vector<LiteralBlock>* blocks_;
  Bytes raw_;
  ByteReader in_;
  size_t at_ = 0;
  uint64_t left_ = 0, value_ = 0;
};

// Numbers in, blocks out.
class BlockMaker {
 public:
  void add(uint64_t value) {
    block_.svarint(static_cast<int64_t>(count_ == 0 ? value : value - last_));
    last_ = value;
    if (++count_ == kLiteralBlock) end();
  }
  std::vector<LiteralBlock> take() {
    if (count_ != 0) end();
    return std::move(blocks_);
  }

 private:
  void end() {
    blocks_.push_back(
        {count_, std::make_shared<const Bytes>(squeeze(block_.take(), kLiteralSqueeze))});
    block_ = {};
    count_ = 0;
  }
  std::vector<LiteralBlock> blocks_;
  ByteWriter block_;
  uint64_t last_ = 0, count_ = 0;
};

// Lists that were there, by what is in them.
class KnownLists {
 public:
  // Its number, and whether it is new.
  std::pair<uint64_t, bool> add(const std::vector<LiteralBlock>& blocks) {
    uint64_t key = blocks.size();
    for (const LiteralBlock& block : blocks) key = key * 31 + checksum(*block.bytes) + block.count;
    auto& alike = by_key_[key];
    for (const uint64_t number : alike)
      if (*lists_[number] == blocks) return {number, false};
    alike.push_back(lists_.size());
    lists_.push_back(&blocks);
    return {lists_.size() - 1, true};
  }

 private:
  std::map<uint64_t, std::vector<uint64_t>> by_key_;
  std::vector<const std::vector<LiteralBlock>*> lists_;
};

// The new lists of one thread while they are coded.
template <class Coder>
class ThreadLists final : public LiteralFeed {
 public:
  using Model = LiteralModel<Coder>;
  static constexpr bool kDecoding = Coder::kDecoding;

  explicit ThreadLists(Model& model) : model_(model) {}

  // A list, from its first stream; `blocks` are its numbers, when they are there already.
  size_t add_list(uint32_t number, uint32_t stream, const ListKind& kind, uint64_t unit,
                  const std::vector<LiteralBlock>* blocks) {
    lists_.push_back(std::make_unique<List>(number, stream, kind, unit));
    if (blocks) lists_.back()->numbers.emplace(*blocks);
    left_ += kind.told();
    return lists_.size() - 1;
  }
  // A stream that has this list.
  void add_stream(const StreamId& id, size_t list, uint64_t base) {
    places_.emplace(id, static_cast<uint32_t>(streams_.size()));
    streams_.push_back({list, base, 0});
    lists_[list]->users.push_back(streams_.size() - 1);
  }

  void run(const Form& form, uint32_t thread) {
    steps_ = kSteps * left_ + kMoreSteps;
    Player(form, thread).feed(*this);
    lately_ = {};
    for (const auto& list : lists_)
      while (list->coded < (kDecoding ? list->kind.size : list->kind.told())) code_next(*list);
    model_.code_waiting();
  }
  std::vector<LiteralBlock> take(size_t list) { return lists_[list]->made.take(); }

  std::optional<uint32_t> place_of(const StreamId& id) override {
    const auto found = places_.find(id);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }
  std::optional<uint64_t> next(uint32_t place) override {
    Place& stream = streams_[place];
    List& list = *lists_[stream.list];
    if (stream.next == list.kind.size) return std::nullopt;
    if (stream.next == list.coded) code_next(list);
    if (list.users.size() == 1) {
      ++stream.next;
      return stream.base + list.last;
    }
    const uint64_t value = list.kept[stream.next++ - list.first];
    forget(list);
    return stream.base + value;
  }
  bool goes_on() override { return left_ != 0 && steps_ != 0 && steps_-- != 0; }
  void see(uint64_t address) override { lately_.see(address); }
  void enter_loop() override { lately_.enter_loop(); }
  void leave_loop() override { lately_.leave_loop(); }

 private:
  struct List {
    List(uint32_t number, uint32_t stream, const ListKind& kind, uint64_t unit)
        : model(number, stream, unit), kind(kind) {}
    typename Model::List model;
    const ListKind kind;
    uint64_t coded = 0, last = 0;
    std::vector<uint64_t> round;          // differences of the first one
    std::optional<BlockNumbers> numbers;  // to encode
    BlockMaker made;                      // decoded
    std::vector<size_t> users;            // streams
    // What is coded, and some of them did not take yet; the number of the first.
    std::deque<uint64_t> kept;
    uint64_t first = 0;
  };
  struct Place {
    size_t list;
    uint64_t base, next;
  };

  void code_next(List& list) {
    const uint64_t before = list.last, told = list.kind.told();
    if (list.coded >= told) {
      list.last += list.round[(list.coded - told) % list.round.size()];
    } else {
      code_told(list);
      if (list.coded + list.kind.rounds.length >= told) list.round.push_back(list.last - before);
      --left_;
    }
    if constexpr (kDecoding) list.made.add(list.last);
    if (list.users.size() > 1) list.kept.push_back(list.last);
    ++list.coded;
  }
  void code_told(List& list) {
    if constexpr (!kDecoding) {
      const uint64_t value = list.numbers->next().value_or(0);
      const auto difference = static_cast<uint64_t>(static_cast<int64_t>(value - list.last) /
                                                    static_cast<int64_t>(list.model.unit));
      list.last = value;
      model_.code_later(list.model, lately_.now(), difference);
    } else {
      list.last += list.model.unit * model_.code(list.model, lately_.now(), 0);
    }
  }
  void forget(List& list) {
    uint64_t least = list.coded;
    for (const size_t user : list.users) least = std::min(least, streams_[user].next);
    for (; list.first < least; ++list.first) list.kept.pop_front();
  }

  Model& model_;
  PlayedLately lately_;
  std::vector<std::unique_ptr<List>> lists_;
  std::vector<Place> streams_;
  std::map<StreamId, uint32_t> places_;
  uint64_t left_ = 0, steps_ = 0;
};

// Kinds of lists, of one thread.
class Kinds {
 public:
  explicit Kinds(bool with_rounds) : with_rounds_(with_rounds) {}
  // Nothing: only damaged bytes say so.
  template <class Coder>
  std::optional<ListKind> code(LiteralModel<Coder>& model, ListKind kind) {
    if (in_rounds_ + kind.rounds.length > kMostInRounds) kind.rounds = {};
    const auto found = std::ranges::find(recent_, kind);
    const size_t place =
        found == recent_.end() ? 0 : static_cast<size_t>(found - recent_.begin()) + 1;
    const uint64_t told = model.number(kRecentKind, place);
    if (told > recent_.size()) return std::nullopt;
    if (told == 0) {
      kind.size = model.number(kSize, kind.size);
      if (with_rounds_) kind.rounds.length = model.number(kRound, kind.rounds.length);
      if (kind.rounds.length != 0)
        kind.rounds.repeated = model.number(kRepeated, kind.rounds.repeated);
      if (!kind.is_sound() || kind.rounds.length > kMostInRounds - in_rounds_) return std::nullopt;
      in_rounds_ += kind.rounds.length;
      if (recent_.size() == kRecentKinds) recent_.pop_back();
      recent_.insert(recent_.begin(), kind);
      return kind;
    }
    const auto at = recent_.begin() + static_cast<ptrdiff_t>(told - 1);
    std::rotate(recent_.begin(), at, at + 1);
    if (recent_[0].rounds.length > kMostInRounds - in_rounds_) return std::nullopt;
    in_rounds_ += recent_[0].rounds.length;
    return recent_[0];
  }

 private:
  const bool with_rounds_;
  uint64_t in_rounds_ = 0;
  std::vector<ListKind> recent_;  // the last one first
};

// What a list is like, and what all its differences are multiples of.
struct ListMeasure {
  ListKind kind;
  uint64_t unit = 1;
};
ListMeasure measure(const std::vector<LiteralBlock>& blocks) {
  ListMeasure found;
  RoundSearch rounds;
  uint64_t unit = 0, last = 0;
  for (BlockNumbers numbers(blocks); const auto value = numbers.next(); last = *value) {
    ++found.kind.size;
    unit = std::gcd(unit, size_of(*value - last));
    rounds.add(*value - last);
  }
  if (unit != 0 && unit >> 62 == 0) found.unit = unit;
  found.kind.rounds = rounds.found();
  return found;
}

// Calls `each` with the literals of each thread.
template <class Literals>
bool each_thread(std::span<Literals> all, const auto& each) {
  for (size_t i = 0, n; i < all.size(); i += n) {
    for (n = 1; i + n < all.size() && all[i + n].thread == all[i].thread;) ++n;
    if (!each(all.subspan(i, n))) return false;
  }
  return true;
}

}  // namespace

Bytes encode_literals(const Form& form, std::span<const LiteralsOf> all) {
  if (all.empty()) return {};
  KnownLists known;
  std::vector<std::pair<uint64_t, bool>> lists;
  uint64_t total = 0, told = 0;
  std::vector<ListMeasure> measures;
  for (const LiteralsOf& one : all) {
    lists.push_back(known.add(one.numbers->literals));
    measures.push_back(lists.back().second ? measure(one.numbers->literals) : ListMeasure());
    total += measures.back().kind.size;
    told += measures.back().kind.told();
  }
  mix::RangeEncoder coder;
  LiteralModel<mix::RangeEncoder> model(coder, told);
  uint64_t expected = 0;
  size_t i = 0;
  each_thread(all, [&](std::span<const LiteralsOf> of_thread) {
    ThreadLists<mix::RangeEncoder> thread(model);
    Kinds kinds(true);
    std::map<uint64_t, size_t> fresh;  // by number
    for (const LiteralsOf& one : of_thread) {
      const auto& [number, is_new] = lists[i];
      if (is_new) {
        const auto& [measured, unit] = measures[i];
        model.number(kList, 0);
        const ListKind kind = kinds.code(model, measured).value_or(measured);
        model.number(kUnit, unit);
        fresh[number] = thread.add_list(static_cast<uint32_t>(number), one.stream, kind, unit,
                                        &one.numbers->literals);
      } else {
        model.number(kList, 1 + fold(static_cast<int64_t>(number - expected)));
      }
      if (const auto list = fresh.find(number); list != fresh.end())
        thread.add_stream(one.id, list->second, one.numbers->literal_base);
      expected = number + 1;
      ++i;
    }
    if (!fresh.empty()) thread.run(form, of_thread[0].thread);
    return true;
  });
  ByteWriter out;
  out.varint(total);
  out.varint(told);
  out.bytes(coder.finish());
  while ((out.size() + kAllowance / kNumbersPerByte) * kNumbersPerByte < total) out.u8(0);
  return out.take();
}

uint64_t checksum_of_literals(std::span<const LiteralsOf> all) {
  uint64_t sum = 0;
  const auto add = [&](uint64_t number) {
    sum = (std::rotl(sum, 23) ^ number) * 0x9e3779b97f4a7c15;
  };
  for (const LiteralsOf& one : all) {
    uint64_t count = 0;
    for (BlockNumbers numbers(one.numbers->literals); const auto value = numbers.next(); ++count)
      add(*value);
    add(count);
  }
  return sum;
}

bool decode_literals(ByteView bytes, const Form& form, std::span<const LiteralsTo> all,
                     uint8_t version) {
  if (all.empty()) return bytes.empty();
  ByteReader in(bytes);
  uint64_t left = in.varint();
  const uint64_t told_numbers = version >= kWithRounds ? in.varint() : left;
  if (in.failed() || left > bytes.size() * kNumbersPerByte + kAllowance || told_numbers > left)
    return false;
  mix::RangeDecoder coder(in.bytes(in.remaining()));
  LiteralModel<mix::RangeDecoder> model(coder, told_numbers);
  std::vector<std::vector<LiteralBlock>> lists;
  uint64_t expected = 0;
  const bool sound = each_thread(all, [&](std::span<const LiteralsTo> of_thread) {
    ThreadLists<mix::RangeDecoder> thread(model);
    Kinds kinds(version >= kWithRounds);
    std::map<uint64_t, size_t> fresh;                   // by number
    std::vector<std::pair<Stream*, uint64_t>> streams;  // of new lists
    for (const LiteralsTo& one : of_thread) {
      const uint64_t told = model.number(kList, 0);
      uint64_t number = lists.size();
      if (told == 0) {
        const auto kind = kinds.code(model, ListKind());
        const uint64_t unit = model.number(kUnit, 0);
        if (!kind || kind->size > left || coder.overran()) return false;
        left -= kind->size;
        fresh[number] =
            thread.add_list(static_cast<uint32_t>(number), one.stream, *kind, unit, nullptr);
        lists.emplace_back();
      } else {
        number = expected + static_cast<uint64_t>(unfold(told - 1));
        if (number >= lists.size()) return false;
      }
      if (const auto list = fresh.find(number); list != fresh.end()) {
        thread.add_stream(one.id, list->second, one.numbers->literal_base);
        streams.emplace_back(one.numbers, number);
      } else {
        one.numbers->literals = lists[number];
      }
      expected = number + 1;
    }
    if (!fresh.empty()) thread.run(form, of_thread[0].thread);
    for (const auto& [number, list] : fresh) lists[number] = thread.take(list);
    for (const auto& [stream, number] : streams) stream->literals = lists[number];
    return !coder.overran();
  });
  return sound && left == 0;
}

}  // namespace vestige::spmd
