#include "trace/index/index_place.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "trace/state.h"

namespace vestige {

namespace {

std::string cache_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && cache[0] == '/')
    return std::string(cache) + "/vestige";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/vestige";
  return {};
}

std::string hexadecimal(uint64_t number) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
  return text;
}

// Every thread has the windows it should have, as far as can be told without evaluating.
bool fits(const IndexReader& index, const Trace& trace) {
  if (index.threads().size() != trace.threads().size()) return false;
  for (size_t thread = 0; thread < trace.threads().size(); ++thread) {
    const auto& windows = index.threads()[thread];
    const ThreadInfo& info = trace.threads()[thread];
    if (windows.empty()) continue;
    if (info.paths == 0 || windows.front().first_time != info.first_time) return false;
    const auto& chunks = trace.state().chunks[thread];
    if (windows.back().first_time >= chunks.back().end_time()) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> cache_places(const Trace& trace, const CacheKind& kind) {
  std::vector<std::string> places = {trace.file() + kind.suffix};
  if (const std::string cache = cache_directory(); !cache.empty())
    places.push_back(cache + "/" + hexadecimal(trace.state().store.identity()) + kind.suffix);
  return places;
}

std::optional<IndexReader> find_index(const Trace& trace) {
  const uint64_t identity = trace.state().store.identity();
  for (const std::string& place : cache_places(trace, kValueIndex)) {
    auto reader = IndexReader::open(place, identity);
    if (reader && fits(*reader, trace)) return std::move(*reader);
  }
  return std::nullopt;
}

Result<std::unique_ptr<CacheWriter>> create_cache(const Trace& trace, const CacheKind& kind) {
  struct stat status{};
  const unsigned mode = ::stat(trace.file().c_str(), &status) == 0 ? status.st_mode & 0666 : 0600;
  const auto places = cache_places(trace, kind);
  auto writer = CacheWriter::create(places[0], mode);
  for (size_t i = 1; i < places.size() && !writer; ++i) {
    std::error_code ignored;  // creating the file says what is wrong
    std::filesystem::create_directories(std::filesystem::path(places[i]).parent_path(), ignored);
    auto other = CacheWriter::create(places[i], mode);
    if (other) return other;
  }
  return writer;
}

}  // namespace vestige
