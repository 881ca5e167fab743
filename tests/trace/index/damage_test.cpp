// Indexes that are not what they should be: answers stay the same, whatever is in the file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "base/checksum.h"
#include "base/squeeze.h"
#include "store/reader.h"
#include "trace/index/compare.h"
#include "trace/index/index_file.h"
#include "trace/index/index_format.h"
#include "trace/index/index_place.h"
#include "trace/index/recording.h"
#include "trace/index/window_bytes.h"
#include "trace/state.h"
#include "trace/synthetic.h"
#include "vestige/index.h"

namespace vestige::windows_test {
namespace {

using synthetic::read_file;
using synthetic::write_file;

class Damage : public testing::Test {
 protected:
  void SetUp() override {
    recording_ = record_random({.seed = 3, .threads = 2, .paths = 200, .throws = 0.05});
    auto opened = Trace::open(recording_.path);
    ASSERT_TRUE(opened) << opened.error().message;
    trace_ = std::make_unique<Trace>(std::move(*opened));
    index_ = recording_.path + ".idx";
    ASSERT_TRUE(build_index(*trace_, options_));
    good_ = read_file(index_);
    cache_ = recording_.path + ".cache";
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
  }
  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }

  // Some windows of what opens give the right answers.
  void expect_right(int one_in = 1) {
    const auto windows = Windows::open(*trace_);
    ASSERT_TRUE(windows) << windows.error().message;
    indexed_ = windows->indexed();
    std::mt19937 random(1);
    const auto found = compare_windows(
        *trace_, *windows, [&] { return random() % static_cast<uint32_t>(one_in) == 0; });
    EXPECT_EQ(found.difference, "");
  }
  // A header's checksum that fits.
  static void sign(Bytes& bytes) {
    index_format::Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.checksum = checksum(ByteView(bytes).first(offsetof(index_format::Header, checksum)));
    std::memcpy(bytes.data(), &header, sizeof header);
  }

  // The window with a byte or two of what it is made of changed.
  static std::optional<WindowRecord> spoiled(ByteView squeezed, std::mt19937& random) {
    auto raw = unsqueeze(squeezed, "window");
    if (!raw || raw->empty()) return std::nullopt;
    for (int i = 0; i < 2; ++i) {
      uint8_t& byte = (*raw)[random() % std::min<size_t>(raw->size(), 200)];
      byte = random() % 2 ? static_cast<uint8_t>(random()) : byte ^ 1;
    }
    auto record = decode_window(squeeze(std::move(*raw)));
    if (!record) return std::nullopt;
    return std::move(*record);
  }

  IndexOptions options_{.progress = {}, .window_statements = 300};
  Recording recording_;
  std::unique_ptr<Trace> trace_;
  std::string index_, cache_;
  Bytes good_;
  bool indexed_ = false;
};

TEST_F(Damage, None) {
  expect_right();
  EXPECT_TRUE(indexed_);
}

TEST_F(Damage, FlippedBits) {
  std::mt19937 random(7);
  int survived = 0;
  for (int i = 0; i < 60; ++i) {
    Bytes bytes = good_;
    const size_t at = i < 20 ? random() % sizeof(index_format::Header) : random() % bytes.size();
    bytes[at] ^= static_cast<uint8_t>(1u << random() % 8);
    write_file(index_, bytes);
    SCOPED_TRACE("byte " + std::to_string(at));
    expect_right(4);
    survived += indexed_;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(survived, 0);  // what is sound of an index is used
}

TEST_F(Damage, FoundInAWindowThrowsTheFileAway) {
  const auto reader = IndexReader::open(index_, trace_->state().store.identity());
  ASSERT_TRUE(reader);
  ASSERT_GT(reader->threads()[0].size(), 3u);
  Bytes bytes = good_;
  const IndexedWindow& window = reader->threads()[0][2];
  bytes[window.offset + window.size / 2] ^= 1;
  write_file(index_, bytes);
  expect_right();
  EXPECT_TRUE(indexed_);
  EXPECT_FALSE(std::filesystem::exists(index_));
}

TEST_F(Damage, Cut) {
  std::mt19937 random(8);
  for (int i = 0; i < 20; ++i) {
    write_file(index_, ByteView(good_).first(i == 0 ? 0 : random() % good_.size()));
    expect_right(8);
    EXPECT_FALSE(indexed_);
    if (HasFatalFailure()) return;
  }
}

TEST_F(Damage, AnotherVersionAndAnotherTrace) {
  Bytes bytes = good_;
  ++bytes[8];
  sign(bytes);
  write_file(index_, bytes);
  expect_right(4);
  EXPECT_FALSE(indexed_);

  const Recording other = record_random({.seed = 3, .threads = 2, .paths = 200, .throws = 0.05});
  const auto trace = Trace::open(other.path);
  ASSERT_TRUE(trace && build_index(*trace, options_));
  write_file(index_, read_file(other.path + ".idx"));
  expect_right(4);
  EXPECT_FALSE(indexed_);
}

// The trace itself is damaged: the window that meets it fails, those before it do not.
TEST_F(Damage, OfTheTrace) {
  for (const format::ChunkKind kind : {format::ChunkKind::values, format::ChunkKind::control}) {
    const Recording recording = record_random({.seed = 5, .threads = 1, .paths = 400});
    Bytes bytes = read_file(recording.path);
    {
      const auto whole = StoreReader::open(recording.path);
      ASSERT_TRUE(whole);
      const auto& rows = whole->rows();
      const auto last = std::find_if(rows.rbegin(), rows.rend(),
                                     [&](const auto& row) { return row.kind == kind; });
      ASSERT_NE(last, rows.rend());
      bytes[last->offset + sizeof(format::ChunkHeader) + last->payload_size / 2] ^= 1;
    }
    write_file(recording.path, bytes);
    auto trace = Trace::open(recording.path);
    ASSERT_TRUE(trace) << trace.error().message;
    trace_ = std::make_unique<Trace>(std::move(*trace));
    const auto report = build_index(*trace_, options_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_GT(report->windows, 5u);
    expect_right();
    EXPECT_TRUE(indexed_);
    auto windows = Windows::open(*trace_);
    auto last = windows->begin(0, windows->of(0).size() - 1);
    ASSERT_TRUE(last) << last.error().message;
    EXPECT_FALSE(last->run());
  }
}

// Wrong and well signed: nothing crashes, and the thread's windows still end.
TEST_F(Damage, HostileWindows) {
  std::mt19937 random(9);
  const auto reader = IndexReader::open(index_, trace_->state().store.identity());
  ASSERT_TRUE(reader);
  for (int i = 0; i < 100; ++i) {
    const auto& windows = reader->threads()[random() % 2];
    const IndexedWindow& window = windows[random() % windows.size()];
    Bytes raw(good_.begin() + static_cast<ptrdiff_t>(window.offset),
              good_.begin() + static_cast<ptrdiff_t>(window.offset + window.size));
    auto record = spoiled(raw, random);
    if (!record) continue;
    ToldValues told(trace_->state(), 0);
    const ProcessAddresses all(*trace_);
    const auto& addresses = all.of(0);
    auto evaluator = Evaluator::open(*trace_, 0, {&addresses, &told});
    ASSERT_TRUE(evaluator);
    ToldValues again(trace_->state(), 0);
    if (evaluator->go_to(record->keyframe, again)) (void)evaluator->run(500);
  }
}

// /proc holds no files of ours: the same trace by another name.
TEST_F(Damage, NotWritableBesideGoesToTheCache) {
  const int descriptor = ::open(recording_.path.c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  const auto trace = Trace::open("/proc/self/fd/" + std::to_string(descriptor));
  ASSERT_TRUE(trace);
  const auto report = build_index(*trace, options_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->file.starts_with(cache_)) << report->file;
  EXPECT_TRUE(Windows::open(*trace)->indexed());
  // Nor there: then there is none.
  setenv("XDG_CACHE_HOME", "/proc/self", 1);
  EXPECT_FALSE(build_index(*trace, options_));
  const auto without = Windows::open(*trace, options_);
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->indexed());
  EXPECT_EQ(without->of(0).size(), 1u);
  close(descriptor);
}

}  // namespace
}  // namespace vestige::windows_test
