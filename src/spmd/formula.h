// Numbers of several configurations as functions of the configuration and of the thread: what
// extrapolation knows.
//
// A formula is a constant and up to three terms with whole coefficients, divided by a number up to
// 64. Terms are the size and its square, the number of the thread (rank), how many there are, and
// shares: where the part of a thread begins when the size, or a little less or more, is divided
// among threads, and how long it is, in each of the usual ways to divide, also of a rank's part
// among its threads; all of these times powers of the size. The simplest formula that gives every
// number exactly is taken; nothing is rounded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vestige::spmd {

// Where a number was seen.
struct Point {
  int64_t rank = 0, thread = 0, ranks = 1, threads = 1, size = 0;
};

using Wide = __int128;

class Terms {
 public:
  // `points`: all that will be asked for. Terms that are the same at all of them are left out.
  explicit Terms(std::span<const Point> points);
  size_t count() const { return kinds_.size(); }
  std::vector<Wide> values(const Point& point) const;
  // Sets of terms to try, simple ones first.
  const std::vector<std::vector<uint16_t>>& sets() const { return sets_; }

 private:
  // threads_of_rank: a rank's part, divided once more.
  enum class Among : uint8_t { threads, ranks, threads_of_rank };
  struct Share {
    Among among = Among::threads;
    int workers = 0;  // how many threads do not share in it, the first ones
    int extra = 0;    // what is divided: the size + extra
    int way = 0;      // of threads of a rank: in which the rank's part was made
  };
  struct Kind {
    enum class What : uint8_t { one, thread, rank, threads, ranks, begin, length } what = What::one;
    Share share;
    int power = 0;  // of the size
  };
  static Wide value(const Kind& kind, const Point& point);
  // `again`: also a term that is there already.
  void add(const Kind& kind, std::span<const Point> points, std::vector<uint16_t>& to,
           bool again = false);
  std::vector<Kind> kinds_;
  std::vector<std::vector<Wide>> seen_;
  std::vector<std::vector<uint16_t>> sets_;
};

struct Formula {
  Wide constant = 0;
  std::vector<uint16_t> terms;
  std::vector<Wide> factors;  // of the terms
  Wide divisor = 1;           // of the sum: unrolled loops run a part as often
  // It can be found without any one of the configurations, and agrees with it.
  bool checked = false;

  // Nothing: it is no whole number, or too large.
  std::optional<uint64_t> at(std::span<const Wide> values) const;
};

// Where numbers were seen: the values of all terms there, and which configuration it was.
struct Sample {
  const std::vector<Wide>* terms = nullptr;
  size_t configuration = 0;
};
std::optional<Formula> find_formula(const Terms& terms, std::span<const Sample> samples,
                                    std::span<const uint64_t> numbers);

}  // namespace vestige::spmd
