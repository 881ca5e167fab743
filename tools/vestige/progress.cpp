#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "output.h"

namespace vestige::cli {
namespace {

constexpr auto kFirst = std::chrono::milliseconds(300);  // short work shows nothing
constexpr auto kEvery = std::chrono::milliseconds(100);
// Where nobody watches: in a file, or for a program that waits.
constexpr auto kFirstLine = std::chrono::seconds(2);
constexpr auto kEveryLine = std::chrono::seconds(1);

bool color_on_standard_error(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* no_color = std::getenv("NO_COLOR");
  return !(no_color && *no_color);
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<uint64_t>(std::clamp(seconds, 0.0, 359999.0));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar_text(uint64_t done, uint64_t total) {
  if (total == 0) return {};
  constexpr size_t kCells = 24;
  const double part = std::min(1.0, double(done) / total);
  const auto filled = static_cast<size_t>(part * kCells);
  std::string bar = std::string(filled, '=') + std::string(kCells - filled, ' ');
  if (filled < kCells) bar[filled] = '>';
  return fmt::format("[{}] {:3.0f} %  ", bar, 100 * part);
}

// `rate`: millions a second.
std::string time_left_text(uint64_t done, uint64_t total, double rate) {
  if (total == 0 || rate <= 0) return {};
  return fmt::format("  {} left", clock_text((std::max(total, done) - done) / (1e6 * rate)));
}

}  // namespace

std::string progress_text(uint64_t done, uint64_t made, uint64_t total, double seconds) {
  const double rate = megabytes_per_second(done, seconds);
  return bar_text(done, total) +
         fmt::format("{} → {}  {:.0f} MB/s", byte_size(done), byte_size(made), rate) +
         time_left_text(done, total, rate);
}

std::string count_text(uint64_t done, uint64_t total, const char* things, double seconds) {
  const double rate = megabytes_per_second(done, seconds);
  return bar_text(done, total) + fmt::format("{:.1f} M {}  {:.0f} M/s", done / 1e6, things, rate) +
         time_left_text(done, total, rate);
}

Progress::Progress(bool quiet, const std::string& color)
    : shown_(!quiet),
      lines_(!isatty(STDERR_FILENO)),
      color_(color_on_standard_error(color)),
      next_(begin_ + (lines_ ? Clock::duration(kFirstLine) : Clock::duration(kFirst))) {}

bool Progress::due() {
  const auto now = Clock::now();
  if (!shown_ || now < next_) return false;
  next_ = now + (lines_ ? Clock::duration(kEveryLine) : Clock::duration(kEvery));
  return true;
}

void Progress::update(uint64_t done, uint64_t made, uint64_t total) {
  if (due()) draw(progress_text(done, made, total, seconds()));
}

void Progress::count(uint64_t done, uint64_t total, const char* things) {
  if (due()) draw(count_text(done, total, things, seconds()));
}

void Progress::draw(const std::string& text) {
  if (lines_) {
    std::fputs(fmt::format("vestige: {}\n", text).c_str(), stderr);
    return;
  }
  const std::string line =
      color_ ? fmt::format("\r\033[36m{}\033[0m\033[K", text) : fmt::format("\r{}\033[K", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace vestige::cli
