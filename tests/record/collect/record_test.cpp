// record(), against a program that writes to the session by hand.
#include "vestige/record.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "fake_program.h"
#include "store/reader.h"

namespace vestige {
namespace {

using namespace test;
using format::ChunkKind;
using format::EndReason;

struct Read {
  std::map<uint32_t, ThreadChunk> threads;
  std::map<uint32_t, ProcessChunk> processes;
  std::map<uint32_t, EndChunk> thread_ends, process_ends;
  std::map<uint32_t, std::vector<uint32_t>> words;
  std::map<uint32_t, uint64_t> first_time;
  std::map<uint32_t, std::vector<Event>> events;
  uint32_t modules = 0;
  uint32_t first_path = 0;
};

Read read(const std::string& path, StoreReader::Mode mode = StoreReader::Mode::strict) {
  Read all;
  const auto reader = StoreReader::open(path, mode);
  EXPECT_TRUE(reader) << reader.error().message;
  if (!reader) return all;
  for (size_t i = 0; i < reader->rows().size(); ++i) {
    const auto payload = reader->payload(i);
    EXPECT_TRUE(payload);
    switch (reader->rows()[i].kind) {
      case ChunkKind::thread: {
        const auto chunk = ThreadChunk::decode(*payload);
        EXPECT_TRUE(all.processes.contains(chunk->process));
        all.threads[chunk->index] = *chunk;
        break;
      }
      case ChunkKind::process: {
        const auto chunk = ProcessChunk::decode(*payload);
        all.processes[chunk->index] = *chunk;
        break;
      }
      case ChunkKind::end: {
        const auto chunk = EndChunk::decode(*payload);
        (chunk->is_process ? all.process_ends : all.thread_ends)[chunk->index] = *chunk;
        break;
      }
      case ChunkKind::module:
        all.first_path = ModuleChunk::decode(*payload)->first_path;
        ++all.modules;
        break;
      case ChunkKind::control: {
        const auto chunk = ControlChunk::decode(*payload);
        EXPECT_GT(all.modules, 0u);
        EXPECT_TRUE(all.threads.contains(chunk->thread));
        auto& words = all.words[chunk->thread];
        if (!all.first_time.contains(chunk->thread))
          all.first_time[chunk->thread] = chunk->first_time;
        EXPECT_EQ(chunk->first_time, all.first_time[chunk->thread] + words.size());
        auto cursor = WordCursor::open(chunk->codec, chunk->words);
        for (uint32_t word; cursor->next(word);) words.push_back(word);
        for (const Event& event : chunk->events) all.events[chunk->thread].push_back(event);
        break;
      }
      default:
        break;
    }
  }
  return all;
}

std::vector<uint32_t> expected(uint32_t first_path, uint64_t seed, uint64_t steps) {
  FakeRun run(first_path, seed);
  std::vector<uint32_t> words;
  for (uint64_t i = 0; i < steps; ++i) words.push_back(run.step());
  return words;
}

class RecordTest : public testing::Test {
 protected:
  RecordTest() {
    std::string name = (std::filesystem::temp_directory_path() / "vestige-record-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    options_.output = folder_ + "/t.vst";
  }
  ~RecordTest() override { std::filesystem::remove_all(folder_); }

  RecordSummary run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), FAKE_TARGET);
    options_.command = std::move(arguments);
    auto summary = record(options_);
    EXPECT_TRUE(summary) << summary.error().message;
    return summary ? *summary : RecordSummary{};
  }

  std::string folder_;
  RecordOptions options_;
};

TEST_F(RecordTest, EveryWordArrives) {
  for (const uint64_t steps : {uint64_t{10}, uint64_t{30000}, uint64_t{3'000'000}}) {
    const RecordSummary summary = run({"run", std::to_string(steps)});
    EXPECT_EQ(summary.exit_status, 5);
    EXPECT_EQ(summary.paths, steps);
    EXPECT_EQ(summary.threads, 1u);
    EXPECT_EQ(summary.problem, "");
    EXPECT_TRUE(summary.recorded);
    EXPECT_EQ(summary.file_bytes, std::filesystem::file_size(options_.output));
    const Read all = read(options_.output);
    EXPECT_EQ(all.words.at(0), expected(all.first_path, 1, steps));
    EXPECT_EQ(all.thread_ends.at(0).reason, EndReason::exited);
    EXPECT_EQ(all.thread_ends.at(0).paths, steps);
    EXPECT_EQ(all.process_ends.at(0).reason, EndReason::exited);
    EXPECT_EQ(all.process_ends.at(0).status, 5);
    EXPECT_EQ(all.processes.at(0).arguments, (std::vector<std::string>{"fake", "argument"}));
  }
}

TEST_F(RecordTest, AProgramThatIsNotRecorded) {
  const RecordSummary summary = run({"plain"});
  EXPECT_EQ(summary.exit_status, 9);
  EXPECT_FALSE(summary.recorded);
  EXPECT_TRUE(StoreReader::open(options_.output));
}

TEST_F(RecordTest, NothingIsLostWhenTheProgramIsKilled) {
  for (const uint64_t steps : {uint64_t{1}, uint64_t{1000}, uint64_t{1'234'567}}) {
    const RecordSummary summary = run({"killed", std::to_string(steps)});
    EXPECT_EQ(summary.exit_status, 128 + SIGKILL);
    const Read all = read(options_.output);
    EXPECT_EQ(all.words.at(0), expected(all.first_path, 1, steps));
    EXPECT_EQ(all.thread_ends.at(0).reason, EndReason::killed);
    EXPECT_EQ(all.thread_ends.at(0).status, SIGKILL);
    EXPECT_EQ(all.process_ends.at(0).reason, EndReason::killed);
  }
}

TEST_F(RecordTest, ManyThreads) {
  const RecordSummary summary = run({"threads", "64"});
  EXPECT_EQ(summary.exit_status, 0);
  const Read all = read(options_.output);
  ASSERT_EQ(all.threads.size(), 65u);
  std::map<uint64_t, int> lengths;
  for (const auto& [index, thread] : all.threads) {
    EXPECT_EQ(all.thread_ends.at(index).reason, EndReason::exited);
    if (index == 0) continue;
    EXPECT_EQ(thread.parent, 0u);
    const uint64_t n = all.words.contains(index) ? all.words.at(index).size() : 0;
    ++lengths[n];
    if (n != 0) EXPECT_EQ(all.words.at(index), expected(all.first_path, n / 1000, n));
  }
  EXPECT_EQ(lengths.size(), 64u);
}

TEST_F(RecordTest, AForkedChildIsAProcessOfTheTrace) {
  const RecordSummary summary = run({"fork", "50000"});
  EXPECT_EQ(summary.exit_status, 3);
  EXPECT_EQ(summary.processes, 2u);
  const Read all = read(options_.output);
  EXPECT_EQ(all.processes.at(1).forked_from, 0u);
  EXPECT_EQ(all.threads.at(1).process, 1u);
  EXPECT_EQ(all.threads.at(1).parent, 0u);
  EXPECT_EQ(all.threads.at(1).parent_time, 50000u);
  EXPECT_EQ(all.words.at(0), expected(all.first_path, 1, 50000));
  EXPECT_EQ(all.words.at(1), expected(all.first_path, 2, 50000));
  ASSERT_EQ(all.events.at(0).size(), 1u);
  EXPECT_EQ(all.events.at(0)[0].numbers[0], all.processes.at(1).pid);
  // Its own parent waited for it, so how it ended is not known here.
  EXPECT_EQ(all.process_ends.at(1).reason, EndReason::unknown);
}

TEST_F(RecordTest, AnOrphanIsWaitedForAndReaped) {
  const RecordSummary summary = run({"orphan", "5000"});
  EXPECT_EQ(summary.exit_status, 1);
  const Read all = read(options_.output);
  EXPECT_EQ(all.words.at(1), expected(all.first_path, 2, 5000));
  EXPECT_EQ(all.process_ends.at(1).reason, EndReason::exited);
  EXPECT_EQ(all.process_ends.at(1).status, 8);
}

TEST_F(RecordTest, ExecEndsOneImageAndBeginsAnother) {
  const RecordSummary summary = run({"exec", "5000"});
  EXPECT_EQ(summary.exit_status, 5);
  const Read all = read(options_.output);
  ASSERT_EQ(all.processes.size(), 2u);
  EXPECT_EQ(all.processes.at(0).pid, all.processes.at(1).pid);
  EXPECT_EQ(all.process_ends.at(0).reason, EndReason::execed);
  EXPECT_EQ(all.thread_ends.at(0).reason, EndReason::execed);
  EXPECT_EQ(all.process_ends.at(1).status, 5);
  EXPECT_EQ(all.words.at(0).size(), 5000u);
  EXPECT_EQ(all.words.at(1).size(), 777u);
}

TEST_F(RecordTest, TheSizeCapStopsRecordingNotTheProgram) {
  options_.max_size = 200'000;
  const RecordSummary summary = run({"run", "20000000"});
  EXPECT_EQ(summary.exit_status, 5);
  EXPECT_TRUE(summary.size_cap_reached);
  EXPECT_LE(summary.file_bytes, 200'000u);
  EXPECT_GT(summary.paths, 0u);
  const Read all = read(options_.output);
  EXPECT_EQ(all.thread_ends.at(0).reason, EndReason::stopped);
  EXPECT_EQ(all.words.at(0), expected(all.first_path, 1, all.words.at(0).size()));
}

TEST_F(RecordTest, OnlyTheLastPathsAreKept) {
  options_.last = 300'000;
  const RecordSummary summary = run({"run", "3000000"});
  EXPECT_EQ(summary.paths, 3'000'000u);
  const Read all = read(options_.output);
  const auto& words = all.words.at(0);
  EXPECT_GE(words.size(), 300'000u);
  EXPECT_LE(words.size(), 700'000u);
  const auto whole = expected(all.first_path, 1, 3'000'000);
  EXPECT_TRUE(
      std::equal(words.begin(), words.end(), whole.end() - static_cast<ptrdiff_t>(words.size())));
}

TEST_F(RecordTest, CommandsThatCannotRun) {
  options_.command = {"no-such-program-anywhere"};
  auto result = record(options_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_FALSE(std::filesystem::exists(options_.output));
  options_.command = {"/etc/passwd"};
  result = record(options_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::io);
  EXPECT_FALSE(std::filesystem::exists(options_.output));
  options_.command = {};
  EXPECT_FALSE(record(options_));
  options_.command = {"true"};
  options_.output = folder_ + "/none/t.vst";
  EXPECT_FALSE(record(options_));
}

// A small file system that only this process sees.
bool mount_small_disk(const std::string& folder) {
  const std::string uid = "0 " + std::to_string(::getuid()) + " 1";
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/uid_map") << uid;
  }
  return ::mkdir(folder.c_str(), 0700) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
}

TEST_F(RecordTest, AFullDiskStopsRecordingNotTheProgram) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::string disk = folder_ + "/disk";
    if (!mount_small_disk(disk)) ::_exit(77);
    options_.output = disk + "/t.vst";
    const RecordSummary summary = run({"run", "20000000"});
    EXPECT_EQ(summary.exit_status, 5);
    EXPECT_NE(summary.problem.find("No space left"), std::string::npos) << summary.problem;
    const Read all = read(options_.output, StoreReader::Mode::recover);
    const auto words = all.words.contains(0) ? all.words.at(0) : std::vector<uint32_t>{};
    EXPECT_EQ(words, expected(all.first_path, 1, words.size()));
    ::_exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no mounts here";
  EXPECT_EQ(status, 0);
}

// record() in a process of its own: the collector that things happen to.
pid_t collector(const RecordOptions& options) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const auto summary = record(options);
  ::_exit(!summary                   ? 100
          : summary->problem.empty() ? summary->exit_status
                                     : 50 + summary->exit_status);
}

TEST_F(RecordTest, AKilledCollectorLosesAboutASecond) {
  options_.command = {FAKE_TARGET, "forever"};
  const pid_t pid = collector(options_);
  ::usleep(2'500'000);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  EXPECT_FALSE(StoreReader::open(options_.output));
  const Read all = read(options_.output, StoreReader::Mode::recover);
  ASSERT_TRUE(all.words.contains(0));
  EXPECT_GT(all.words.at(0).size(), 10000u);
  EXPECT_EQ(all.words.at(0), expected(all.first_path, 1, all.words.at(0).size()));
  // The program notices that nobody drains its ring; this fake one has to be told.
  ::kill(static_cast<pid_t>(all.processes.at(0).pid), SIGKILL);
}

TEST_F(RecordTest, ATerminatedCollectorPassesItOnAndFinishes) {
  options_.command = {FAKE_TARGET, "forever"};
  const pid_t pid = collector(options_);
  ::usleep(500'000);
  ::kill(pid, SIGTERM);
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  const Read all = read(options_.output);
  EXPECT_EQ(all.words.at(0), expected(all.first_path, 1, all.words.at(0).size()));
  EXPECT_EQ(all.process_ends.at(0).status, SIGTERM);
}

}  // namespace
}  // namespace vestige
