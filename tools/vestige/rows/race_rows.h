// How races are shown.
#pragma once

#include "command_line.h"
#include "output.h"
#include "vestige/races.h"

namespace vestige::cli {

struct RaceRows {
  const Trace& trace;
  const RaceReport& report;
  const Presentation& presentation;
  double seconds = 0;
  bool show_artifacts = true;
  bool all = false;      // every frame and every race
  bool predict = false;  // races of other orders were asked for

  void print() const;

 private:
  void print_json() const;
  void print_csv() const;
  void print_text() const;
  void print_misuses(Output& out) const;
};

}  // namespace vestige::cli
