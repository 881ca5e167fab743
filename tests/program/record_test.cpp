// Function records: what is written is what is read, and any bytes are read or refused.
#include "program/record.h"

#include <gtest/gtest.h>

#include "random_function.h"

namespace vestige {
namespace {

TEST(FunctionRecord, RoundTrip) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    const Function function = random_function(random);
    const Bytes bytes = encode_function(function);
    const auto decoded = decode_function(bytes);
    ASSERT_TRUE(decoded) << "round " << round << ": " << decoded.error().message;
    ASSERT_EQ(dump(*decoded), dump(function)) << "round " << round;
    ASSERT_EQ(encode_function(*decoded), bytes);
  }
}

TEST(FunctionRecord, EveryPrefixIsRefused) {
  std::mt19937 random(2);
  const Bytes bytes = encode_function(random_function(random));
  for (size_t n = 0; n < bytes.size(); ++n)
    ASSERT_FALSE(decode_function(ByteView(bytes).first(n))) << n << " bytes";
}

// What is accepted must be whole: it can be written again, and means the same then.
TEST(FunctionRecord, AnyBytesAreReadOrRefused) {
  std::mt19937 random(3);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = encode_function(random_function(random));
    for (size_t n = 1 + random() % 3; n > 0; --n) {
      uint8_t& byte = bytes[random() % bytes.size()];
      byte = random() % 2 ? static_cast<uint8_t>(random())
                          : static_cast<uint8_t>(byte ^ (1u << random() % 8));
    }
    const auto decoded = decode_function(bytes);
    if (!decoded) {
      ASSERT_FALSE(decoded.error().message.empty());
      continue;
    }
    ++accepted;
    const auto again = decode_function(encode_function(*decoded));
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(dump(*again), dump(*decoded)) << "round " << round;
  }
  EXPECT_GT(accepted, 1000);
}

TEST(FunctionRecord, AnotherVersionIsSaidSo) {
  std::mt19937 random(4);
  Bytes bytes = encode_function(random_function(random));
  bytes[0] = kFunctionRecordVersion + 1;
  const auto decoded = decode_function(bytes);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().kind, ErrorKind::unsupported);
}

// Records of the first version end where the variables begin.
TEST(FunctionRecord, RecordsWithoutVariablesAreRead) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    Function function = random_function(random);
    function.bindings.clear();
    function.variables.clear();
    function.source_types.clear();
    function.data.clear();
    Bytes bytes = encode_function(function);
    bytes.resize(bytes.size() - 4);  // four empty lists
    bytes[0] = 1;
    const auto decoded = decode_function(bytes);
    ASSERT_TRUE(decoded) << decoded.error().message;
    ASSERT_EQ(dump(*decoded), dump(function));
  }
}

}  // namespace
}  // namespace vestige
