// What users may call threads, functions and statements.
#include <gtest/gtest.h>

#include "trace/synthetic.h"
#include "vestige/query.h"

namespace vestige {
namespace {

using namespace synthetic;

class Names : public testing::Test {
 protected:
  void SetUp() override {
    file_ = make_trace(1);
    trace_.emplace(Trace::open(file_.path).value());
  }
  const Trace& trace() const { return *trace_; }
  std::string error_of(std::string_view text) const {
    auto found = find_statement(trace(), text);
    return found ? "found" : found.error().message;
  }
  TraceFile file_;
  std::optional<Trace> trace_;
};

TEST_F(Names, Threads) {
  EXPECT_EQ(find_thread(trace(), "0").value(), 0u);
  EXPECT_EQ(find_thread(trace(), "1").value(), 1u);
  EXPECT_EQ(find_thread(trace(), "0.1").value(), 1u);
  EXPECT_EQ(thread_name(trace(), 1), "0.1");
  EXPECT_EQ(find_thread(trace(), "2").error().kind, ErrorKind::missing);
  EXPECT_EQ(find_thread(trace(), "1.0").error().kind, ErrorKind::missing);
  EXPECT_EQ(find_thread(trace(), "0.7").error().kind, ErrorKind::missing);
  for (const char* bad : {"", "x", "0.", ".1", "0.1.2", "-1", "1 "})
    EXPECT_EQ(find_thread(trace(), bad).error().kind, ErrorKind::usage) << bad;
}

TEST_F(Names, Functions) {
  EXPECT_EQ(find_function(trace(), "main").value(), 0u);
  EXPECT_EQ(find_function(trace(), "_Z4leafi").value(), 1u);
  EXPECT_EQ(find_function(trace(), "leaf(int)").value(), 1u);
  EXPECT_EQ(find_function(trace(), "leaf(char)").value(), 4u);
  EXPECT_EQ(find_function(trace(), "hop").value(), 3u);
  const auto several = find_function(trace(), "leaf");
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().kind, ErrorKind::usage);
  EXPECT_NE(several.error().message.find("leaf(int)"), std::string::npos)
      << several.error().message;
  EXPECT_NE(several.error().message.find("synthetic.c:90"), std::string::npos)
      << several.error().message;
  EXPECT_EQ(find_functions(trace(), "leaf").size(), 2u);
  const auto none = find_function(trace(), "mian");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::missing);
  EXPECT_NE(none.error().message.find("near: main"), std::string::npos) << none.error().message;
}

TEST_F(Names, StatementsById) {
  uint64_t id = 0;
  for (uint32_t f = 0; f < trace().functions().size(); ++f) {
    for (uint32_t s = 0; s < trace().functions()[f].statements.size(); ++s, ++id) {
      const StatementRef ref{f, s};
      EXPECT_EQ(statement_id(trace(), ref), id);
      EXPECT_EQ(find_statement(trace(), "#" + std::to_string(id)).value(), ref);
      EXPECT_EQ(find_statement(trace(), statement_name(trace(), ref)).value(), ref);
    }
  }
  EXPECT_NE(error_of("#" + std::to_string(id)).find("no statement"), std::string::npos);
  EXPECT_NE(error_of("#x").find("takes a number"), std::string::npos);
}

TEST_F(Names, StatementsByBlock) {
  const StatementRef first{0, trace().functions()[0].blocks[2].first_statement};
  EXPECT_EQ(find_statement(trace(), "main:2.0").value(), first);
  EXPECT_EQ(find_statement(trace(), "main:B2.0").value(), first);
  EXPECT_EQ(find_statement(trace(), "leaf(int):0.0").value().function, 1u);
  EXPECT_NE(error_of("main:B99.0").find("has blocks B0 to B6"), std::string::npos)
      << error_of("main:B99.0");
  EXPECT_NE(error_of("main:B2.99").find("has 3 statements"), std::string::npos)
      << error_of("main:B2.99");
  EXPECT_NE(error_of("leaf:0.0").find("ambiguous"), std::string::npos) << error_of("leaf:0.0");
  EXPECT_NE(error_of("mian:0.0").find("near: main"), std::string::npos);
}

TEST_F(Names, StatementsByLine) {
  const Function& main = trace().functions()[0];
  const uint32_t location = main.statements[1].location;
  const std::string line = std::to_string(main.locations[location].line);
  EXPECT_EQ(find_statement(trace(), "synthetic.c:" + line).value(), (StatementRef{0, 1}));
  EXPECT_EQ(find_statement(trace(), "synthetic.c:" + line + ":7").value(), (StatementRef{0, 1}));
  EXPECT_EQ(find_statement(trace(), "dir/synthetic.c:" + line).value(), (StatementRef{0, 1}));
  EXPECT_EQ(find_statement(trace(), "/src/dir/synthetic.c:" + line).value(), (StatementRef{0, 1}));
  EXPECT_NE(error_of("synthetic.c:" + line + ":8").find("no statement at"), std::string::npos);
  EXPECT_NE(error_of("other.c:" + line).find("no recorded code comes from"), std::string::npos);
  EXPECT_NE(error_of("ynthetic.c:" + line).find("no recorded code comes from"), std::string::npos);
  EXPECT_NE(error_of("nonsense").find("give #ID"), std::string::npos);
  EXPECT_NE(error_of("").find("give #ID"), std::string::npos);
}

}  // namespace
}  // namespace vestige
