// What a pattern may say, and what is refused.
#include <gtest/gtest.h>

#include "query/paths/automaton.h"
#include "trace/synthetic.h"

namespace vestige {
namespace {

class Expressions : public testing::Test {
 protected:
  Result<Automaton> make(PatternKind kind, const std::string& text) const {
    PatternOptions options;
    options.kind = kind;
    options.text = text;
    const auto expression = parse_pattern(trace_, options);
    if (!expression) return std::unexpected(expression.error());
    return Automaton::make(*expression);
  }
  const synthetic::TraceFile file_ = synthetic::make_trace(3);
  const Trace trace_ = std::move(*Trace::open(file_.path));
};

TEST_F(Expressions, LiteralPathsHaveOneStateMoreThanBlocks) {
  EXPECT_EQ(make(PatternKind::path, "B0 B1 B0")->states(), 4u);
  EXPECT_EQ(make(PatternKind::path, "0,1,0")->states(), 4u);
}

TEST_F(Expressions, NonsenseIsRefused) {
  for (const char* text : {"", "   ", "B", "Bx", "B-1", "B4294967296", "B99999", "x"}) {
    EXPECT_FALSE(make(PatternKind::path, text)) << text;
    EXPECT_FALSE(make(PatternKind::regex, text)) << text;
  }
  for (const char* text :
       {"(B0", "B0)", "*", "B0 |", "|B0", "()", "B0{", "B0{2", "B0{2,1}", "B0{0}", "B0*", "B0?",
        "@", "@main B0", "B0 @nobody", "B0{9999}", "((B0{99}){99}){99}"})
    EXPECT_FALSE(make(PatternKind::regex, text)) << text;
  EXPECT_FALSE(make(PatternKind::regex, std::string(1000, '(') + "B0"));
  EXPECT_FALSE(make(PatternKind::lines, "99999"));
  EXPECT_EQ(make(PatternKind::lines, "99999").error().kind, ErrorKind::missing);
}

// What stands behind a part holds for all of it, with what stood behind it before.
TEST_F(Expressions, SeveralCounts) {
  EXPECT_EQ(make(PatternKind::regex, "B0{2}{3}")->states(), 7u);
  EXPECT_EQ(make(PatternKind::regex, "B0 {2} {3}")->states(), 7u);
  const auto same = [&](const char* text, const char* plain) {
    const auto a = make(PatternKind::regex, text), b = make(PatternKind::regex, plain);
    ASSERT_TRUE(a && b) << text;
    ASSERT_EQ(a->states(), b->states()) << text;
    for (uint32_t state = 0; state < a->states(); ++state)
      for (const uint32_t block : {0, 1}) {
        ASSERT_EQ(a->next(state, a->block_class(block)), b->next(state, b->block_class(block)));
        ASSERT_EQ(a->accepts(state, a->block_class(block)),
                  b->accepts(state, b->block_class(block)));
      }
  };
  same("B1 B0?{2} B1", "B1 (B0 B0?)? B1");
  same("B1 B0*{2} B1", "B1 B0* B1");
  same("B1 (B0 B1)+{2} B1", "B1 B0 B1 (B0 B1)+ B1");
  same("B1 B0{2}? B1", "B1 (B0 B0)? B1");
  same("(B1 B0{2}){2}", "B1 B0 B0 B1 B0 B0");
}

TEST_F(Expressions, ManySigns) {
  std::string any = "B0";
  for (int i = 0; i < 2000; ++i) any += "|B0";
  EXPECT_TRUE(make(PatternKind::regex, "(" + any + ")" + std::string(20000, '+')));
}

TEST_F(Expressions, AutomataOfBoundedSize) {
  // Its automaton has 2^n states.
  EXPECT_TRUE(make(PatternKind::regex, "B0 .{8}"));
  const auto large = make(PatternKind::regex, "B0 .{40}");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace vestige
