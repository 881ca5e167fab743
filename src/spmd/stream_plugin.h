// A user's rule for one stream (vestige/plugin.h), and the library it comes from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "vestige/plugin.h"
#include "vestige/result.h"

namespace vestige::spmd {

struct StreamPlugin {
  const vestige_plugin* plugin = nullptr;
  vestige_stream stream = VESTIGE_CONTROL;
  uint64_t statement = 0;
  bool* lossy = nullptr;  // set when something folded that is not exact
};

// Stays loaded as long as this lives.
class PluginLibrary {
 public:
  static Result<PluginLibrary> open(const std::string& file);
  const vestige_plugin* plugin() const { return plugin_; }

 private:
  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library_;
  const vestige_plugin* plugin_ = nullptr;
};

}  // namespace vestige::spmd
