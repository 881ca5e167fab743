// Words in, chunks out, compared with what the fake program knows of itself.
#include "record/collect/word_parser.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "fake_program.h"
#include "program/record.h"
#include "store/reader.h"
#include "store/sync_rows.h"

namespace vestige {
namespace {

using namespace test;
using protocol::event_word;
using Written = protocol::EventKind;
constexpr uint32_t kFirst = 0x20000;

class Alone final : public SessionDirectory {
 public:
  explicit Alone(PathKinds& kinds) : kinds_(kinds) {}
  uint8_t resolve(uint32_t path) override { return kinds_.resolve(path); }
  uint32_t function_of(uint32_t path) const override { return kinds_.function_of(path); }
  uint32_t module(uint32_t index) override { return index; }
  uint32_t address_table(uint32_t) override { return 0; }
  void loaded(uint32_t, uint32_t, uint64_t) override {}
  void unloaded(uint32_t, uint32_t) override {}
  Moment moment(uint32_t, uint64_t, uint64_t time) override { return {7, time, true}; }
  void forking(uint64_t, uint64_t, std::vector<Frame>) override {}
  Place place(uint32_t, uint64_t) override { return {kNone, kNone}; }

 private:
  PathKinds& kinds_;
};

struct Recorded {
  std::vector<uint32_t> words;
  std::vector<Event> events;
  std::vector<Frame> stack;  // at the end, by the rules of the format
  std::vector<SyncRow> syncs;
};

class ParserTest : public testing::Test {
 protected:
  ParserTest() {
    std::string name = (std::filesystem::temp_directory_path() / "vestige-parser-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ParserTest() override { std::filesystem::remove_all(folder_); }

  void start(const RecordOptions& options = {}, ThreadLogOptions log = {}) {
    kinds_.emplace(std::move(*PathKinds::create(FunctionFilter(options))));
    ModuleChunk module;
    std::vector<uint32_t> counts;
    for (uint32_t n = 0; n < kFakeFunctions; ++n) {
      module.functions.push_back({kFirst + n * kFakePaths, encode_function(fake_function(n))});
      counts.push_back(kFakePaths);
    }
    kinds_->add(std::move(module), counts);
    directory_.emplace(*kinds_);
    writer_.emplace(std::move(*StoreWriter::create(folder_ + "/t.vst")));
    log_.emplace(0, kinds_->table(), *writer_, encoders_, log);
    if (kinds_->filter().waits_for_start()) log_->begin_gap();
    parser_.emplace(*log_, *kinds_, *directory_, 0, 1);
  }

  void parse(const std::vector<uint32_t>& words) {
    ASSERT_EQ(parser_->parse(words.data(), words.size(), words.size()), words.size());
  }

  // As among other parsers: alone only behind where it asks for that, and not for long.
  void parse_in_company(const std::vector<uint32_t>& words) {
    size_t times_alone = 0;
    for (size_t at = 0; at < words.size();) {
      const size_t rest = words.size() - at;
      const size_t parsed =
          parser_->parse(words.data() + at, rest, rest, WordParser::Concurrency::shared);
      at += parsed;
      ASSERT_EQ(at == words.size(), !parser_->needs_exclusive());
      if (at == words.size()) break;
      ++times_alone;
      const size_t few = std::min<size_t>(words.size() - at, 100);
      const size_t went = parser_->parse(words.data() + at, few, words.size() - at);
      ASSERT_GT(went, 0u);
      ASSERT_FALSE(parser_->needs_exclusive());
      at += went;
    }
    EXPECT_GT(times_alone, 0u);  // nothing is known of any path at first
  }

  // Reads the file back as a reader would: stacks chained over chunks, checked at each start.
  Recorded finish() {
    parser_->finish();
    EXPECT_TRUE(log_->flush());
    EXPECT_TRUE(writer_->finish());
    Recorded all;
    std::vector<Frame> chunk_start;
    const auto reader = StoreReader::open(folder_ + "/t.vst");
    EXPECT_TRUE(reader);
    for (size_t row = 0; row < reader->rows().size(); ++row) {
      if (reader->rows()[row].kind == format::ChunkKind::sync) {
        read_syncs(*reader->payload(row), all.syncs);
        continue;
      }
      if (reader->rows()[row].kind == format::ChunkKind::memory) continue;
      auto chunk = ControlChunk::decode(*reader->payload(row));
      EXPECT_TRUE(chunk);
      EXPECT_EQ(chunk->first_time, all.words.size() + 1);
      apply(chunk_start, chunk->stack);
      EXPECT_EQ(chunk_start, all.stack) << "at the start of chunk " << row;
      all.stack = chunk_start;
      auto cursor = WordCursor::open(chunk->codec, chunk->words);
      EXPECT_EQ(cursor->size(), chunk->path_count);
      size_t event = 0;
      const auto events_up_to = [&](uint64_t time) {
        for (; event < chunk->events.size() && chunk->events[event].time <= time; ++event) {
          EXPECT_EQ(chunk->events[event].time, all.words.size());
          if (chunk->events[event].kind == format::EventKind::resync)
            apply(all.stack, chunk->events[event].stack);
          all.events.push_back(chunk->events[event]);
        }
      };
      for (uint32_t word; events_up_to(all.words.size()), cursor->next(word);) {
        all.words.push_back(word);
        const uint8_t kind = kinds_->table()[word];
        if ((kind & path_kind::enters) || all.stack.empty()) all.stack.push_back({});
        all.stack.back() = {word, all.words.size()};
        if (kind & path_kind::leaves) all.stack.pop_back();
      }
      EXPECT_EQ(event, chunk->events.size());
    }
    return all;
  }

  static void expect_same(const Recorded& all, const Recorded& expected) {
    EXPECT_EQ(all.words, expected.words);
    EXPECT_EQ(all.stack, expected.stack);
    ASSERT_EQ(all.events.size(), expected.events.size());
    for (size_t i = 0; i < all.events.size(); ++i) {
      EXPECT_EQ(all.events[i].time, expected.events[i].time);
      EXPECT_EQ(all.events[i].numbers, expected.events[i].numbers);
    }
    ASSERT_EQ(all.syncs.size(), expected.syncs.size());
    for (size_t i = 0; i < all.syncs.size(); ++i) {
      EXPECT_EQ(all.syncs[i].time, expected.syncs[i].time);
      EXPECT_EQ(all.syncs[i].object, expected.syncs[i].object);
      EXPECT_EQ(all.syncs[i].stamp, expected.syncs[i].stamp);
    }
  }

  static void read_syncs(ByteView payload, std::vector<SyncRow>& all) {
    const auto chunk = SyncChunk::view(payload);
    ASSERT_TRUE(chunk);
    EXPECT_EQ(chunk->first, all.size());
    SyncRowsDecoder decoder(chunk->rows, chunk->count);
    for (;;) {
      const auto rows = decoder.next();
      ASSERT_TRUE(rows);
      if (rows->empty()) break;
      all.insert(all.end(), rows->begin(), rows->end());
    }
    EXPECT_EQ(chunk->first + chunk->count, all.size());
    EXPECT_EQ(chunk->last_time, all.back().time);
  }
  static void apply(std::vector<Frame>& stack, const StackChange& change) {
    ASSERT_LE(change.keep, stack.size());
    stack.resize(change.keep);
    stack.insert(stack.end(), change.frames.begin(), change.frames.end());
  }

  static void reannounce(std::vector<uint32_t>& words, uint64_t entry_time) {
    words.insert(words.end(),
                 {event_word(Written::reannounce, 2), static_cast<uint32_t>(entry_time),
                  static_cast<uint32_t>(entry_time >> 32)});
  }

  std::string folder_;
  std::optional<PathKinds> kinds_;
  std::optional<Alone> directory_;
  std::optional<StoreWriter> writer_;
  EncoderPool encoders_{WordCodec::packed};
  std::optional<ThreadLog> log_;
  std::optional<WordParser> parser_;
};

TEST_F(ParserTest, CallsReturnsAndUnwinding) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    start({}, {.chunk_paths = 5000});
    FakeRun run(kFirst, seed);
    std::mt19937_64 random(seed);
    std::vector<uint32_t> paths, words;
    for (int i = 0; i < 40000; ++i) {
      uint64_t entry_time = 0;
      if (seed % 2 && random() % 3000 == 0 && run.unwind(entry_time)) reannounce(words, entry_time);
      paths.push_back(run.step());
      words.push_back(paths.back());
      if (words.size() > 9000) parse(words), words.clear();
    }
    parse(words);
    const Recorded all = finish();
    EXPECT_EQ(all.words, paths);
    EXPECT_EQ(all.stack, run.frames()) << seed;
  }
}

// A run is so many times its word: the same file comes of both.
TEST_F(ParserTest, RunsAreTheirWords) {
  RecordOptions some, between;
  some.exclude = {"fake_1*", "fake_7"};
  between.start = "fake_3";
  between.stop = "fake_5";
  for (const RecordOptions& options : {RecordOptions(), some, between}) {
    std::vector<uint32_t> plain, runs;
    FakeRun run(kFirst, 11);
    std::mt19937_64 random(4);
    const auto add_run = [&](uint32_t word, uint64_t count) {
      plain.insert(plain.end(), count, word);
      const uint32_t padding = random() % 2;
      const uint64_t from = random() >> 16, to = from + 4 * count;
      runs.insert(runs.end(),
                  {event_word(Written::run, 6 + padding), word, protocol::run_check(word, from)});
      runs.insert(runs.end(), padding, 0);
      for (const uint64_t address : {from, to})
        runs.insert(runs.end(),
                    {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)});
    };
    for (int i = 0; i < 6000; ++i) {
      const uint32_t word = run.step();
      plain.push_back(word), runs.push_back(word);
      if ((word - kFirst) % kFakePaths == resume_and_call && random() % 8 == 0)
        add_run(word, random() % 3 == 0 ? random() % 3000 : random() % 40);
      if (random() % 2000 == 0) add_run(protocol::kUnregistered + 3, 1 + random() % 9);
    }
    start(options, {.chunk_paths = 5000});
    parse(plain);
    const Recorded expected = finish();
    start(options, {.chunk_paths = 5000});
    for (size_t at = 0; at < runs.size();)
      at += parser_->parse(runs.data() + at, runs.size() - at, runs.size() - at);
    expect_same(finish(), expected);
  }
}

// In concurrency the same comes of the same words.
TEST_F(ParserTest, CompanyChangesNothing) {
  std::vector<uint32_t> words;
  FakeRun run(kFirst, 17);
  std::mt19937_64 random(6);
  uint64_t stamp = 0;
  for (int i = 0; i < 60000; ++i) {
    uint64_t entry_time = 0;
    if (random() % 3000 == 0 && run.unwind(entry_time)) reannounce(words, entry_time);
    words.push_back(run.step());
    if (random() % 50 == 0)
      words.insert(words.end(), {event_word(Written::sync, 5), 1u, 0x1000u + (i & 0xf0), 0u,
                                 static_cast<uint32_t>(++stamp), 0u});
    if (random() % 2000 == 0) words.push_back(protocol::kUnregistered + 3);
    if (random() % 2000 == 0) words.insert(words.end(), {event_word(Written::module_load, 1), 5u});
    if (random() % 4000 == 0)
      words.insert(words.end(), {event_word(Written::handler_begin, 6), 10u, 0u, 1u, 0u, 5u, 0u});
  }
  start({}, {.chunk_paths = 5000});
  parse(words);
  const Recorded expected = finish();
  EXPECT_GT(expected.syncs.size(), 1000u);
  start({}, {.chunk_paths = 5000});
  parse_in_company(words);
  expect_same(finish(), expected);
}

TEST_F(ParserTest, UnregisteredPathsAreCountedNotRecorded) {
  start();
  FakeRun run(kFirst, 1);
  std::vector<uint32_t> words(3, protocol::kUnregistered), paths;
  uint64_t entry_time = 0;
  // The target's clock counts them: entry times are ahead by three, then by five.
  for (int i = 0; i < 3000; ++i) paths.push_back(run.step()), words.push_back(paths.back());
  words.insert(words.end(), 2, protocol::kUnregistered + 77);
  for (int i = 0; i < 3000; ++i) paths.push_back(run.step()), words.push_back(paths.back());
  ASSERT_TRUE(run.unwind(entry_time));
  reannounce(words, entry_time + (entry_time < 3000 ? 3 : 5));
  paths.push_back(run.step()), words.push_back(paths.back());
  parse(words);
  const Recorded all = finish();
  EXPECT_EQ(all.words, paths);
  EXPECT_EQ(all.stack, run.frames());
  ASSERT_GE(all.events.size(), 2u);
  EXPECT_EQ(all.events[0].numbers, std::vector<uint64_t>{3});
  EXPECT_EQ(all.events[0].time, 0u);
  EXPECT_EQ(all.events[1].numbers, std::vector<uint64_t>{2});
  EXPECT_EQ(all.events[1].time, 3000u);
}

TEST_F(ParserTest, ExcludedFunctionsLeaveNoTrace) {
  RecordOptions options;
  options.exclude = {"fake_1*", "fake_7"};
  start(options, {.chunk_paths = 700});
  FakeRun run(kFirst, 5);
  std::mt19937_64 random(9);
  std::vector<uint32_t> paths, words;
  std::vector<Frame> expected;
  for (int i = 0; i < 20000; ++i) {
    uint64_t entry_time = 0;
    if (random() % 500 == 0 && run.unwind(entry_time)) reannounce(words, entry_time);
    const uint32_t word = run.step();
    words.push_back(word);
    const uint32_t function = (word - kFirst) / kFakePaths;
    if (!(function == 1 || function >= 10 || function == 7)) paths.push_back(word);
  }
  parse(words);
  const Recorded all = finish();
  EXPECT_EQ(all.words, paths);
  std::vector<uint32_t> recorded_stack, true_stack;
  for (const Frame& frame : all.stack) recorded_stack.push_back(frame.path);
  for (const auto& activation : run.stack())
    if (activation.function != 1 && activation.function != 7 && activation.function < 10)
      true_stack.push_back(activation.last.path);
  EXPECT_EQ(recorded_stack, true_stack);
}

TEST_F(ParserTest, StartAndStopLeaveGaps) {
  RecordOptions options;
  options.start = "fake_3";
  options.stop = "fake_5";
  start(options, {.chunk_paths = 500});
  FakeRun run(kFirst, 3);
  std::mt19937_64 random(2);
  std::vector<uint32_t> paths, words;
  bool recording = false;
  for (int i = 0; i < 30000; ++i) {
    uint64_t entry_time = 0;
    if (random() % 700 == 0 && run.unwind(entry_time)) reannounce(words, entry_time);
    const uint32_t word = run.step();
    words.push_back(word);
    const bool enters = (word - kFirst) % kFakePaths < 2;
    if (enters && (word - kFirst) / kFakePaths == 3) recording = true;
    if (enters && (word - kFirst) / kFakePaths == 5) recording = false;
    if (recording) paths.push_back(word);
  }
  // So that the last word is recorded and the stack is the reader's.
  while (!recording) {
    const uint32_t word = run.step();
    words.push_back(word);
    if ((word - kFirst) % kFakePaths < 2 && (word - kFirst) / kFakePaths == 3) {
      recording = true;
      paths.push_back(word);
    }
  }
  parse(words);
  const Recorded all = finish();
  EXPECT_EQ(all.words, paths);
  // Same depth as in truth; frames that are known are of the right function, with their last
  // recorded path where that is the last one they ran.
  ASSERT_EQ(all.stack.size(), run.stack().size());
  for (size_t i = 0; i < all.stack.size(); ++i)
    if (all.stack[i].path != 0) EXPECT_EQ(all.stack[i].path, run.stack()[i].last.path) << i;
  bool gap = false;
  for (const Event& event : all.events) gap |= event.reason == format::ResyncReason::gap;
  EXPECT_TRUE(gap);
}

TEST_F(ParserTest, EventsKeepTheirPlace) {
  start();
  FakeRun run(kFirst, 8);
  std::vector<uint32_t> words, paths;
  const auto some = [&](int n) {
    for (int i = 0; i < n; ++i) paths.push_back(run.step()), words.push_back(paths.back());
  };
  some(10);
  words.insert(words.end(), {event_word(Written::thread_create, 2), 0, 0});  // zeros in the payload
  some(5);
  words.insert(words.end(), {event_word(Written::fork, 1), 1234});
  words.insert(words.end(), {event_word(Written::handler_begin, 6), 11, 0, 2, 0, 77, 0});
  words.insert(words.end(), {event_word(Written::fatal_signal, 9), 11, 1, 2, 3, 4, 5, 6, 7, 8});
  some(5);
  words.insert(words.end(), {event_word(Written::thread_end, 1), 3});
  // What follows in the piece is zero.
  words.resize(words.size() + 100);
  EXPECT_EQ(parser_->parse(words.data(), words.size(), words.size()), words.size() - 100);
  EXPECT_TRUE(parser_->ended());
  EXPECT_EQ(parser_->exit_code(), 3u);
  const Recorded all = finish();
  EXPECT_EQ(all.words, paths);
  std::vector<Event> kept;
  for (const Event& event : all.events)
    if (event.kind != format::EventKind::resync) kept.push_back(event);
  ASSERT_EQ(kept.size(), 4u);
  EXPECT_EQ(kept[0].kind, format::EventKind::thread_create);
  EXPECT_EQ(kept[0].time, 10u);
  EXPECT_EQ(kept[1].numbers, std::vector<uint64_t>{1234});
  EXPECT_EQ(kept[1].time, 15u);
  EXPECT_EQ(kept[2].numbers, (std::vector<uint64_t>{11, 7, 77}));
  EXPECT_EQ(kept[3].numbers, (std::vector<uint64_t>{11, 0x200000001, 0x400000003, kNone, kNone,
                                                    0x600000005, 0x800000007}));
}

// Operations have the time of the path before them, and go where atomic ones' paths go.
TEST_F(ParserTest, SynchronizationHasItsPlaceInTime) {
  RecordOptions options;
  options.exclude = {"fake_1"};
  start(options, {.chunk_paths = 3000});
  const auto sync = [](protocol::SyncKind kind, uint32_t object, uint32_t stamp,
                       uint32_t result = 0) {
    return std::vector<uint32_t>{event_word(Written::sync, 5),
                                 static_cast<uint32_t>(kind) | result << 8,
                                 object,
                                 0,
                                 stamp,
                                 0};
  };
  const uint32_t left_out = kFirst + kFakePaths;
  std::vector<uint32_t> words;
  const auto add = [&](const std::vector<uint32_t>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  using protocol::SyncKind;
  add(sync(SyncKind::mutex_lock, 16, 3));
  add({kFirst});
  add(sync(SyncKind::atomic_rmw, 32, 5, 4));
  add({left_out});
  add(sync(SyncKind::atomic_load, 32, 6));  // of a path that is not there
  add({left_out});
  add(sync(SyncKind::mutex_unlock, 16, 7));
  add({kFirst + 2});
  add({event_word(Written::sync, 7), static_cast<uint32_t>(SyncKind::cond_wait), 48, 1, 9, 2, 64,
       3});
  parse(words);
  const Recorded all = finish();
  const std::vector<SyncRow> expected = {{vestige::SyncKind::mutex_lock, 0, 0, 3, 16, 0},
                                         {vestige::SyncKind::atomic_rmw, 4, 1, 5, 32, 0},
                                         {vestige::SyncKind::mutex_unlock, 0, 1, 7, 16, 0},
                                         {vestige::SyncKind::cond_wait, 0, 2, 9 | uint64_t{2} << 32,
                                          48 | uint64_t{1} << 32, 64 | uint64_t{3} << 32}};
  EXPECT_EQ(all.syncs, expected);
}

TEST_F(ParserTest, GarbageIsNoCrash) {
  start({}, {.chunk_paths = 3000});
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    std::vector<uint32_t> words(1 + random() % 5000);
    for (uint32_t& word : words) {
      word = static_cast<uint32_t>(random());
      if (random() % 2) word = kFirst + word % (kFakeFunctions * kFakePaths);
      if (random() % 16 == 0) word %= 0x10000;
    }
    (void)parser_->parse(words.data(), words.size(), words.size());
  }
  EXPECT_FALSE(parser_->error());
  (void)finish();
}

}  // namespace
}  // namespace vestige
