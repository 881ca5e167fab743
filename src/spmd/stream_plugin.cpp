#include "spmd/stream_plugin.h"

#include <dlfcn.h>

#include <filesystem>

namespace vestige::spmd {

void PluginLibrary::Close::operator()(void* library) const { dlclose(library); }

Result<PluginLibrary> PluginLibrary::open(const std::string& file) {
  PluginLibrary out;
  // A name without a slash would be looked for in the system's folders.
  std::error_code failure;
  const std::string place = std::filesystem::absolute(file, failure).string();
  out.library_.reset(dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!out.library_) {
    const char* why = dlerror();
    return fail(ErrorKind::usage,
                file + " cannot be loaded: " + (why ? why : "no reason is known"));
  }
  using Entry = const vestige_plugin* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(out.library_.get(), "vestige_plugin_entry"));
  if (!entry)
    return fail(
        ErrorKind::usage,
        file + " is no plug-in: it has no function vestige_plugin_entry (vestige/plugin.h)");
  out.plugin_ = entry();
  if (!out.plugin_ || out.plugin_->version != VESTIGE_PLUGIN_VERSION || !out.plugin_->match ||
      !out.plugin_->merge)
    return fail(ErrorKind::usage,
                file + " is a plug-in of another version, or lacks match or merge");
  return out;
}

}  // namespace vestige::spmd
