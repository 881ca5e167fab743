#include "machine_model.h"

#include "progress.h"
#include "report.h"

namespace vestige::cli {

void MachineFlags::add_to(CLI::App& app) {
  app.add_option("--predictor", predictor, "Of branches: tage or gshare")
      ->check(CLI::IsMember({"tage", "gshare"}))
      ->type_name("NAME");
  app.add_option("--l1", l1, "The first cache: bytes, ways, bytes of a line (32K,8,64)")
      ->type_name("SIZE,WAYS,LINE");
  app.add_option("--l2", l2, "The second one (1M,16,64)")->type_name("SIZE,WAYS,LINE");
}

Result<MachineLabels> MachineFlags::labels(const Trace& trace,
                                           const Presentation& presentation) const {
  MachineOptions options;
  if (predictor == "gshare") options.model.predictor = PredictorKind::gshare;
  for (const auto& [text, geometry] :
       {std::pair(&l1, &options.model.l1), std::pair(&l2, &options.model.l2)}) {
    if (text->empty()) continue;
    const auto parsed = parse_cache_geometry(*text);
    if (!parsed) return std::unexpected(parsed.error());
    *geometry = *parsed;
  }
  Progress progress(presentation.quiet, presentation.color);
  options.progress = [&](uint64_t done, uint64_t total) { progress.count(done, total, "paths"); };
  return MachineLabels::open(trace, options);
}

int report_labels(const Error& error) {
  return error.kind == ErrorKind::usage || error.kind == ErrorKind::io ? report(error)
                                                                       : report_trace(error);
}

}  // namespace vestige::cli
