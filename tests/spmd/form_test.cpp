// Forms of many threads: what they merge to, that bytes give them back, that hostile bytes do no
// harm.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <random>
#include <set>
#include <thread>

#include "spmd/fold_trace.h"
#include "spmd/form_bytes.h"
#include "spmd/player.h"
#include "spmd/shape.h"

namespace vestige::spmd {
namespace {

constexpr uint64_t kFunction = 0x123456789abc;

// What a thread does: a loop that reads base, base + 8, …
struct Work {
  uint64_t base, trips;
};

// One function: B0, then a loop with one load, then the end.
FunctionForm function() {
  FunctionForm out;
  out.name = "work";
  out.statements[5] = {5, "work.c", 12, ""};
  const Access load{5, Reference::Kind::read, 8, false, false};
  const auto add = [&](uint32_t start, uint64_t number, Piece::End end, std::vector<Way> ways,
                       std::vector<Access> accesses) {
    out.pieces[{start, number}] = {start, number, end, start, std::move(ways), std::move(accesses)};
  };
  add(0, 1, Piece::End::go, {{0, false, {0}, 1}}, {});
  add(1, 1, Piece::End::go, {{0, true, {}, 1}}, {load});
  add(1, 2, Piece::End::go, {{1, false, {}, 2}}, {load});
  add(2, 1, Piece::End::leave, {}, {});
  return out;
}

void add_thread(Form& form, uint32_t rank, uint32_t number, const Work& work) {
  std::map<StreamId, StreamFolder> streams;
  Position position(form.contexts);
  const auto put = [&](uint32_t node, StreamKind kind, uint64_t place, uint64_t value,
                       uint8_t part = 0) {
    streams[{node, kind, place, part}].append(
        value, position, kind == StreamKind::trips ? form.contexts.parent(node) : node);
  };
  const auto root = Contexts::kRoot;
  put(root, StreamKind::after_call, kNone, Decision::make(Decision::enter, kFunction));
  const uint32_t call = position.enter({ContextKey::Kind::activation, kNone, kFunction}, 0);
  put(call, StreamKind::choice, 0, 2);
  position.enter_loop({ContextKey::Kind::loop, 0, kFunction});
  const uint32_t loop = position.node();
  put(loop, StreamKind::trips, 0, work.trips);
  for (uint64_t i = 0; i < work.trips; ++i) {
    const bool last = i + 1 == work.trips;
    put(loop, StreamKind::address, 5, work.base + 8 * i);
    put(loop, StreamKind::choice, 1, last ? 4 : 2, last);
    if (!last) position.iterate();
  }
  position.leave();
  put(call, StreamKind::choice, 2, 2);
  position.leave();
  put(root, StreamKind::after_call, kNone, Decision::make(Decision::drop, 0));
  put(root, StreamKind::facts, 0, work.trips);
  put(root, StreamKind::facts, 0, work.trips + 2, 1);
  put(root, StreamKind::facts, 0, 0, 2);
  ThreadForm thread{rank, number, 0, {}};
  for (auto& [id, folder] : streams) thread.streams.emplace(id, folder.finish());
  form.threads.push_back(std::move(thread));
}

Form make(const std::vector<Work>& threads) {
  Form form;
  form.functions[kFunction] = function();
  for (uint32_t t = 0; t < threads.size(); ++t) add_thread(form, 0, t, threads[t]);
  put_in_order(form);
  return form;
}

void expect_plays(const Form& form, const std::vector<Work>& threads) {
  ASSERT_EQ(form.threads.size(), threads.size());
  for (uint32_t t = 0; t < threads.size(); ++t) {
    uint64_t at = 0;
    bool same = true;
    const auto played = Player(form, t).run([&](std::span<const Reference> references) {
      for (const Reference& reference : references)
        same &= reference.statement_id == 5 && reference.bytes == 8 && reference.thread == t &&
                reference.address == threads[t].base + 8 * at++;
      return true;
    });
    ASSERT_TRUE(played) << played.error().message;
    EXPECT_TRUE(same);
    EXPECT_EQ(at, threads[t].trips);
  }
}

std::vector<Work> regular(uint32_t threads) {
  std::vector<Work> out;
  for (uint32_t t = 0; t < threads; ++t) out.push_back({4096 + 8000 * t, 1000});
  return out;
}

TEST(Form, BytesGiveItBack) {
  const std::vector<std::vector<Work>> cases = {
      regular(1), regular(7), {{1, 1}, {2, 2}, {900, 3}}, {{8, 5}, {8, 5}, {16, 40}, {99, 5}}};
  for (const auto& threads : cases) {
    const Form form = make(threads);
    expect_plays(form, threads);
    const Bytes bytes = encode_form(form);
    const auto back = decode_form(bytes);
    ASSERT_TRUE(back) << back.error().message;
    expect_plays(*back, threads);
    EXPECT_EQ(encode_form(*back), bytes);
  }
}

// One stream goes through three arrays, each of which lies elsewhere in each thread.
TEST(Form, ArraysThatMoveApartComeBack) {
  std::mt19937_64 random(3);
  const uint32_t threads = 9;
  Form form = make(regular(threads));
  for (ThreadForm& thread : form.threads) {
    Contexts none;
    const Position position(none);
    StreamFolder folder;
    for (int array = 0; array < 3; ++array) {
      const uint64_t base = 0x7f0000000000 + 4096 * (random() % 1000);
      for (int i = 0; i < 5; ++i) folder.append(base, position, Contexts::kRoot);
    }
    thread.streams.emplace(StreamId{Contexts::kRoot, StreamKind::address, 77, 0}, folder.finish());
  }
  const MergedStreams merged = merge_threads(form);
  const auto moving = std::ranges::find_if(
      merged.streams, [](const MergedStream& stream) { return stream.id.place == 77; });
  ASSERT_EQ(moving->groups.size(), 1u);
  std::set<uint32_t> labels;
  for (const AffineOverThreads& number : moving->groups[0].numbers)
    labels.insert(number.terms[0].label);
  EXPECT_EQ(labels.size(), 4u);  // three, and none of the counts

  const auto back = decode_form(encode_form(form));
  ASSERT_TRUE(back) << back.error().message;
  for (uint32_t t = 0; t < threads; ++t)
    for (const auto& [id, stream] : form.threads[t].streams) {
      const Shape was = take_apart(stream.sections);
      const Shape is = take_apart(back->threads[t].streams.at(id).sections);
      EXPECT_EQ(is.bytes, was.bytes);
      EXPECT_EQ(is.numbers, was.numbers);
    }
}

// What a statement loads and another one stores back, at addresses without any rule.
TEST(Form, LiteralsThatAreAlikeAreWrittenOnce) {
  std::mt19937_64 random(7);
  std::vector<uint64_t> addresses(20000);
  for (uint64_t& address : addresses) address = random() % (1 << 20);
  const auto irregular = [&](uint64_t base) {
    std::vector<uint64_t> moved = addresses;
    for (uint64_t& address : moved) address += base;
    Stream stream;
    stream.literals.push_back(pack_literals(moved, moved[0]));
    stream.literal_base = moved[0];
    return stream;
  };
  Form form = make(regular(1));
  const uint32_t loop = form.threads[0].streams.rbegin()->first.node;
  std::vector<size_t> sizes;
  for (uint64_t statement = 20; statement < 24; ++statement) {
    form.threads[0].streams.emplace(StreamId{loop, StreamKind::address, statement, 0},
                                    irregular(4096 * statement));
    const Bytes bytes = encode_form(form);
    sizes.push_back(bytes.size());
    const auto back = decode_form(bytes);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(encode_form(*back), bytes);
    for (const auto& [id, stream] : form.threads[0].streams)
      EXPECT_EQ(back->threads[0].streams.at(id).literals, stream.literals);
  }
  EXPECT_GT(sizes[0], 30000u);
  EXPECT_LT(sizes[3], sizes[0] + 200);
}

// Whoever merges orders forms by it: it is that of the numbers, not of their blocks, and of every
// one.
TEST(Form, ContentChecksumIsOfAllNumbers) {
  std::mt19937_64 random(11);
  std::vector<uint64_t> addresses(3000);
  for (uint64_t& address : addresses) address = random() % (1 << 20);
  const auto sum = [&](size_t cut) {
    Form form = make(regular(2));
    const uint32_t loop = form.threads[0].streams.rbegin()->first.node;
    Stream stream;
    const std::span all(addresses);
    stream.literals.push_back(pack_literals({all.begin(), all.begin() + cut}, 0));
    if (cut != all.size())
      stream.literals.push_back(pack_literals({all.begin() + cut, all.end()}, 0));
    form.threads[0].streams.emplace(StreamId{loop, StreamKind::address, 20, 0}, stream);
    return content_checksum(form);
  };
  const uint64_t whole = sum(addresses.size());
  EXPECT_EQ(sum(1000), whole);
  std::set<uint64_t> sums = {whole};
  for (const size_t place : {size_t{0}, size_t{1}, size_t{1500}, addresses.size() - 1}) {
    addresses[place] += 8;
    EXPECT_TRUE(sums.insert(sum(addresses.size())).second);
  }
  addresses.pop_back();
  EXPECT_TRUE(sums.insert(sum(addresses.size())).second);
}

TEST(Form, RegularThreadsAreOneDescriptor) {
  for (const MergedStream& stream : merge_threads(make(regular(64))).streams)
    EXPECT_EQ(stream.groups.size(), 1u);
  const size_t few = encode_form(make(regular(5))).size();
  const size_t many = encode_form(make(regular(63))).size();
  EXPECT_LE(many, few + 4);
}

TEST(Form, MergedInAnyOrderIsTheSame) {
  std::vector<Form> a, b;
  std::vector<std::vector<Work>> ranks;
  for (uint64_t r = 0; r < 5; ++r) ranks.push_back({{1000 * r, 50 + r % 2}, {77 * r, 9}});
  for (size_t r = 0; r < ranks.size(); ++r) {
    a.push_back(make(ranks[r]));
    b.push_back(make(ranks[ranks.size() - 1 - r]));
  }
  const Form merged = merge_forms(std::move(a));
  EXPECT_EQ(encode_form(merged), encode_form(merge_forms(std::move(b))));
  EXPECT_EQ(merged.ranks, 5u);
  for (uint32_t t = 0; t < merged.threads.size(); ++t)
    EXPECT_TRUE(Player(merged, t).run([](std::span<const Reference>) { return true; }));
}

// Ranks that are threads of this process, and messages in queues.
class Mailboxes {
 public:
  explicit Mailboxes(uint32_t size) : size_(size), boxes_(size_t{size} * size) {}
  class Rank final : public Transport {
   public:
    Rank(Mailboxes& all, uint32_t rank) : all_(all), rank_(rank) {}
    uint32_t rank() const override { return rank_; }
    uint32_t size() const override { return all_.size_; }
    Result<void> send(uint32_t to, std::span<const uint8_t> bytes) override {
      const std::scoped_lock lock(all_.mutex_);
      all_.boxes_[size_t{to} * all_.size_ + rank_].emplace(bytes.begin(), bytes.end());
      all_.arrived_.notify_all();
      return {};
    }
    Result<std::vector<uint8_t>> receive(uint32_t from) override {
      std::unique_lock lock(all_.mutex_);
      auto& box = all_.boxes_[size_t{rank_} * all_.size_ + from];
      all_.arrived_.wait(lock, [&] { return !box.empty(); });
      ++received_;
      auto message = std::move(box.front());
      box.pop();
      return message;
    }
    uint32_t received() const { return received_; }

   private:
    Mailboxes& all_;
    uint32_t rank_, received_ = 0;
  };

 private:
  uint32_t size_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::queue<std::vector<uint8_t>>> boxes_;
};

TEST(Form, MergedOverATransportIsTheSame) {
  for (uint32_t ranks = 1; ranks <= 9; ++ranks) {
    const auto rank_form = [](uint32_t r) {
      return make({{4096 + 100 * r, 30 + r % 3}, {9000, 4}});
    };
    std::vector<Form> forms;
    for (uint32_t r = 0; r < ranks; ++r) forms.push_back(rank_form(r));
    const Bytes expected = encode_form(merge_forms(std::move(forms)));
    Mailboxes mail(ranks);
    Bytes got;
    uint32_t rounds = 0;
    std::vector<std::thread> threads;
    for (uint32_t r = 0; r < ranks; ++r)
      threads.emplace_back([&, r] {
        Mailboxes::Rank transport(mail, r);
        auto merged = merge_rounds(transport, gather(rank_form(r), r));
        ASSERT_TRUE(merged);
        ASSERT_EQ(merged->has_value(), r == 0);
        if (r != 0) return;
        got = encode_form(finish(std::move(**merged)));
        rounds = transport.received();
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(got, expected);
    EXPECT_EQ(rounds, static_cast<uint32_t>(std::bit_width(ranks - 1)));
  }
}

TEST(Form, RankNumbersThatDifferAreKept) {
  const auto form_of = [](uint32_t rank) {
    Form form;
    form.functions[kFunction] = function();
    add_thread(form, rank, 0, {100 * rank, 3});
    put_in_order(form);
    return form;
  };
  std::vector<Form> forms;
  for (const uint32_t rank : {7, 2, 4}) forms.push_back(form_of(rank));
  const Form merged = merge_forms(std::move(forms));
  ASSERT_EQ(merged.threads.size(), 3u);
  EXPECT_EQ(merged.threads[0].rank, 2u);
  EXPECT_EQ(merged.threads[2].rank, 7u);
  expect_plays(merged, {{200, 3}, {400, 3}, {700, 3}});
}

// Behind the loop's first piece, and behind the thread's last one.
const std::vector<Communication> kTold = {{1, SyncKind::mpi_send, 3, 7, 800},
                                          {20, SyncKind::mpi_arrive, 0, 4, 8},
                                          {20, SyncKind::mpi_leave, 0, 4, 8}};

Form make_telling() {
  Form form = make({{1000, 20}, {5000, 30}});
  ThreadForm& thread = form.threads[0];
  Contexts none;
  const Position position(none);
  const auto put = [&](StreamKind kind, uint8_t part, const std::vector<uint64_t>& values) {
    StreamFolder folder;
    for (const uint64_t value : values) folder.append(value, position, Contexts::kRoot);
    thread.streams.insert_or_assign({Contexts::kRoot, kind, 0, part}, folder.finish());
  };
  std::vector<uint64_t> kinds, peers, tags, bytes;
  for (const Communication& one : kTold) {
    kinds.push_back(static_cast<uint64_t>(one.kind));
    peers.push_back(one.peer);
    tags.push_back(one.tag);
    bytes.push_back(one.bytes);
  }
  put(StreamKind::message, 0,
      {2, 20, 0});  // pieces: the first one of the loop, then the last of the thread
  put(StreamKind::message, 1, kinds);
  put(StreamKind::message, 2, peers);
  put(StreamKind::message, 3, tags);
  put(StreamKind::message, 4, bytes);
  put(StreamKind::message, 5, {kTold.size()});
  put(StreamKind::facts, kFactMessages, {kTold.size()});
  return form;
}

TEST(Form, WhatRanksTellEachOtherComesBack) {
  const auto form = decode_form(encode_form(make_telling()));
  ASSERT_TRUE(form) << form.error().message;
  expect_plays(*form, {{1000, 20}, {5000, 30}});
  std::vector<Communication> told;
  const auto tell = [&](const Communication& one) {
    told.push_back(one);
    return true;
  };
  const auto played = Player(*form, 0).run_messages(tell);
  ASSERT_TRUE(played) << played.error().message;
  EXPECT_EQ(told, kTold);
  EXPECT_TRUE(Player(*form, 1).run_messages(tell));
  EXPECT_EQ(told.size(), kTold.size());
  for (uint8_t part = 0; part <= 5; ++part) {
    Form broken = make_telling();
    broken.threads[0].streams.erase({Contexts::kRoot, StreamKind::message, 0, part});
    EXPECT_FALSE(Player(broken, 0).run_messages(tell)) << int(part);
  }
  Form broken = make_telling();
  broken.threads[0].streams.erase({Contexts::kRoot, StreamKind::facts, 0, kFactMessages});
  EXPECT_FALSE(Player(broken, 0).run_messages(tell));
  EXPECT_FALSE(Player(*form, 0).run_messages(tell, 2));
}

TEST(Form, HostileBytesAreRefusedOrHarmless) {
  std::mt19937_64 random(5);
  const Bytes whole = encode_form(make_telling());
  for (int round = 0; round < 4'000; ++round) {
    Bytes bytes = whole;
    for (uint64_t n = 1 + random() % 3; n != 0; --n) {
      uint8_t& byte = bytes[random() % bytes.size()];
      byte = random() % 2 ? static_cast<uint8_t>(random()) : static_cast<uint8_t>(byte + 1);
    }
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    const auto form = decode_form(bytes);
    if (!form) continue;
    for (uint32_t t = 0; t < std::min<size_t>(form->threads.size(), 4); ++t) {
      (void)Player(*form, t).run([](std::span<const Reference>) { return true; }, 10'000);
      (void)Player(*form, t).run_messages([](const Communication&) { return true; }, 10'000);
    }
  }
}

}  // namespace
}  // namespace vestige::spmd
