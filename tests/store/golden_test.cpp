// The files of every version so far stay readable. The example of docs/format.md is one of them.
#include <gtest/gtest.h>

#include "store/reader.h"

namespace vestige {
namespace {

using format::ChunkKind;
using format::EventKind;

std::vector<uint32_t> words_of(const ControlChunk& chunk) {
  std::vector<uint32_t> words;
  auto cursor = WordCursor::open(chunk.codec, chunk.words);
  EXPECT_TRUE(cursor);
  for (uint32_t word; cursor->next(word);) words.push_back(word);
  return words;
}

TEST(Golden, Version_1_0) {
  const auto reader = StoreReader::open(GOLDEN_FOLDER "/v1.0.vst");
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_EQ(reader->rows().size(), 8u);
  const auto meta = MetaChunk::decode(*reader->payload(0));
  EXPECT_EQ(meta->entries[0], (std::pair<std::string, std::string>{"vestige", "0.1.0"}));
  const auto process = ProcessChunk::decode(*reader->payload(1));
  EXPECT_EQ(process->pid, 1234u);
  EXPECT_EQ(process->forked_from, kNone);
  EXPECT_EQ(process->arguments, (std::vector<std::string>{"t", "x"}));
  const auto module = ModuleChunk::decode(*reader->payload(2));
  EXPECT_EQ(module->name, "/bin/t");
  EXPECT_EQ(module->path_count, 6u);
  ASSERT_EQ(module->functions.size(), 1u);
  const auto thread = ThreadChunk::decode(*reader->payload(3));
  EXPECT_EQ(thread->tid, 1234u);
  EXPECT_EQ(thread->parent, kNone);

  const auto first = ControlChunk::decode(*reader->payload(4));
  EXPECT_EQ(words_of(*first), (std::vector<uint32_t>{0x10000, 0x10001, 0x10002}));
  EXPECT_EQ(first->stack, StackChange{});
  EXPECT_EQ(first->events.at(0).kind, EventKind::fork);
  EXPECT_EQ(first->events.at(0).time, 2u);
  EXPECT_EQ(first->events.at(0).numbers, std::vector<uint64_t>{4321});
  const auto second = ControlChunk::decode(*reader->payload(5));
  EXPECT_EQ(words_of(*second), (std::vector<uint32_t>{0x10000, 0x10000, 0x10005}));
  EXPECT_EQ(second->first_time, 4u);
  EXPECT_EQ(second->stack, (StackChange{0, {{0x10002, 3}}}));
  EXPECT_EQ(second->events.at(0).kind, EventKind::resync);
  EXPECT_EQ(second->events.at(0).stack, (StackChange{1, {}}));

  const auto thread_end = EndChunk::decode(*reader->payload(6));
  EXPECT_EQ(thread_end->paths, 6u);
  const auto process_end = EndChunk::decode(*reader->payload(7));
  EXPECT_TRUE(process_end->is_process);
  EXPECT_EQ(process_end->status, 3);
}

}  // namespace
}  // namespace vestige
