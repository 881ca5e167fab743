#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "vestige/compile.h"

namespace vestige {
namespace {

using Words = std::vector<std::string>;

const CompilerTools kTools = {.program = "/bin/clang",
                              .program_flags = {},
                              .library_dir = "/lib/v",
                              .plugin = "/lib/v/pass.so"};

CompilePlan plan(const Words& words) {
  const auto made = plan_compile(words, kTools);
  EXPECT_TRUE(made.has_value());
  return *made;
}

bool has(const CompilePlan& p, const std::string& word) {
  return std::ranges::find(p.arguments, word) != p.arguments.end();
}

size_t position(const CompilePlan& p, const std::string& word) {
  return std::ranges::find(p.arguments, word) - p.arguments.begin();
}

TEST(Plan, CompileStep) {
  const CompilePlan p = plan({"-O2", "-c", "a.c", "-o", "a.o"});
  EXPECT_EQ(p.arguments, (Words{"--start-no-unused-arguments", "-fpass-plugin=/lib/v/pass.so", "-g",
                                "-fstandalone-debug", "--end-no-unused-arguments", "-O2", "-c",
                                "a.c", "-o", "a.o", "--start-no-unused-arguments", "-fno-vectorize",
                                "-fno-slp-vectorize", "--end-no-unused-arguments"}));
  EXPECT_TRUE(p.instruments);
  EXPECT_FALSE(p.links_runtime);
}

TEST(Plan, LinkStep) {
  const CompilePlan p = plan({"a.o", "-o", "a", "-lm"});
  EXPECT_EQ(p.arguments, (Words{"a.o", "-o", "a", "-lm", "--start-no-unused-arguments",
                                "-Wl,--push-state,--as-needed,-Bdynamic,--no-whole-archive",
                                "-L/lib/v", "-lvestige-rt", "-Wl,--pop-state", "-Wl,-rpath,/lib/v",
                                "--end-no-unused-arguments"}));
  EXPECT_FALSE(p.instruments);
  EXPECT_TRUE(p.links_runtime);
}

TEST(Plan, CompileAndLink) {
  for (const Words& words : {Words{"a.c"},
                             {"a.c", "b.o"},
                             {"-x", "c", "-"},
                             {"-xc++", "-"},
                             {"-shared", "-fPIC", "a.cpp"},
                             {"-flto=thin", "a.c"},
                             {"-fuse-ld=lld", "a.C"},
                             {"-v", "a.c"},
                             {"a.ll"},
                             {"-MD", "a.c"}}) {
    const CompilePlan p = plan(words);
    EXPECT_TRUE(p.instruments && p.links_runtime) << words[0];
    EXPECT_LT(position(p, "-fpass-plugin=/lib/v/pass.so"), position(p, words[0]));
    EXPECT_LT(position(p, words[0]), position(p, "-lvestige-rt"));
    EXPECT_EQ(p.note, "");
  }
}

TEST(Plan, PassesThroughInSilence) {
  for (const Words& words : std::vector<Words>{{},
                                               {"-v"},
                                               {"--version"},
                                               {"-E", "a.c"},
                                               {"-S", "a.c"},
                                               {"-c", "-emit-llvm", "a.c"},
                                               {"-M", "a.c"},
                                               {"-MM", "a.c"},
                                               {"-###", "a.c"},
                                               {"-fsyntax-only", "a.c"},
                                               {"-c", "a.s"},
                                               {"-c", "a.S"},
                                               {"-c", "-x", "assembler", "a.c"},
                                               {"-xassembler-with-cpp", "-c", "a.c"},
                                               {"a.h"},
                                               {"-x", "c-header", "a.c"},
                                               {"-x", "c++-header", "-o", "a.pch", "a.hpp"},
                                               {"-cc1", "a.c"},
                                               {"-print-search-dirs"},
                                               {"-dumpmachine"},
                                               {"-print-file-name=libc.so"},
                                               {"--help"},
                                               {"-r", "a.o", "-o", "b.o"},
                                               {"-nostdlib", "a.o"},
                                               {"-m32", "a.o"},
                                               {"-w", "-m32", "-c", "a.c"},
                                               {"--precompile", "a.cppm"}}) {
    const CompilePlan p = plan(words);
    EXPECT_EQ(p.arguments, words);
    EXPECT_FALSE(p.instruments || p.links_runtime);
    EXPECT_EQ(p.note, "");
  }
}

TEST(Plan, PassesThroughWithANote) {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"-m32", "-c", "a.c"}, "-m32: compiled without recording"},
      {{"--target=aarch64-linux-gnu", "-c", "a.c"},
       "--target=aarch64-linux-gnu: compiled without recording"},
      {{"-target", "wasm32", "-c", "a.c"}, "-target wasm32: compiled without recording"},
      {{"--target=x86_64-linux-musl", "a.c"},
       "--target=x86_64-linux-musl: compiled without recording"},
      {{"-ffreestanding", "-c", "a.c"}, "-ffreestanding: compiled without recording"},
      {{"-nostdlib", "a.c"}, "-nostdlib: compiled without recording"},
      {{"-c", "a.cu"}, "offload code: compiled without recording"},
  };
  for (const auto& [words, note] : cases) {
    const CompilePlan p = plan(words);
    EXPECT_EQ(p.arguments, words);
    EXPECT_EQ(p.note, note);
  }
}

TEST(Plan, NativeTargetsAreRecorded) {
  EXPECT_TRUE(plan({"--target=x86_64-pc-linux-gnu", "-c", "a.c"}).instruments);
  EXPECT_TRUE(plan({"-m32", "-m64", "-c", "a.c"}).instruments);
  EXPECT_TRUE(plan({"-ffreestanding", "-fhosted", "-c", "a.c"}).instruments);
}

TEST(Plan, DebugInformationIsTheUsersChoice) {
  for (const char* flag : {"-g", "-g0", "-g1", "-ggdb3", "-gdwarf-4", "-gline-tables-only"}) {
    const CompilePlan p = plan({flag, "-c", "a.c"});
    EXPECT_EQ(std::ranges::count_if(p.arguments,
                                    [](const std::string& w) { return w.starts_with("-g"); }),
              1)
        << flag;
  }
}

TEST(Plan, Vectorizers) {
  EXPECT_FALSE(has(plan({"--vestige-keep-vectorizer", "-c", "a.c"}), "-fno-vectorize"));
  EXPECT_FALSE(has(plan({"--vestige-keep-vectorizer", "-c", "a.c"}), "--vestige-keep-vectorizer"));
  // Behind -O, which turns them on; but the user's own word wins.
  const CompilePlan p = plan({"-fvectorize", "-O2", "-c", "a.c"});
  EXPECT_FALSE(has(p, "-fno-vectorize"));
  EXPECT_LT(position(p, "-O2"), position(p, "-fno-slp-vectorize"));
}

TEST(Plan, MisspeltOwnFlagIsRefused) {
  const auto made = plan_compile(Words{"--vestige-keep-vectoriser", "-c", "a.c"}, kTools);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().kind, ErrorKind::usage);
}

TEST(Plan, StaticLinksTheArchive) {
  for (const char* flag : {"-static", "--static", "-static-pie"}) {
    const CompilePlan p = plan({flag, "a.o"});
    EXPECT_TRUE(has(p, "-l:libvestige-rt.a")) << flag;
    EXPECT_FALSE(has(p, "-lvestige-rt")) << flag;
    EXPECT_TRUE(std::ranges::any_of(p.arguments, [](const std::string& w) {
      return w.starts_with("-Wl,--wrap=pthread_create");
    }));
  }
  EXPECT_TRUE(has(plan({"-static-libgcc", "a.o"}), "-lvestige-rt"));
}

TEST(Plan, RelocatableLinksCompileButTakeNoRuntime) {
  for (const Words& words : {Words{"-r", "a.c"}, {"-Wl,-r", "a.c"}, {"-Xlinker", "-r", "a.c"}}) {
    const CompilePlan p = plan(words);
    EXPECT_TRUE(p.instruments);
    EXPECT_FALSE(p.links_runtime);
  }
}

TEST(Plan, LibtoolLinksWithNostdlib) {
  EXPECT_TRUE(
      plan({"-shared", "-nostdlib", "crti.o", "a.o", "-lstdc++", "-lc", "crtn.o"}).links_runtime);
}

TEST(Plan, ValuesOfFlagsAreNoInputs) {
  EXPECT_FALSE(plan({"-v", "-I", "a.c"}).instruments);
  EXPECT_FALSE(plan({"-c", "-include", "b.c", "a.s"}).instruments);
  EXPECT_FALSE(plan({"-Xclang", "a.c", "--version"}).instruments);
  EXPECT_TRUE(plan({"-c", "-MF", "a.d", "-MT", "a.o", "a.c"}).instruments);
  EXPECT_TRUE(plan({"-c", "-o", "x.h", "a.c"}).instruments);
}

TEST(Plan, LanguageSwitchesApplyToWhatFollows) {
  EXPECT_TRUE(plan({"-c", "a.s", "-x", "c", "b.txt"}).instruments);
  EXPECT_FALSE(plan({"-c", "-x", "assembler", "a.c", "-x", "none", "b.s"}).instruments);
  EXPECT_TRUE(plan({"-c", "-x", "assembler", "a.c", "-x", "none", "b.c"}).instruments);
}

TEST(Plan, LinkerFlagsAloneCallTheLinker) { EXPECT_TRUE(plan({"-Wl,--version"}).links_runtime); }

TEST(Plan, ResponseFilesAreReadAndLeftInPlace) {
  const std::string file = testing::TempDir() + "plan.rsp";
  std::ofstream(file) << "-c -g0 a.c";
  const CompilePlan p = plan({"@" + file});
  EXPECT_TRUE(p.instruments);
  EXPECT_FALSE(p.links_runtime);
  EXPECT_FALSE(has(p, "-g"));
  EXPECT_TRUE(has(p, "@" + file));
}

TEST(Plan, InputsBehindDoubleDash) {
  const CompilePlan p = plan({"-O2", "--", "-a.c", "b.c"});
  EXPECT_TRUE(p.instruments && p.links_runtime);
  EXPECT_FALSE(has(p, "--"));
  EXPECT_TRUE(has(p, "./-a.c") && has(p, "b.c"));
}

TEST(Plan, NotRecordingChangesNothing) {
  const Words words = {"-O2", "a.c"};
  EXPECT_EQ(plan_compile(words, kTools, false)->arguments, words);
}

}  // namespace
}  // namespace vestige
