#include "codec/record/vpc/vpc_plan.h"

#include <cstring>

#include "codec/record/vpc/predictor_kinds.h"

namespace vestige::vpc {

namespace {

// Section 5.3 of the VPC paper: 10 predictions of the PC, 27 of the data.
constexpr std::string_view kPcPredictors = "stride,fcm6,dfcm4.2,dfcm5.4,dfcm6.2";
constexpr std::string_view kDataPredictors =
    "last6,stride,fcm1,fcm2,fcm3,fcm6,dfcm1.4,dfcm2.4,dfcm3.2,dfcm4,dfcm6.4,global";
// For layouts of very many fields, whose tables would not fit.
constexpr std::string_view kLeanPredictors = "last4,stride,fcm2,dfcm2.2";

PredictorList known(std::string_view names) { return *predictors_named(names); }

bool matches(const RecordField& field, std::string_view name) {
  return field.name == name || (name == "data" && !field.is_pc) || (name == "pc" && field.is_pc);
}

Result<void> apply_section(std::string_view section, const RecordLayout& layout, VpcPlan& plan) {
  const size_t equals = section.find('=');
  const bool named = equals != std::string_view::npos;
  const std::string_view name = named ? trim(section.substr(0, equals)) : std::string_view{};
  auto list = predictors_named(named ? section.substr(equals + 1) : section);
  if (!list) return std::unexpected(list.error());
  if (list->empty())
    return fail(ErrorKind::usage, "no predictors in \"" + std::string(section) +
                                      "\"; there are: " + predictor_choices());
  bool found = false;
  for (size_t i = 0; i < layout.fields.size(); ++i) {
    if (named && !matches(layout.fields[i], name)) continue;
    found = true;
    FieldPlan& field = plan.fields[i];
    PredictorList chosen = *list;
    if (!named && field.lines() == 1)
      std::erase_if(chosen, [](const PredictorSpec& spec) { return spec.kind->needs_lines; });
    if (!chosen.empty()) field.predictors = std::move(chosen);
  }
  if (found) return {};
  std::string fields;
  for (const RecordField& field : layout.fields)
    fields += (fields.empty() ? "" : ", ") + field.name;
  return fail(ErrorKind::usage,
              "no field \"" + std::string(name) + "\" in this format; there are: " + fields);
}

Result<VpcPlan> roles_of(const RecordLayout& layout) {
  const auto pc = layout.pc_field();
  VpcPlan plan;
  for (size_t i = 0; i < layout.fields.size(); ++i) {
    const uint8_t width = layout.fields[i].width;
    if (width < 1 || width > 8)
      return fail(ErrorKind::usage, "field \"" + layout.fields[i].name + "\" has " +
                                        std::to_string(width) + " bytes; 1 … 8 are possible");
    const FieldRole role = pc == i ? FieldRole::pc : pc ? FieldRole::data : FieldRole::global;
    plan.fields.push_back({role, width, {}});
  }
  if (plan.fields.empty()) return fail(ErrorKind::usage, "records without fields");
  return plan;
}

size_t total_bytes(const VpcPlan& plan) {
  size_t bytes = 0;
  for (const FieldPlan& field : plan.fields) bytes += field.table_bytes();
  return bytes;
}

void use_paper_lists(VpcPlan& plan) {
  // A stream on its own is predicted as the PCs are: mostly it is one of program locations.
  const bool alone = plan.fields.size() == 1;
  for (FieldPlan& field : plan.fields)
    field.predictors =
        known(field.role == FieldRole::pc || alone ? kPcPredictors : kDataPredictors);
  if (total_bytes(plan) <= kMostTableBytes) return;
  for (FieldPlan& field : plan.fields) field.predictors = known(kLeanPredictors);
}

// The range is the preamble where that is the paper's: four bytes before the first record.
uint64_t range_of(const Bytes& preamble) {
  uint32_t range = 0;
  if (preamble.size() == sizeof range) std::memcpy(&range, preamble.data(), sizeof range);
  return range;
}

}  // namespace

PredictorList paper_pc_predictors() { return known(kPcPredictors); }
PredictorList paper_data_predictors() { return known(kDataPredictors); }

HistoryNeeds FieldPlan::needs() const {
  HistoryNeeds needs;
  for (const PredictorSpec& spec : predictors) spec.kind->need(spec, needs);
  return needs;
}

size_t FieldPlan::table_bytes() const {
  const HistoryNeeds per_line = needs();
  size_t bytes =
      lines() * (per_line.last_values * 8 + per_line.value_order * 2 + per_line.stride_order * 2);
  for (const PredictorSpec& spec : predictors) bytes += spec.kind->table_bytes(spec, lines());
  return bytes;
}

unsigned FieldPlan::predictions() const {
  unsigned count = 0;
  for (const PredictorSpec& spec : predictors) count += spec.kind->predictions(spec);
  return count;
}

Result<VpcPlan> plan_for(const RecordLayout& layout, const RecordCodecOptions& options) {
  auto plan = roles_of(layout);
  if (!plan) return plan;
  plan->range = range_of(options.preamble);
  use_paper_lists(*plan);
  if (!trim(options.predictors).empty())
    for (const std::string_view section : split(options.predictors, ';')) {
      if (trim(section).empty()) continue;
      if (auto applied = apply_section(section, layout, *plan); !applied)
        return std::unexpected(applied.error());
    }
  for (size_t i = 0; i < plan->fields.size(); ++i)
    if (plan->fields[i].predictions() > kMostPredictions)
      return fail(ErrorKind::usage, "field \"" + layout.fields[i].name + "\" would have " +
                                        std::to_string(plan->fields[i].predictions()) +
                                        " predictions; " + std::to_string(kMostPredictions) +
                                        " are possible");
  if (total_bytes(*plan) > kMostTableBytes)
    return fail(ErrorKind::usage, "the predictors' tables would take " +
                                      std::to_string(total_bytes(*plan) >> 20) + " MiB; " +
                                      std::to_string(kMostTableBytes >> 20) + " are possible");
  return plan;
}

Bytes VpcPlan::bytes() const {
  ByteWriter out;
  out.varint(range);
  for (const FieldPlan& field : fields) {
    out.u8(static_cast<uint8_t>(field.predictors.size()));
    for (const PredictorSpec& spec : field.predictors) {
      out.u8(spec.kind->number);
      out.u8(spec.size);
      out.u8(spec.values);
    }
  }
  return out.take();
}

Result<VpcPlan> read_plan(const RecordLayout& layout, ByteView bytes) {
  auto plan = roles_of(layout);
  if (!plan) return plan;
  ByteReader in(bytes);
  plan->range = in.varint();
  for (FieldPlan& field : plan->fields) {
    const unsigned count = in.u8();
    for (unsigned i = 0; i < count && !in.failed(); ++i) {
      const unsigned number = in.u8();
      PredictorSpec spec{nullptr, in.u8(), in.u8()};
      for (const PredictorFamily* kind : kPredictorKinds)
        if (kind->number == number) spec.kind = kind;
      if (spec.kind == nullptr)
        return fail(ErrorKind::unsupported,
                    "predictor kind " + std::to_string(number) + " is not known");
      const auto fits = [](unsigned number, unsigned most) {
        return most == 0 ? number == 0 : number >= 1 && number <= most;
      };
      if (!fits(spec.size, spec.kind->most_size) || !fits(spec.values, spec.kind->most_values))
        in.fail();
      field.predictors.push_back(spec);
    }
    if (in.failed() || field.predictors.empty() || field.predictions() > kMostPredictions)
      return fail(ErrorKind::corrupt, "the list of predictors is damaged");
  }
  if (in.remaining() != 0 || total_bytes(*plan) > kMostTableBytes)
    return fail(ErrorKind::corrupt, "the list of predictors is damaged");
  return plan;
}

}  // namespace vestige::vpc
