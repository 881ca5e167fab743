// Regular sections of a stream of events, folded while it comes in: a run of equal (or evenly
// spaced) events becomes one descriptor (RSD), runs in runs become nests (PRSD). For event types of
// your own:
//
//     vestige::SectionList<int> list;                          // folds what is equal
//     for (int i = 0; i < 1000; ++i) for (int e : {7, 9}) list.add(e);
//     list.sections();                                         // one section: 1000 × (7, 9)
//     for (int event : list) …                                 // 7, 9, 7, 9, …
//
// The algorithm is the on-line one of Budanur Ramanna's thesis (section 2.2.1, figure A.1): an
// event is added at the tail; when what lies before the tail, within the window, matches what lies
// at the tail, the two are merged, and that is repeated. It departs from the thesis in one thing: a
// merge can refuse (the addresses do not continue the stride), and then nothing is changed. So what
// was added comes back exactly, always.
//
// Two lists merge by add() of one's sections to the other: users bring their own transport.
//
// This header needs nothing but the standard library. A list belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace vestige {

// An event, or what is in `body` as often as `count` says.
template <class Event>
struct Section {
  uint64_t count = 1;
  std::vector<Section> body;  // empty: it is an event
  Event event{};

  bool is_event() const { return body.empty(); }
  // How many events it stands for.
  uint64_t events() const {
    if (is_event()) return 1;
    uint64_t sum = 0;
    for (const Section& part : body) sum += part.events();
    return sum * count;
  }
};

// What a policy says about events. Loops around an event have levels: 0 is the innermost.
//     match   whether two events may fold at all; cheap, and true whenever merge would be
//     merge   `first` stands for the numbers 0 … number-1 of the loop at `level`; `next` is what
//             came at `number`. True: first now stands for it too. False: nothing was changed.
//     at      the event that `event` stands for at these numbers, one per level
// This one folds what is equal.
template <class Event>
struct EqualEvents {
  static bool match(const Event& a, const Event& b) { return a == b; }
  static bool merge(Event&, const Event&, uint64_t, size_t) { return true; }
  static Event at(const Event& event, std::span<const uint64_t>) { return event; }
};

// A value that moves by a stride at each level; `key` says what it is of.
template <class Key>
struct Strided {
  Key key{};
  uint64_t value = 0;
  std::vector<uint64_t> strides = {};  // by level; differences wrap around
  bool operator==(const Strided&) const = default;
};

template <class Key>
struct StridedEvents {
  using Event = Strided<Key>;
  static bool match(const Event& a, const Event& b) { return a.key == b.key; }
  static bool merge(Event& first, const Event& next, uint64_t number, size_t level) {
    for (size_t l = 0; l < level; ++l)
      if (first.strides[l] != next.strides[l]) return false;
    if (first.strides.size() > level)
      return next.value == first.value + number * first.strides[level];
    first.strides.push_back(next.value - first.value);
    return true;
  }
  static Event at(const Event& event, std::span<const uint64_t> numbers) {
    Event out{event.key, event.value};
    for (size_t l = 0; l < numbers.size(); ++l) out.value += numbers[l] * event.strides[l];
    return out;
  }
};

template <class Event, class Policy = EqualEvents<Event>>
class SectionList {
 public:
  using Part = Section<Event>;
  static constexpr size_t kDefaultWindow = 64;

  // A loop of N sections folds when the window is at least 2 N. Cost of add: the window, at most,
  // for each merge.
  explicit SectionList(size_t window = kDefaultWindow) : window_(window < 2 ? 2 : window) {}

  void add(Event event) {
    parts_.push_back({1, {}, std::move(event)});
    while (fold()) {
    }
  }
  // A section of another list that has the same policy.
  void add(Part section) {
    parts_.push_back(std::move(section));
    while (fold()) {
    }
  }
  void add(const SectionList& other) {
    for (const Part& part : other.parts_) add(part);
  }

  // This section is a loop: its body so many times more, as if that had been added, and had folded
  // into it each time. `move` then has each event of the sections behind it.
  template <class Move>
  void repeat(size_t section, uint64_t times, Move&& move) {
    parts_[section].count += times;
    move_all(std::span(parts_).subspan(section + 1), move);
  }

  const std::vector<Part>& sections() const { return parts_; }
  size_t window() const { return window_; }
  uint64_t events() const {
    uint64_t sum = 0;
    for (const Part& part : parts_) sum += part.events();
    return sum;
  }

  // Over events, as they were added. Invalid once something is added.
  class Iterator {
   public:
    using value_type = Event;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    explicit Iterator(const std::vector<Part>& parts) {
      if (!parts.empty()) enter(parts, 1);
    }
    Event operator*() const {
      numbers_.clear();
      for (size_t i = places_.size(); i > 1; --i) numbers_.push_back(places_[i - 1].number);
      const Place& place = places_.back();
      return Policy::at((*place.parts)[place.index].event, numbers_);
    }
    Iterator& operator++() {
      while (!places_.empty()) {
        Place& place = places_.back();
        if (++place.index == place.parts->size()) {
          place.index = 0;
          if (++place.number == place.count) {
            places_.pop_back();
            continue;  // the loop is over: behind it in the one around
          }
        }
        descend();
        break;
      }
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, std::default_sentinel_t) { return a.places_.empty(); }

   private:
    struct Place {
      const std::vector<Part>* parts = nullptr;
      uint64_t count = 1, number = 0;
      size_t index = 0;
    };
    void enter(const std::vector<Part>& parts, uint64_t count) {
      places_.push_back({&parts, count});
      descend();
    }
    void descend() {
      while (!(*places_.back().parts)[places_.back().index].is_event()) {
        const Part& part = (*places_.back().parts)[places_.back().index];
        places_.push_back({&part.body, part.count});
      }
    }
    std::vector<Place> places_;  // outermost first
    mutable std::vector<uint64_t> numbers_;
  };
  Iterator begin() const { return Iterator(parts_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  static bool matches(const Part& a, const Part& b) {
    if (a.is_event() != b.is_event()) return false;
    if (a.is_event()) return Policy::match(a.event, b.event);
    if (a.count != b.count || a.body.size() != b.body.size()) return false;
    for (size_t i = 0; i < a.body.size(); ++i)
      if (!matches(a.body[i], b.body[i])) return false;
    return true;
  }
  static bool merge(Part& first, const Part& next, uint64_t number, size_t level) {
    if (first.is_event()) return Policy::merge(first.event, next.event, number, level);
    for (size_t i = 0; i < first.body.size(); ++i)
      if (!merge(first.body[i], next.body[i], number, level + 1)) return false;
    return true;
  }
  // Whether the `length` parts at the tail continue those at `left`; then left stands for both.
  bool merge_tail(std::vector<Part>& left, size_t at, size_t length, uint64_t number) {
    const size_t tail = parts_.size() - length;
    for (size_t i = length; i-- > 0;)
      if (!matches(left[at + i], parts_[tail + i])) return false;
    merged_.assign(left.begin() + static_cast<std::ptrdiff_t>(at),
                   left.begin() + static_cast<std::ptrdiff_t>(at + length));
    for (size_t i = 0; i < length; ++i)
      if (!merge(merged_[i], parts_[tail + i], number, 0)) return false;
    return true;
  }
  template <class Move>
  static void move_all(std::span<Part> parts, Move& move) {
    for (Part& part : parts) {
      if (part.is_event())
        move(part.event);
      else
        move_all(std::span(part.body), move);
    }
  }
  bool fold() {
    for (size_t length = 1; 2 * length <= window_ && length < parts_.size(); ++length) {
      const size_t tail = parts_.size() - length;
      Part& before = parts_[tail - 1];
      if (!before.is_event() && before.body.size() == length &&
          merge_tail(before.body, 0, length, before.count)) {
        before.body.swap(merged_);
        ++before.count;
        parts_.resize(tail);
        return true;
      }
      if (tail >= length && merge_tail(parts_, tail - length, length, 1)) {
        Part loop;
        loop.count = 2;
        loop.body.swap(merged_);
        parts_.resize(tail - length);
        parts_.push_back(std::move(loop));
        return true;
      }
    }
    return false;
  }

  size_t window_;
  std::vector<Part> parts_;
  std::vector<Part> merged_;
};

}  // namespace vestige
