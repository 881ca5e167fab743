#include "record/driver/response_file.h"

#include <gtest/gtest.h>

#include <fstream>

namespace vestige::driver {
namespace {

using Words = std::vector<std::string>;

TEST(ResponseFile, SplitsAtBlanks) {
  EXPECT_EQ(split_response("-O2  -c\n\ta.c\r\n"), (Words{"-O2", "-c", "a.c"}));
  EXPECT_EQ(split_response(""), Words{});
}

TEST(ResponseFile, QuotesGroupAndBackslashesEscape) {
  EXPECT_EQ(split_response(R"("-DX=a b" 'c d' e\ f "g\"h" 'i\j' "")"),
            (Words{"-DX=a b", "c d", "e f", "g\"h", "i\\j", ""}));
}

TEST(ResponseFile, ExpandsNestedFilesAndLeavesMissingOnes) {
  const std::string inner = testing::TempDir() + "inner.rsp",
                    outer = testing::TempDir() + "outer.rsp";
  std::ofstream(inner) << "-g0 a.c";
  std::ofstream(outer) << "-c @" << inner;
  const Words words = {"@" + outer, "@/no/such/file", "@"};
  EXPECT_EQ(expand_response_files(words), (Words{"-c", "-g0", "a.c", "@/no/such/file", "@"}));
}

TEST(ResponseFile, SurvivesFilesThatNameThemselves) {
  const std::string self = testing::TempDir() + "self.rsp";
  std::ofstream(self) << "-c @" << self;
  EXPECT_EQ(expand_response_files(Words{"@" + self}).size(), 17u);
}

}  // namespace
}  // namespace vestige::driver
