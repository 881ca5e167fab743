#include "archive/trace_format.h"

#include <gtest/gtest.h>

namespace vestige {
namespace {

// "pc4* data8 +4": the fields, the PC starred, and the preamble.
std::string shape(std::string_view text) {
  const auto format = parse_trace_format(text);
  if (!format) return "refused";
  std::string out;
  for (const RecordField& field : format->layout.fields)
    out += field.name + std::to_string(field.width) + (field.is_pc ? "* " : " ");
  return out + "+" + std::to_string(format->preamble);
}

TEST(TraceFormat, Named) {
  EXPECT_EQ(shape("vpc"), "pc4* data8 +4");
  EXPECT_EQ(shape("cf"), "event4 +0");
  EXPECT_EQ(shape("refs"), "pc8* address8 flags1 +0");
  EXPECT_EQ(shape("u64"), "value8 +0");
}

TEST(TraceFormat, WaysToWriteARecord) {
  EXPECT_EQ(shape("record:4,8"), "pc4* field28 +0");
  EXPECT_EQ(shape("record:32,64"), "pc4* field28 +0");
  EXPECT_EQ(shape("record:u32,i64"), "pc4* field28 +0");
  EXPECT_EQ(shape("record:pc:u32,value:u64,size:u8"), "pc4* value8 size1 +0");
  EXPECT_EQ(shape("record:4@pc,8"), "pc4* field28 +0");
  EXPECT_EQ(shape("record:4:pc,8"), "pc4* field28 +0");
  EXPECT_EQ(shape("record:pc=4,8"), "pc4* field28 +0");
  EXPECT_EQ(shape("record:pc4,8"), "pc4* field28 +0");
  EXPECT_EQ(shape("record:PC32,8"), "PC4* field28 +0");
  EXPECT_EQ(shape("record:4pc,address64,i32"), "pc4* address8 field34 +0");
  EXPECT_EQ(shape("record:8,pc:4"), "field18 pc4* +0");
  EXPECT_EQ(shape("record: 4 , 8 "), "pc4* field28 +0");
  EXPECT_EQ(shape("record:4,8,nopc"), "field14 field28 +0");
  EXPECT_EQ(shape("record:3"), "field13 +0");
  EXPECT_EQ(shape("record:pc:8"), "pc8* +0");
  EXPECT_EQ(shape("record:skip:16,4,8"), "pc4* field28 +16");
  EXPECT_EQ(shape("record:header:4,4,8"), "pc4* field28 +4");
  EXPECT_EQ(shape("u8"), "field11 +0");
  EXPECT_EQ(shape("i24"), "field13 +0");
}

TEST(TraceFormat, CanonicalNamesMeanTheSame) {
  for (const char* text : {"vpc", "cf", "refs", "u64", "record:4,8", "record:8,pc:4", "record:3",
                           "record:4,8,nopc", "record:skip:16,u8,pc4", "u16", "record:pc:8",
                           "record:pc:8,nopc", "record:4:skip,8", "record:8@Header"}) {
    const auto format = parse_trace_format(text);
    ASSERT_TRUE(format) << text;
    EXPECT_EQ(shape(format->name), shape(text)) << text << " → " << format->name;
  }
}

TEST(TraceFormat, Refused) {
  for (const char* text :
       {"", "vcp", "record:", "record", "record:9", "record:0", "record:4,,8", "record:u12",
        "record:u72", "record:x", "record:pc:4,pc:8", "record:skip:4", "record:skip:99999999,4",
        "record:-4", "4", "record:a b:4", "record:4:8"})
    EXPECT_EQ(shape(text), "refused") << text;
  std::string many = "record:1";
  for (int i = 0; i < 64; ++i) many += ",1";
  EXPECT_EQ(shape(many), "refused");
  EXPECT_EQ(parse_trace_format("vcp").error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace vestige
