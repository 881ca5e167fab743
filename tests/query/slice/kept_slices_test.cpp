// Slices that are kept beside the trace: what comes back, what does not, and damaged tables.
#include "query/slice/kept_slices.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "base/squeeze.h"
#include "trace/index/index_place.h"
#include "trace/index/recording.h"
#include "trace/synthetic.h"

namespace vestige {
namespace {

class KeptSlices : public testing::Test {
 protected:
  void SetUp() override {
    file_ = windows_test::record_random({.seed = 3, .threads = 2, .paths = 50}).path;
    auto opened = Trace::open(file_);
    ASSERT_TRUE(opened) << opened.error().message;
    trace_ = std::make_unique<Trace>(std::move(*opened));
    cache_ = cache_places(*trace_, kSliceCache).front();
    for (const Function& function : trace_->functions()) statements_ += function.statements.size();
  }
  void TearDown() override {
    ::unlink(file_.c_str());
    ::unlink(cache_.c_str());
  }

  KeptSlice random_slice() {
    KeptSlice kept;
    kept.key = {static_cast<uint32_t>(random_() % statements_),
                static_cast<uint32_t>(random_() % 2), random_() >> random_() % 64,
                random_() % 2 ? kNone : static_cast<uint32_t>(random_() % 100),
                static_cast<uint8_t>(random_() % 16)};
    kept.slice.thread = kept.key.thread;
    for (uint64_t& count : kept.slice.unresolved) count = random_() >> random_() % 64;
    for (uint64_t id = random_() % 3; id < statements_; id += 1 + random_() % 5) {
      kept.slice.statements.push_back({*statement_by_id(*trace_, id), 1 + random_() % 1000});
      kept.slice.count += kept.slice.statements.back().instances;
    }
    return kept;
  }
  static void expect_same(const Slice& a, const Slice& b) {
    EXPECT_EQ(a.thread, b.thread);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.unresolved, b.unresolved);
    ASSERT_EQ(a.statements.size(), b.statements.size());
    for (size_t i = 0; i < a.statements.size(); ++i) {
      EXPECT_EQ(a.statements[i].statement, b.statements[i].statement);
      EXPECT_EQ(a.statements[i].instances, b.statements[i].instances);
    }
  }

  std::mt19937_64 random_{7};
  std::string file_, cache_;
  std::unique_ptr<Trace> trace_;
  uint64_t statements_ = 0;
};

TEST_F(KeptSlices, ComeBackAndTheLatestStay) {
  std::vector<KeptSlice> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(random_slice());
    all.back().key.time = 1000 + i;
    keep(*trace_, all.back().key, all.back().slice);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const auto found = find_kept(*trace_, all[i].key);
    ASSERT_EQ(found.has_value(), i >= 100 - 64) << i;
    if (found) expect_same(*found, all[i].slice);
  }
}

// Each option and the criterion make another slice.
TEST_F(KeptSlices, AreOfTheirQuestionOnly) {
  const SliceOptions plain{.statement = *statement_by_id(*trace_, 1)};
  const CriterionPlace place{0, 1, 5};
  keep(*trace_, key_of(*trace_, plain, place), random_slice().slice);
  ASSERT_TRUE(find_kept(*trace_, key_of(*trace_, plain, place)));
  std::vector<SliceOptions> others(6, plain);
  others[0].forward = true;
  others[1].copies_only = true;
  others[2].memory_only = true;
  others[3].data_only = true;
  others[4].depth = 7;
  others[5].statement = *statement_by_id(*trace_, 2);
  for (const SliceOptions& other : others)
    EXPECT_FALSE(find_kept(*trace_, key_of(*trace_, other, place)));
  EXPECT_FALSE(find_kept(*trace_, key_of(*trace_, plain, {1, 1, 5})));
  EXPECT_FALSE(find_kept(*trace_, key_of(*trace_, plain, {0, 1, 6})));
}

TEST_F(KeptSlices, AreNotTakenFromADamagedFile) {
  const KeptSlice kept = random_slice();
  keep(*trace_, kept.key, kept.slice);
  auto bytes = synthetic::read_file(cache_);
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] ^= 0x10;
    synthetic::write_file(cache_, damaged);
    EXPECT_FALSE(find_kept(*trace_, kept.key)) << i;
  }
  bytes.resize(bytes.size() / 2);
  synthetic::write_file(cache_, bytes);
  EXPECT_FALSE(find_kept(*trace_, kept.key));
  keep(*trace_, kept.key, kept.slice);
  EXPECT_TRUE(find_kept(*trace_, kept.key));
}

// With a right checksum: an error, or something that is written as it was read.
TEST_F(KeptSlices, HostileTables) {
  size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<KeptSlice> some;
    for (unsigned i = random_() % 4; i > 0; --i) some.push_back(random_slice());
    auto raw = unsqueeze(encode_kept(*trace_, some), "test");
    ASSERT_TRUE(raw);
    for (unsigned i = random_() % 3; i > 0; --i)
      (*raw)[random_() % raw->size()] = static_cast<uint8_t>(random_());
    if (random_() % 4 == 0) raw->resize(random_() % (raw->size() + 1));
    const auto decoded = decode_kept(*trace_, squeeze(*raw));
    refused += !decoded;
    if (!decoded) continue;
    const auto again = decode_kept(*trace_, encode_kept(*trace_, *decoded));
    ASSERT_TRUE(again);
    ASSERT_EQ(again->size(), decoded->size());
    for (size_t i = 0; i < again->size(); ++i) {
      EXPECT_EQ((*again)[i].key, (*decoded)[i].key);
      expect_same((*again)[i].slice, (*decoded)[i].slice);
    }
  }
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace vestige
