#include "program/derive.h"
#include "program/record.h"
#include "query/variables/wide_image.h"
#include "vestige/values.h"

namespace vestige {

namespace {

void add_items(const Shape& shape, std::vector<WideItem>& items) {
  using Kind = WideItem::Kind;
  const auto number = [&](Kind kind) {
    items.push_back({kind, {}, static_cast<uint32_t>(shape.bits), shape.parts});
  };
  switch (shape.kind) {
    case Shape::Kind::none:
      return;
    case Shape::Kind::simple:
      number(Kind::simple);
      items.back().type = {static_cast<ValueType::Kind>(shape.simple.kind), shape.simple.bits};
      return;
    case Shape::Kind::integer:
      return number(Kind::integer);
    case Shape::Kind::half:
      return number(Kind::half);
    case Shape::Kind::bfloat:
      return number(Kind::bfloat);
    case Shape::Kind::x86_fp80:
      return number(Kind::x86_fp80);
    case Shape::Kind::fp128:
      return number(Kind::fp128);
    case Shape::Kind::vector:
    case Shape::Kind::array:
    case Shape::Kind::structure:
      break;
  }
  items.push_back({shape.kind == Shape::Kind::vector  ? Kind::vector
                   : shape.kind == Shape::Kind::array ? Kind::array
                                                      : Kind::structure,
                   {},
                   0,
                   0});
  for (uint32_t i = 0; i < shape.count; ++i) add_items(shape.element(i), items);
  items.push_back({});
}

}  // namespace

std::vector<WideItem> wide_items(const Function& function, uint32_t statement) {
  const Statement& of = function.statements[statement];
  const uint32_t type =
      of.op == Op::store && !of.operands.empty() ? type_of(function, of.operands[0]) : of.type;
  std::vector<WideItem> items;
  if (type == kNone || function.record_version < kWideSince) return items;
  const Shape shape = shape_of(function.types[type]);
  if (shape.wide()) add_items(shape, items);
  return items;
}

WideImage wide_image(const Function& function, uint32_t type, const WideValue& value) {
  WideImage image;
  if (type >= function.types.size()) return image;
  const std::vector<Part> parts = parts_of(shape_of(function.types[type]));
  for (size_t p = 0; p < std::min(parts.size(), value.parts.size()); ++p) {
    image.resize(std::max<size_t>(image.size(), parts[p].offset + parts[p].type.bytes));
    for (unsigned i = 0; i < parts[p].type.bytes && value.parts[p]; ++i)
      image[parts[p].offset + i] = static_cast<uint8_t>(*value.parts[p] >> 8 * i);
  }
  return image;
}

}  // namespace vestige
