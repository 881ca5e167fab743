#include "initial_data.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace vestige {

namespace {

constexpr size_t kMostAddresses = 4096;

class DataWriter {
 public:
  DataWriter(const DataLayout& layout, uint64_t most, ConstantData& out,
             const std::function<uint32_t(const GlobalValue&)>& symbol)
      : layout_(layout), most_(most), out_(out), symbol_(symbol) {}

  // False: there is no room.
  bool write(const llvm::Constant& value, uint64_t at) {
    if (value.isNullValue() || isa<UndefValue>(value)) return true;
    if (const auto* integer = dyn_cast<ConstantInt>(&value)) return bits(integer->getValue(), at);
    if (const auto* number = dyn_cast<ConstantFP>(&value))
      return bits(number->getValueAPF().bitcastToAPInt(), at);
    if (const auto* list = dyn_cast<ConstantDataSequential>(&value)) {
      const uint64_t each = layout_.getTypeAllocSize(list->getElementType());
      if (at + list->getNumElements() * each > most_ && !list->isZeroValue()) return false;
      for (unsigned i = 0; i < list->getNumElements(); ++i)
        if (!write(*list->getElementAsConstant(i), at + i * each)) return false;
      return true;
    }
    if (const auto* structure = dyn_cast<ConstantStruct>(&value)) {
      const StructLayout& places = *layout_.getStructLayout(structure->getType());
      for (unsigned i = 0; i < structure->getNumOperands(); ++i)
        if (!write(*structure->getOperand(i), at + places.getElementOffset(i).getFixedValue()))
          return false;
      return true;
    }
    if (isa<ConstantArray>(value)) {
      const uint64_t each =
          layout_.getTypeAllocSize(cast<ArrayType>(value.getType())->getElementType());
      for (unsigned i = 0; i < value.getNumOperands(); ++i)
        if (!write(*cast<llvm::Constant>(value.getOperand(i)), at + i * each)) return false;
      return true;
    }
    return address(value, at);
  }

 private:
  bool bits(const APInt& value, uint64_t at) {
    const uint64_t bytes = (value.getBitWidth() + 7) / 8;
    if (at + bytes > most_) return false;
    if (out_.bytes.size() < at + bytes) out_.bytes.resize(at + bytes);
    for (unsigned i = 0; i < bytes; ++i) {
      const unsigned count = std::min(8u, value.getBitWidth() - 8 * i);
      out_.bytes[at + i] = static_cast<uint8_t>(value.extractBitsAsZExtValue(count, 8 * i));
    }
    return true;
  }

  // An address, or what cannot be told: words of neither value nor symbol.
  bool address(const llvm::Constant& value, uint64_t at) {
    const uint64_t bytes = layout_.getTypeStoreSize(value.getType()).getFixedValue();
    if (out_.addresses.size() + (bytes + 7) / 8 > kMostAddresses) return false;
    ConstantData::Address found{at, kNone, 0};
    if (value.getType()->isPointerTy()) {
      APInt offset(layout_.getIndexTypeSizeInBits(value.getType()), 0);
      const auto* base = dyn_cast<GlobalValue>(
          value.stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true));
      if (base && !base->isThreadLocal() && base->hasName()) {
        found.symbol = symbol_(*base);
        if (found.symbol != kNone) found.plus = offset.getSExtValue();
      }
      out_.addresses.push_back(found);
      return true;
    }
    for (uint64_t i = 0; i < bytes; i += 8) out_.addresses.push_back({at + i, kNone, 0});
    return true;
  }

  const DataLayout& layout_;
  const uint64_t most_;
  ConstantData& out_;
  const std::function<uint32_t(const GlobalValue&)>& symbol_;
};

}  // namespace

std::optional<ConstantData> initial_data(
    const GlobalVariable& global, uint64_t most,
    const std::function<uint32_t(const GlobalValue&)>& symbol) {
  if (!global.hasDefinitiveInitializer() || global.isThreadLocal()) return std::nullopt;
  ConstantData data;
  if (!DataWriter(global.getParent()->getDataLayout(), most, data, symbol)
           .write(*global.getInitializer(), 0))
    return std::nullopt;
  return data;
}

}  // namespace vestige
