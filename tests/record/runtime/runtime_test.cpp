// The runtime against a plain collector: what hand-instrumented programs (target.cpp) append and do
// must come out of the rings word for word. Every test runs with the shared library and with the
// static one.

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "record/runtime/fake_collector.h"

namespace vestige::test {
namespace {

using namespace protocol;

constexpr uint32_t kPath = 0x20000;

std::vector<uint32_t> range(uint32_t from, uint32_t count) {
  std::vector<uint32_t> result(count);
  std::iota(result.begin(), result.end(), from);
  return result;
}

class Runtime : public testing::TestWithParam<const char*> {
 protected:
  const char* program() {
    bool is_static = strcmp(GetParam(), "archive") == 0;
    return is_static ? VESTIGE_TEST_TARGET_STATIC : VESTIGE_TEST_TARGET;
  }
  Outcome record(const std::string& name) {
    collector.start_draining();
    Outcome outcome = run(program(), {name}, collector.variable());
    rings = collector.finish();
    return outcome;
  }
  const RingLog& ring(uint64_t serial) {
    for (const RingLog& log : rings) {
      if (log.serial == serial) return log;
    }
    throw std::runtime_error("no such ring");
  }
  std::vector<RingLog> of_kind(RingKind kind) {
    std::vector<RingLog> result;
    std::copy_if(rings.begin(), rings.end(), std::back_inserter(result),
                 [&](const RingLog& log) { return log.kind == kind; });
    return result;
  }

  FakeCollector collector;
  std::vector<RingLog> rings;
};

TEST_P(Runtime, RecordsPathsAndReannouncements) {
  Outcome outcome = record("plain");
  EXPECT_EQ(WEXITSTATUS(outcome.status), 7);
  EXPECT_EQ(outcome.output, "101 65546");
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_EQ(rings[0].paths(), range(kPath, 101));
  auto records = rings[0].records();
  EXPECT_TRUE(records[0].is(EventKind::module_load));
  ASSERT_TRUE(records[101].is(EventKind::reannounce));
  EXPECT_EQ(records[101].wide(0), 0u);
  EXPECT_TRUE(records.back().is(EventKind::module_unload));
}

TEST_P(Runtime, RegistersTheProcess) {
  record("plain");
  ASSERT_EQ(collector.header().process_count, 1u);
  const ProcessEntry& process = collector.process(0);
  EXPECT_EQ(process.ready, 1u);
  EXPECT_EQ(process.parent_pid, static_cast<uint32_t>(getpid()));
  std::string description(reinterpret_cast<const char*>(collector.upload(process.description)),
                          process.description_size);
  std::string path = program();
  EXPECT_EQ(description, path + '\0' + path + '\0' + "plain" + '\0');
}

TEST_P(Runtime, UploadsAModuleOnceForAllProcesses) {
  Outcome first = run(program(), {"plain"}, collector.variable());
  Outcome second = record("plain");
  EXPECT_EQ(first.output, second.output);
  ASSERT_EQ(collector.header().module_count, 1u);
  const ModuleEntry& module = collector.module(0);
  EXPECT_EQ(module.first_path, kFirstPath);
  EXPECT_EQ(module.path_count, 13u);
  EXPECT_EQ(collector.header().next_path, kFirstPath + 13);
  EXPECT_EQ(
      std::string(reinterpret_cast<const char*>(collector.upload(module.name)), module.name_size),
      program());
  const uint8_t* table = collector.upload(module.table);
  auto at = [&](size_t offset) {
    return reinterpret_cast<const UploadedFunction*>(table + offset);
  };
  EXPECT_EQ(module.table_size, 16u + 16 + 16 + 8);
  EXPECT_EQ(at(0)->size, 12u);
  EXPECT_EQ(at(0)->path_count, 10u);
  EXPECT_EQ(at(0)->first_path, kFirstPath);
  EXPECT_STREQ(reinterpret_cast<const char*>(table + 16), "the first..");
  EXPECT_EQ(at(32)->first_path, kFirstPath + 10);
  EXPECT_STREQ(reinterpret_cast<const char*>(table + 48), "2nd.");
  for (const RingLog& log : rings) {
    ASSERT_EQ(log.events(EventKind::module_load).size(), 1u);
    EXPECT_EQ(log.events(EventKind::module_load)[0].payload[0], 0u);
  }
}

TEST_P(Runtime, WaitsWhenTheRingIsFull) {
  Outcome outcome = record("much");
  EXPECT_EQ(outcome.output, "3000000");
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_EQ(rings[0].paths(), range(kPath, 3'000'000));
}

TEST_P(Runtime, GoesOnUnrecordedWhenTheCollectorDies) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t owner = fork();
  if (owner == 0) {
    FakeCollector dying;
    std::string variable = dying.variable();
    if (write(ends[1], variable.data(), variable.size()) < 0) _exit(1);
    pause();
  }
  char variable[200] = {};
  ASSERT_GT(read(ends[0], variable, sizeof variable - 1), 0);
  std::thread killer([&] {
    usleep(300'000);
    kill(owner, SIGKILL);
    waitpid(owner, nullptr, 0);
  });
  Outcome outcome = run(program(), {"much"}, variable);
  killer.join();
  EXPECT_EQ(outcome.status, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST_P(Runtime, GoesOnUnrecordedWhenTheSessionIsStopped) {
  std::thread stopper([&] {
    usleep(200'000);
    collector.header().state = static_cast<uint32_t>(SessionState::stopped);
  });
  Outcome outcome = run(program(), {"much"}, collector.variable());
  stopper.join();
  EXPECT_EQ(outcome.status, 0);
}

TEST_P(Runtime, NamesThreadsTheirCreatorsAndTheirEnds) {
  EXPECT_EQ(record("threads").status, 0);
  ASSERT_EQ(rings.size(), 65u);
  const RingLog& main = ring(1);
  EXPECT_EQ(main.paths(), range(kPath, 2));
  auto created = main.events(EventKind::thread_create);
  EXPECT_EQ(created.size(), 64u);
  EXPECT_EQ(main.events(EventKind::thread_join).size(), 64u);
  std::vector<bool> seen(65);
  for (const RingLog& log : rings) {
    if (log.serial == 1) continue;
    EXPECT_TRUE(log.closed);
    EXPECT_EQ(log.parent_serial, 1u);
    EXPECT_EQ(log.parent_ring, main.index);
    EXPECT_EQ(log.parent_time, 1u);
    EXPECT_TRUE(std::any_of(created.begin(), created.end(), [&](const Record& record) {
      return record.wide(0) == log.pthread_id;
    }));
    auto paths = log.paths();
    ASSERT_EQ(paths.size(), 900u);
    uint32_t number = (paths[0] - kPath) / 1000;
    EXPECT_EQ(paths, range(kPath + 1000 * number, 900));
    seen[number] = true;
    EXPECT_TRUE(log.records().back().is(EventKind::thread_end));
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 64);
}

TEST_P(Runtime, RecordsKeyDestructors) {
  EXPECT_EQ(record("late").status, 0);
  ASSERT_EQ(rings.size(), 2u);
  EXPECT_EQ(rings[1].paths(), range(kPath + 1, 2));
  EXPECT_TRUE(rings[1].records().back().is(EventKind::thread_end));
}

TEST_P(Runtime, GivesAForkedChildItsOwnRing) {
  Outcome outcome = record("forks");
  EXPECT_EQ(WEXITSTATUS(outcome.status), 3);
  EXPECT_EQ(outcome.output, "4");  // time goes on in the child
  ASSERT_EQ(rings.size(), 3u);
  ASSERT_EQ(collector.header().process_count, 2u);
  EXPECT_EQ(collector.process(1).forked_from, 1u);
  EXPECT_EQ(collector.process(1).description, collector.process(0).description);
  EXPECT_EQ(rings[0].paths(),
            (std::vector<uint32_t>{kPath, kPath + 1, kPath + 2, kPath + 20, kPath + 21}));
  auto forks = rings[0].events(EventKind::fork);
  ASSERT_EQ(forks.size(), 1u);
  EXPECT_EQ(forks[0].payload[0], collector.process(1).pid);
  EXPECT_EQ(rings[1].paths(), range(kPath + 10, 1));
  EXPECT_EQ(rings[1].process, 1u);
  EXPECT_EQ(rings[1].parent_serial, rings[0].serial);
  EXPECT_EQ(rings[1].parent_time, 3u);
  EXPECT_EQ(rings[2].paths(), range(kPath + 11, 1));
  EXPECT_EQ(rings[2].parent_serial, rings[1].serial);
  EXPECT_EQ(rings[2].parent_time, 4u);
}

TEST_P(Runtime, RunsHandlersInTheirOwnRings) {
  Outcome outcome = record("handler");
  EXPECT_EQ(outcome.status, 0);
  ASSERT_EQ(rings.size(), 3u);
  EXPECT_EQ(rings[0].paths(), range(kPath, 9));
  ASSERT_EQ(rings[1].kind, RingKind::handler);
  EXPECT_EQ(rings[1].paths(),
            (std::vector<uint32_t>{kPath + 100, kPath + 101, kPath + 100, kPath + 101}));
  auto begun = rings[1].events(EventKind::handler_begin);
  ASSERT_EQ(begun.size(), 2u);
  EXPECT_EQ(rings[1].events(EventKind::handler_end).size(), 2u);
  EXPECT_EQ(begun[0].payload[0], static_cast<uint32_t>(SIGUSR1));
  EXPECT_EQ(begun[0].payload[1], rings[0].index);
  EXPECT_EQ(begun[0].wide(2), rings[0].serial);
  EXPECT_EQ(begun[0].wide(4), 6u);  // the thread-local said 1
  EXPECT_EQ(begun[1].wide(4), 8u);
  ASSERT_EQ(rings[2].kind, RingKind::handler);
  EXPECT_EQ(rings[2].paths(), range(kPath + 200, 1));
  auto nested = rings[2].events(EventKind::handler_begin);
  ASSERT_EQ(nested.size(), 1u);
  EXPECT_EQ(nested[0].wide(2), rings[1].serial);
  EXPECT_EQ(nested[0].wide(4), 2u);
}

TEST_P(Runtime, MarksPathsAbandonedByAJumpOutOfAHandler) {
  Outcome outcome = record("jumps");
  EXPECT_EQ(outcome.status, 0);
  ASSERT_EQ(rings.size(), 3u);
  std::string story;
  for (const Record& record : rings[0].records()) {
    if (!record.is_event) {
      story += std::to_string(record.word - kPath) + ' ';
    } else if (record.is(EventKind::abandoned)) {
      story += "abandoned ";
    } else if (record.is(EventKind::reannounce)) {
      story += "again@" + std::to_string(record.wide(0)) + ' ';
    }
  }
  EXPECT_EQ(story,
            "0 again@0 1 2 3 4 5 abandoned again@0 50 "
            "0 again@7 1 2 3 4 5 abandoned again@7 50 60 61 ");
  EXPECT_EQ(rings[1].paths(),
            (std::vector<uint32_t>{kPath + 100, kPath + 100, kPath + 101, kPath + 102}));
  // Twice the inner handler left it, and twice it was left itself.
  EXPECT_EQ(rings[1].events(EventKind::abandoned).size(), 4u);
  EXPECT_EQ(rings[2].paths(), (std::vector<uint32_t>{kPath + 100, kPath + 100}));
}

TEST_P(Runtime, LeavesAMarkerOfAFatalSignal) {
  Outcome outcome = record("crash");
  ASSERT_TRUE(WIFSIGNALED(outcome.status));
  EXPECT_EQ(WTERMSIG(outcome.status), SIGSEGV);
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_EQ(rings[0].paths(), range(kPath, 6));
  auto last = rings[0].records().back();
  ASSERT_TRUE(last.is(EventKind::fatal_signal));
  ASSERT_EQ(last.payload.size(), 39u);
  EXPECT_EQ(last.payload[0], static_cast<uint32_t>(SIGSEGV));
  EXPECT_NE(last.wide(1), 0u);
  EXPECT_EQ(last.wide(3), 16u);
}

TEST_P(Runtime, DiesTheSameWay) {
  struct {
    const char* name;
    int signal;
  } const cases[] = {{"overflow", SIGSEGV}, {"aborts", SIGABRT}, {"trap", SIGTRAP}};
  for (const auto& item : cases) {
    FakeCollector own;
    own.start_draining();
    Outcome outcome = run(program(), {item.name}, own.variable());
    auto logs = own.finish();
    ASSERT_TRUE(WIFSIGNALED(outcome.status)) << item.name;
    EXPECT_EQ(WTERMSIG(outcome.status), item.signal);
    ASSERT_EQ(logs.size(), 1u);
    auto last = logs[0].records().back();
    ASSERT_TRUE(last.is(EventKind::fatal_signal)) << item.name;
    EXPECT_EQ(last.payload[0], static_cast<uint32_t>(item.signal));
  }
}

TEST_P(Runtime, PutsItsMarkerBackWhenTheProgramRestoresTheDefault) {
  Outcome outcome = record("restored");
  ASSERT_TRUE(WIFSIGNALED(outcome.status));
  EXPECT_EQ(WTERMSIG(outcome.status), SIGSEGV);
  ASSERT_EQ(rings.size(), 2u);
  EXPECT_EQ(rings[1].paths(), range(kPath + 100, 1));
  EXPECT_TRUE(rings[0].records().back().is(EventKind::fatal_signal));
}

TEST_P(Runtime, HidesItsDispositions) { EXPECT_EQ(record("defaults").status, 0); }

TEST_P(Runtime, RecordsBothSidesOfAnExec) {
  Outcome outcome = record("again");
  EXPECT_EQ(WEXITSTATUS(outcome.status), 7);
  ASSERT_EQ(collector.header().process_count, 2u);
  EXPECT_EQ(collector.process(0).pid, collector.process(1).pid);
  EXPECT_EQ(collector.process(1).forked_from, 0u);
  ASSERT_EQ(rings.size(), 2u);
  EXPECT_EQ(rings[0].paths(), range(kPath, 1));
  EXPECT_EQ(rings[1].paths(), range(kPath, 101));
}

TEST_P(Runtime, LosesNothingUnderAStormOfSignals) {
  EXPECT_EQ(record("storm").status, 0);
  EXPECT_EQ(rings[0].paths(), range(kPath, 2'000'000));
  auto again = rings[0].events(EventKind::reannounce);
  EXPECT_EQ(again.size(), 666'667u);
  EXPECT_TRUE(std::all_of(again.begin(), again.end(), [](auto& r) { return r.wide(0) == 0; }));
  ASSERT_EQ(rings.size(), 2u);
  uint64_t last = 0;
  auto begun = rings[1].events(EventKind::handler_begin);
  EXPECT_GT(begun.size(), 10u);
  EXPECT_EQ(begun.size(), rings[1].events(EventKind::handler_end).size());
  EXPECT_EQ(begun.size(), rings[1].paths().size());
  for (const Record& record : begun) {
    EXPECT_GE(record.wide(4), last);
    last = record.wide(4);
    EXPECT_LE(last, 2'000'000u);
  }
}

TEST_P(Runtime, SurvivesForksInACrowdOfThreads) {
  EXPECT_EQ(record("crowd").status, 0);
  std::map<uint32_t, size_t> counts;
  for (const RingLog& log : rings) {
    for (uint32_t path : log.paths()) ++counts[path - kPath];
  }
  EXPECT_EQ(counts, (std::map<uint32_t, size_t>{{0, 1}, {1, 160}, {2, 160}, {3, 160}}));
  EXPECT_EQ(collector.header().process_count, 161u);
}

TEST_P(Runtime, ForksInAHandler) {
  EXPECT_EQ(record("fork_in_handler").status, 0);
  auto expected = range(kPath, 6);
  expected.push_back(kPath + 1000);
  EXPECT_EQ(rings[0].paths(), expected);
  ASSERT_EQ(rings.size(), 3u);
  EXPECT_EQ(rings[1].paths(), range(kPath + 100, 2));
  EXPECT_EQ(rings[2].paths(), range(kPath + 102, 1));
}

TEST_P(Runtime, KeepsWhatAKilledTargetWrote) {
  collector.start_draining();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::string variable = collector.variable();
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    setenv(kSessionVariable, variable.c_str(), 1);
    execl(program(), program(), "sleepy", nullptr);
    _exit(127);
  }
  char ready[6];
  ASSERT_EQ(read(ends[0], ready, sizeof ready), 6);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  rings = collector.finish();
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_EQ(rings[0].paths(), range(kPath, 1));
  close(ends[0]);
  close(ends[1]);
}

TEST_P(Runtime, LeavesAProgramWithoutASessionAlone) {
  EXPECT_EQ(run(program(), {"untouched"}, "").status, 0);
  EXPECT_EQ(run(program(), {"threads"}, "").status, 0);
  EXPECT_EQ(run(program(), {"handler"}, "").status, 0);
  EXPECT_EQ(WEXITSTATUS(run(program(), {"forks"}, "").status), 3);
  for (const char* wrong :
       {"/proc/1/fd/99999:12", "nonsense", ":", "/dev/null:1", "/proc/self/exe:zz"}) {
    Outcome outcome = run(program(), {"untouched"}, wrong);
    EXPECT_EQ(outcome.status, 0) << wrong;
    EXPECT_EQ(outcome.output, "");
  }
  std::string stale = collector.variable();
  stale.back() = 'f';
  EXPECT_EQ(run(program(), {"untouched"}, stale).status, 0);
  EXPECT_EQ(collector.header().process_count, 0u);
}

INSTANTIATE_TEST_SUITE_P(With, Runtime, testing::Values("library", "archive"));

}  // namespace
}  // namespace vestige::test
