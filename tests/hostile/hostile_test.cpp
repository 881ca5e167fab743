// Real traces with their bytes flipped, cut, doubled and spliced, 10,000 of them, and as many more
// with payloads forged behind good checksums: an error or a correct answer, no crash, no hang,
// memory below 1 GiB. Each batch runs in a process of its own, which says which variant it is at.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "answers.h"
#include "mutate.h"
#include "trace/index/recording.h"

namespace vestige::hostile {
namespace {

constexpr uint64_t kBatch = 250;
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr unsigned kSecondsPerVariant = kSanitized ? 200 : 20;

Bytes read_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(const std::string& file, const Bytes& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

struct Source {
  std::string name;
  Bytes bytes;
  Answers answers;
};

class Hostile : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // In memory where there is such a place: recovering syncs its file to the disk.
    const std::string shared = "/dev/shm/";
    folder_ = (access(shared.c_str(), W_OK) == 0 ? shared : testing::TempDir()) +
              "vestige-hostile-" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    add("golden", VESTIGE_GOLDEN);
    record("threads", "-O2", "4");
    record("exceptions", "-O0", "");
    record("exceptions", "-O1", "", "full");
    full_ = sources_.back();
    record("threads", "-O1", "4", "full");
    threads_ = sources_.back();
    sources_.pop_back();
    for (uint64_t seed = 1; seed <= 5; ++seed)
      empty_threads_.push_back(read_bytes(
          windows_test::record_random({.seed = seed, .threads = 4, .paths = 30, .empty = 0.6})
              .path));
  }
  static void TearDownTestSuite() {
    if (!testing::UnitTest::GetInstance()->Failed()) std::filesystem::remove_all(folder_);
  }

  static void add(const std::string& name, const std::string& file) {
    auto trace = Trace::open(file);
    ASSERT_TRUE(trace) << trace.error().message;
    sources_.push_back({name, read_bytes(file), ask_everything(*trace)});
  }
  static void record(const std::string& program, const std::string& level,
                     const std::string& argument, const std::string& what = "control") {
    const std::string tools = VESTIGE_TOOLS, binary = folder_ + "/" + program + "-" + what;
    const std::string build = tools + "/vestige-c++ -pthread " + level + " " VESTIGE_PROGRAMS "/" +
                              program + ".cpp -o " + binary;
    const std::string run = tools + "/vestige record -q --what " + what + " -o " + binary +
                            ".vst -- " + binary + " " + argument;
    ASSERT_EQ(std::system(build.c_str()), 0);
    ASSERT_EQ(std::system(run.c_str()), 0);
    add(program, binary + ".vst");
  }

  // Runs try_one(variant, file) for `count` variants in as many processes as there are cores.
  template <class TryOne>
  void run(const char* what, uint64_t count, const TryOne& try_one) {
    const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
    auto* at =
        static_cast<uint64_t*>(mmap(nullptr, workers * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::vector<pid_t> running(workers, 0);
    const auto reap = [&](unsigned worker) {
      if (running[worker] == 0) return;
      int status = 0;
      waitpid(running[worker], &status, 0);
      running[worker] = 0;
      EXPECT_EQ(status, 0) << what << " variant " << at[worker] << " of "
                           << sources_[at[worker] % sources_.size()].name << ", kept as "
                           << file_of(worker)
                           << (WIFSIGNALED(status)
                                   ? std::string(", killed by ") + strsignal(WTERMSIG(status))
                                   : ", see above");
    };
    unsigned worker = 0;
    for (uint64_t first = 0; first < count && !HasFailure(); first += kBatch) {
      reap(worker);
      if (HasFailure()) break;
      running[worker] = fork();
      if (running[worker] == 0)
        try_batch(at[worker], first, std::min(count, first + kBatch), file_of(worker), try_one);
      worker = (worker + 1) % workers;
    }
    for (worker = 0; worker < workers; ++worker) reap(worker);
    munmap(at, workers * sizeof(uint64_t));
  }
  // In a process of its own; an exception that comes out ends it, as a crash does.
  template <class TryOne>
  [[noreturn]] static void try_batch(uint64_t& at, uint64_t first, uint64_t end,
                                     const std::string& file, const TryOne& try_one) noexcept {
    limit_memory();
    for (at = first; at < end; ++at) {
      alarm(kSecondsPerVariant);
      const std::string problem = try_one(at, file);
      if (problem.empty()) continue;
      fprintf(stderr, "%s\n", problem.c_str());
      _exit(1);
    }
    _exit(0);
  }
  static std::string file_of(unsigned worker) {
    return folder_ + "/variant-" + std::to_string(worker) + ".vst";
  }
  static void limit_memory() {
    // Kept for the next variant rather than given back to the system each time.
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    if (kSanitized) return;
    const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
  }
  static const Source& source(uint64_t variant) { return sources_[variant % sources_.size()]; }
  static const Source& other(uint64_t variant) { return sources_[(variant + 1) % sources_.size()]; }

  static std::string folder_;
  static std::vector<Source> sources_;
  static Source full_;                       // a full recording
  static Source threads_;                    // one of several threads
  static std::vector<Bytes> empty_threads_;  // full recordings some of whose threads lack something
};
std::string Hostile::folder_;
std::vector<Source> Hostile::sources_;
Source Hostile::full_;
Source Hostile::threads_;
std::vector<Bytes> Hostile::empty_threads_;

TEST_F(Hostile, DamagedTracesAreReadRightOrRefused) {
  run("damaged", 10000, [](uint64_t variant, const std::string& file) -> std::string {
    std::mt19937_64 random(variant);
    const Source& from = source(variant);
    write_bytes(file, damage(from.bytes, other(variant).bytes, random));
    if (std::string problem = check_answers(file, from.answers, false); !problem.empty())
      return problem;
    const std::string whole = file + ".recovered";
    const auto report = recover(file, whole);
    if (!report) return report.error().message.empty() ? "an error without a message" : "";
    const std::string problem = check_answers(whole, from.answers, true);
    return problem.empty() ? "" : "recovered: " + problem;
  });
}

TEST_F(Hostile, ForgedTracesAreSurvived) {
  run("forged", 10000, [](uint64_t variant, const std::string& file) -> std::string {
    std::mt19937_64 random(variant);
    write_bytes(file, forge(source(variant).bytes, other(variant).bytes, random));
    survive(file, 2000);
    (void)recover(file, file + ".recovered");
    return "";
  });
}

// Values are dearer to ask for than paths, so there are fewer of these.
TEST_F(Hostile, ForgedFullTracesAreSurvived) {
  run("forged full", 1000, [](uint64_t variant, const std::string& file) -> std::string {
    std::mt19937_64 random(variant);
    write_bytes(file, forge(full_.bytes, other(variant).bytes, random));
    (void)verify(file);
    survive_values(file, 2000);
    return "";
  });
}

TEST_F(Hostile, ForgedThreadsAreSurvived) {
  run("forged threads", 250, [](uint64_t variant, const std::string& file) -> std::string {
    std::mt19937_64 random(variant);
    write_bytes(file, forge(threads_.bytes, other(variant).bytes, random));
    survive_threads(file);
    return "";
  });
}

TEST_F(Hostile, ForgedEmptyThreadsAreSurvived) {
  run("forged empty threads", 200, [](uint64_t variant, const std::string& file) -> std::string {
    std::mt19937_64 random(variant);
    const Bytes& from = empty_threads_[variant % empty_threads_.size()];
    const Bytes& other = empty_threads_[(variant + 1) % empty_threads_.size()];
    write_bytes(file, forge(from, other, random));
    survive_each_thread(file, 100);
    return "";
  });
}

}  // namespace
}  // namespace vestige::hostile
