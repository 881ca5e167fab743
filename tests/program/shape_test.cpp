// Types taken apart: what a value consists of, and where that lies in memory.
#include "program/shape.h"

#include <gtest/gtest.h>

#include <string>

namespace vestige {
namespace {

// "i64@0 i16@8": the parts of a type, and their places.
std::string parts_text(std::string_view type) {
  std::string text;
  for (const Part& part : parts_of(shape_of(type))) {
    const bool floating =
        part.type.kind == SimpleType::Kind::float32 || part.type.kind == SimpleType::Kind::float64;
    text += (text.empty() ? "" : " ") +
            std::string(part.type.kind == SimpleType::Kind::pointer ? "p"
                        : floating                                  ? "f"
                                                                    : "i") +
            std::to_string(part.type.bits) + "@" + std::to_string(part.offset);
  }
  return text;
}

TEST(Shape, SimpleTypesAreOnePart) {
  EXPECT_EQ(parts_text("i32"), "i32@0");
  EXPECT_EQ(parts_text("ptr"), "p64@0");
  EXPECT_EQ(parts_text("double"), "f64@0");
  EXPECT_FALSE(shape_of("i7").wide());
}

TEST(Shape, LongNumbersAreCutInto64Bits) {
  EXPECT_EQ(parts_text("i128"), "i64@0 i64@8");
  EXPECT_EQ(parts_text("i97"), "i64@0 i33@8");
  EXPECT_EQ(parts_text("x86_fp80"), "i64@0 i16@8");
  EXPECT_EQ(parts_text("fp128"), "i64@0 i64@8");
  EXPECT_EQ(parts_text("half"), "i16@0");
  EXPECT_TRUE(shape_of("half").wide());
}

TEST(Shape, VectorsLieSideBySide) {
  EXPECT_EQ(parts_text("<3 x float>"), "f32@0 f32@4 f32@8");
  EXPECT_EQ(parts_text("<2 x ptr>"), "p64@0 p64@8");
  EXPECT_EQ(parts_text("<2 x i128>"), "i64@0 i64@8 i64@16 i64@24");
  EXPECT_TRUE(shape_of("<16 x i8>").in_memory);
  EXPECT_FALSE(shape_of("<8 x i1>").in_memory);
  EXPECT_EQ(parts_of(shape_of("<8 x i1>"))[5].bit, 5u);
}

TEST(Shape, StructuresHaveGaps) {
  EXPECT_EQ(parts_text("{ i8, i32 }"), "i8@0 i32@4");
  EXPECT_EQ(parts_text("<{ i8, i32 }>"), "i8@0 i32@1");
  EXPECT_EQ(parts_text("{ i32, i1 }"), "i32@0 i1@4");
  EXPECT_EQ(parts_text("{ i128, i1 }"), "i64@0 i64@8 i1@16");
  EXPECT_EQ(parts_text("{ x86_fp80, x86_fp80 }"), "i64@0 i16@8 i64@16 i16@24");
  EXPECT_EQ(parts_text("{ i8, { i16, [2 x i32] }, ptr }"), "i8@0 i16@4 i32@8 i32@12 p64@16");
  EXPECT_EQ(parts_text("%struct.pair = type { i32, i64 }"), "i32@0 i64@8");
  const Shape shape = shape_of("{ i8, { i16, [2 x i32] }, ptr }");
  EXPECT_EQ(shape.first_part(2), 4u);
  EXPECT_EQ(shape.elements[1].first_part(1), 1u);
}

TEST(Shape, OthersAreNotKept) {
  for (const char* type :
       {"", "void", "{}", "{ }", "{ i32", "<4 x i32", "[0 x i8]", "[65 x i8]", "<vscale x 4 x i32>",
        "i4097", "i99999999999999999999", "token", "{ i32, token }", "<4 x i32>>", "i32 ",
        "[64 x [64 x i8]]", "ptr addrspace(1)", "{ i32, %struct.x }", "x86_mmx"})
    EXPECT_FALSE(shape_of(type).kept()) << type;
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "[1 x ";
  EXPECT_FALSE(shape_of(deep + "i8").kept());
}

}  // namespace
}  // namespace vestige
