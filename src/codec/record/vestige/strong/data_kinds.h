// What the columns beside the PC's are predicted by, and which of it each level asks.
#pragma once

#include <array>
#include <cstdint>

#include "codec/record/vestige/strong/literal.h"

namespace vestige::strong {

// What a data column can be predicted by. Up to kSlotKinds: a table of slots each.
enum DataKind : uint8_t {
  kLast,
  kFcm1,
  kFcm2,
  kDfcm3,
  kPath3Previous,
  kPath3Own,
  kPath15,
  kPath32,
  kPrevious5,
  kPreviousStep,
  kPath2Previous2,
  kBeside,
  kBesideStep,
  kSlotKinds,
  kMatch = kSlotKinds,
  kMatchStep,
  kEcho,
  kRelation,
  kPathRelation,
  kDataKinds,
};
inline constexpr std::array<const char*, kDataKinds> kDataNames = {"last values",
                                                                   "fcm1",
                                                                   "fcm2",
                                                                   "dfcm3",
                                                                   "path 3 from previous",
                                                                   "path 3 from own",
                                                                   "path 15",
                                                                   "path 32",
                                                                   "previous 5",
                                                                   "previous step",
                                                                   "path 2 from previous 2",
                                                                   "field before",
                                                                   "from field before",
                                                                   "match",
                                                                   "match step",
                                                                   "echo",
                                                                   "relation",
                                                                   "path relation"};

// The kinds of a level, in the order above, and those whose agreement selects weights. Found by
// adding, one at a time, what gained most on real traces; a dozen more of the usual kinds made
// 3 % at most, for half as much time again.
template <int kLevel>
struct DataPlan;
template <>
struct DataPlan<7> {
  static constexpr std::array kKinds = {kFcm2,   kDfcm3, kPrevious5,   kPreviousStep,
                                        kBeside, kEcho,  kPathRelation};
  static constexpr std::array kTelling = {kFcm2, kDfcm3, kPreviousStep, kPathRelation};
  static constexpr size_t kTries = 3;
  static constexpr size_t kSelectors = 2;
  static constexpr size_t kRelated = 16;
  using Literals = LiteralCoder<2, 2, 2>;
};
template <>
struct DataPlan<8> {
  static constexpr std::array kKinds = {kFcm2,   kDfcm3,     kPath3Own, kPrevious5, kPreviousStep,
                                        kBeside, kMatchStep, kEcho,     kRelation,  kPathRelation};
  static constexpr std::array kTelling = {kFcm2,      kDfcm3, kPath3Own,    kPreviousStep,
                                          kMatchStep, kEcho,  kPathRelation};
  static constexpr size_t kTries = 4;
  static constexpr size_t kSelectors = 3;
  static constexpr size_t kRelated = 16;
  using Literals = LiteralCoder<4, 7, 3>;
};
template <>
struct DataPlan<9> {
  static constexpr std::array kKinds = {
      kLast,       kFcm1,   kFcm2,      kDfcm3,        kPath3Previous,  kPath3Own,
      kPath15,     kPath32, kPrevious5, kPreviousStep, kPath2Previous2, kBeside,
      kBesideStep, kMatch,  kMatchStep, kEcho,         kRelation,       kPathRelation};
  static constexpr std::array kTelling = {kFcm2,         kDfcm3,     kPath15, kPrevious5,
                                          kPreviousStep, kMatchStep, kEcho,   kPathRelation};
  static constexpr size_t kTries = 6;
  static constexpr size_t kSelectors = 4;
  static constexpr size_t kRelated = 32;
  using Literals = LiteralCoder<4, 7, 3>;
};

}  // namespace vestige::strong
