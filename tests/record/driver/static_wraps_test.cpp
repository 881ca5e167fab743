#include "record/driver/static_wraps.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <string>

namespace vestige::driver {

TEST(StaticWraps, AreThoseTheRuntimeDefines) {
  std::FILE* symbols = popen("nm --defined-only " VESTIGE_RUNTIME_ARCHIVE " 2>/dev/null", "r");
  ASSERT_NE(symbols, nullptr);
  std::set<std::string> defined;
  char line[512];
  while (std::fgets(line, sizeof line, symbols)) {
    const std::string text = line;
    const size_t at = text.find(" T __wrap_");
    if (at != text.npos)
      defined.insert(text.substr(at + 10, text.find_last_not_of('\n') + 1 - at - 10));
  }
  ASSERT_EQ(pclose(symbols), 0);
  EXPECT_EQ(defined, std::set<std::string>(kStaticWraps.begin(), kStaticWraps.end()));
}

}  // namespace vestige::driver
