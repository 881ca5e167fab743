#include <algorithm>
#include <bit>

#include "vestige/cache_model.h"

namespace vestige {

namespace {

Result<CacheLevel> parse_level(std::string_view text) {
  CacheLevel level;
  std::string_view geometry = text;
  while (true) {
    if (geometry.ends_with(",shared") && !level.shared) {
      level.shared = true;
      geometry.remove_suffix(7);
    } else if (geometry.ends_with(",private")) {
      geometry.remove_suffix(8);
    } else if (geometry.ends_with(",plru")) {
      level.replacement = Replacement::plru;
      geometry.remove_suffix(5);
    } else if (geometry.ends_with(",lru")) {
      geometry.remove_suffix(4);
    } else {
      break;
    }
  }
  std::string whole(geometry);
  const auto commas = std::ranges::count(geometry, ',');
  if (commas == 0 && !whole.empty()) whole += ",8";
  if (commas <= 1 && !whole.empty()) whole += ",64";
  const auto parsed = parse_cache_geometry(whole);
  if (!parsed) return std::unexpected(parsed.error());
  level.geometry = *parsed;
  if (level.replacement == Replacement::plru && !std::has_single_bit(level.geometry.ways))
    return fail(ErrorKind::usage, "plru wants ways of a power of two; not " + std::string(text));
  return level;
}

}  // namespace

Result<std::vector<CacheLevel>> parse_cache_levels(std::string_view text) {
  std::vector<CacheLevel> levels;
  for (bool more = true; more;) {
    const size_t end = text.find('/');
    more = end != std::string_view::npos;
    auto level = parse_level(text.substr(0, end));
    if (!level) return std::unexpected(level.error());
    levels.push_back(*level);
    text.remove_prefix(more ? end + 1 : text.size());
  }
  if (levels.size() > kMostCacheLevels)
    return fail(ErrorKind::usage, "there are four levels of caches at most");
  for (size_t l = 1; l < levels.size(); ++l) {
    const CacheLevel &before = levels[l - 1], &level = levels[l];
    if (before.shared && !level.shared)
      return fail(ErrorKind::usage, "a private level stands before the shared ones");
    if (level.geometry.line < before.geometry.line)
      return fail(ErrorKind::usage, "a line of a cache holds at least one of the cache before it");
    if (!level.shared && level.geometry.line != before.geometry.line)
      return fail(ErrorKind::usage, "private levels have lines of one size");
  }
  return levels;
}

std::string cache_level_text(const CacheLevel& level) {
  return cache_geometry_text(level.geometry) +
         (level.replacement == Replacement::plru ? ",plru" : "") + (level.shared ? ",shared" : "");
}

}  // namespace vestige
