// Types of the debug information as the program table keeps them: a name as in the source, and the
// parts that lie inside a value. What a pointer points to is only a name, so the table of a
// function stays as small as its variables are.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "vestige/program.h"

namespace vestige {

class SourceTypes {
 public:
  // `tagged`: the language writes "struct point", not "point".
  SourceTypes(std::vector<SourceType>& list, bool tagged) : list_(list), tagged_(tagged) {}
  enum class Detail { brief, full };
  // Its number in the list.
  uint32_t operator()(const llvm::DIType* type, Detail detail);

  // A record or enumeration with more of them is kept without; and a function's table is not
  // longer than this: further types are opaque.
  static constexpr size_t kMostMembers = 1 << 14;
  static constexpr size_t kMostMembersInBrief = 128;
  static constexpr size_t kMostTypes = 4096;

 private:
  SourceType describe(const llvm::DIType* type);
  void describe_basic(const llvm::DIBasicType& type, SourceType& out);
  void describe_composite(const llvm::DICompositeType& type, SourceType& out);
  void describe_array(const llvm::DICompositeType& type, SourceType& out);
  void describe_members(const llvm::DICompositeType& type, SourceType& out);
  std::string name(const llvm::DIType* type);
  std::string derived_name(const llvm::DIDerivedType& type);
  std::string composite_name(const llvm::DICompositeType& type);
  std::string parameter_names(const llvm::DISubroutineType& type);

  uint32_t part(const llvm::DIType* type) { return (*this)(type, detail_); }
  size_t most_members() const {
    return detail_ == Detail::full ? kMostMembers : kMostMembersInBrief;
  }

  std::vector<SourceType>& list_;
  bool tagged_;
  Detail detail_ = Detail::full;  // of the type that is being described
  bool shortened_ = false;        // it, or a part of it, for being described in brief
  llvm::DenseMap<const llvm::DIType*, uint32_t> numbers_;
  llvm::DenseSet<const llvm::DIType*> short_ones_;
};

}  // namespace vestige
