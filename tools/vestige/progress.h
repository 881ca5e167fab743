// Progress on standard error with rate and time left: a bar on a terminal, else a line a second for
// what takes longer than two.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace vestige::cli {

class Progress {
 public:
  // `quiet`: nothing is ever drawn. `color` is auto, always or never.
  Progress(bool quiet, const std::string& color);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;

  // `done` of `total` bytes (0: unknown), which have become `made` bytes. Draws a few times a
  // second at most.
  void update(uint64_t done, uint64_t made, uint64_t total);
  // `done` of `total` things that are counted in millions.
  void count(uint64_t done, uint64_t total, const char* things);
  // Takes the bar away, so that a sentence can follow.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  // Whether it is time to draw again; and how long it has been going on.
  bool due();
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  void draw(const std::string& text);
  bool shown_;
  bool lines_;  // no terminal
  bool color_;
  bool drawn_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
};

// "[=====>    ]  45 %  12.0 MiB → 1.0 MiB  36 MB/s  0:12 left"; without a total only what is known.
std::string progress_text(uint64_t done, uint64_t made, uint64_t total, double seconds);

// "[=====>    ]  45 %  12.0 M paths  36 M/s  0:12 left"
std::string count_text(uint64_t done, uint64_t total, const char* things, double seconds);

inline double megabytes_per_second(uint64_t bytes, double seconds) {
  return seconds > 0 ? double(bytes) / seconds / 1e6 : 0;
}

}  // namespace vestige::cli
