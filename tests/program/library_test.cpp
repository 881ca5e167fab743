#include "program/library.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace vestige {
namespace {

Statement call_with(std::vector<uint32_t> attributes, size_t arguments) {
  Statement call;
  call.op = Op::call;
  call.attributes = {0};
  call.attributes.append(attributes.begin(), attributes.end());
  call.operands.resize(arguments + 1);
  return call;
}

LibraryCall with_format(std::string_view name, std::string_view format, uint32_t arguments) {
  const LibraryFunction* function = find_library_function(name);
  LibraryCall call = function->call;
  add_format(format, function->format, arguments, call);
  return call;
}

TEST(Library, RangesSurviveTheRecord) {
  for (const char* name : {"memcpy", "strcat", "strncat", "recvfrom", "qsort", "getline", "realloc",
                           "select", "snprintf", "memccpy"}) {
    const LibraryFunction* function = find_library_function(name);
    ASSERT_NE(function, nullptr) << name;
    const Statement call = call_with(library_attributes(function->call), 6);
    ASSERT_TRUE(has_library_effects(call));
    const LibraryEffects effects = library_effects(call);
    EXPECT_EQ(effects.measures, function->call.measures.size()) << name;
    EXPECT_EQ(effects.ranges, function->call.ranges) << name;
  }
  EXPECT_EQ(find_library_function("ioctl"), nullptr);
  EXPECT_FALSE(has_library_effects(call_with({}, 3)));
}

TEST(Library, ChecksTypes) {
  const auto matches = [](std::string_view name, std::vector<std::string_view> types) {
    return library_types_match(*find_library_function(name), types);
  };
  EXPECT_TRUE(matches("read", {"i64", "i32", "ptr", "i64"}));
  EXPECT_FALSE(matches("read", {"i64", "i32", "ptr"}));
  EXPECT_FALSE(matches("read", {"void", "i32", "ptr", "i64"}));
  EXPECT_FALSE(matches("getline", {"i32", "ptr", "i32"}));  // as in K&R
  EXPECT_TRUE(matches("printf", {"i32", "ptr", "double", "i32"}));
  EXPECT_TRUE(matches("modfl", {"x86_fp80", "x86_fp80", "ptr"}));
}

TEST(Library, ReadsFormats) {
  const LibraryCall printed = with_format("printf", "%d %-5s %% %.3s %*.*f %ls %s %m", 9);
  ASSERT_EQ(printed.ranges.size(), 3u);
  EXPECT_EQ(printed.ranges[0].from.number, 2u);
  EXPECT_EQ(printed.ranges[1].from.number, 3u);
  EXPECT_EQ(printed.ranges[1].most.number, 3u);
  EXPECT_EQ(printed.ranges[2].from.number, 8u);
  const LibraryCall scanned = with_format("scanf", "%d%*d %hhx %5[]a]%s %n %3c %Lf %lf %ls", 10);
  ASSERT_EQ(scanned.ranges.size(), 8u);
  const std::pair<uint32_t, uint32_t> wanted[] = {{1, 4}, {2, 1}, {3, 0},  {4, 1},
                                                  {4, 4}, {5, 3}, {6, 10}, {7, 8}};
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(scanned.ranges[i].to.number, i + 1);
    EXPECT_EQ(scanned.ranges[i].bound, wanted[i].first) << i;
    EXPECT_EQ(scanned.ranges[i].length.number, wanted[i].second) << i;
  }
  EXPECT_EQ(scanned.measures.size(), 2u);
  // Fewer arguments than conversions; an order of its own; an end in the middle.
  EXPECT_EQ(with_format("printf", "%s %s", 2).ranges.size(), 1u);
  EXPECT_TRUE(with_format("printf", "%2$s %1$s", 3).ranges.empty());
  EXPECT_TRUE(with_format("printf", "%5.", 3).ranges.empty());
  EXPECT_TRUE(with_format("scanf", "%[a", 3).ranges.size() <= 1);
}

TEST(Library, SystemCallsHaveTheirNumberFirst) {
  const LibraryFunction* call = find_system_call(0);
  ASSERT_NE(call, nullptr);
  ASSERT_EQ(call->call.ranges.size(), 1u);
  EXPECT_EQ(call->call.ranges[0].to.number, 2u);
  EXPECT_EQ(find_system_call(16), nullptr);
}

TEST(Library, TakesAnyNumbers) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint32_t> numbers(random() % 40);
    for (uint32_t& number : numbers)
      number = random() % 3 ? random() % 40 : static_cast<uint32_t>(random());
    const size_t arguments = random() % 4;
    Statement call = call_with(numbers, arguments);
    if (random() % 4 == 0) call.op = Op::invoke;
    const LibraryEffects effects = library_effects(call);
    EXPECT_LE(effects.measures, kMostMeasures);
    for (const LibraryRange& range : effects.ranges)
      for (const LibraryTerm* term : {&range.tested, &range.to, &range.offset, &range.from,
                                      &range.length, &range.times, &range.most}) {
        if (term->kind == LibraryTerm::Kind::argument) EXPECT_LT(term->number, arguments);
        if (term->kind == LibraryTerm::Kind::measure) EXPECT_LT(term->number, effects.measures);
      }
  }
}

}  // namespace
}  // namespace vestige
