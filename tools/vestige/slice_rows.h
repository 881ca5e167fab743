// A slice as text.
#pragma once

#include <charconv>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "command_line.h"
#include "output.h"
#include "vestige/slice.h"

namespace vestige::cli {

struct SliceRows {
  const Trace& trace;
  const Slice& slice;
  const SliceOptions& options;
  const Presentation& presentation;
  double seconds = 0;
  bool all = false;
  // Of the criterion's statement, when they were asked for.
  std::optional<uint64_t> misses = std::nullopt;

  // One object; for people the lines of the source with how often each is in the slice, file by
  // file.
  void print_statements() const;
  // Whole source files, as far as they are still there.
  void print_source() const;
};

// A row of numbers and short words, put together in one place before it goes out.
class RowText {
 public:
  explicit RowText(Output& out) : out_(out) {}
  void put(char c) {
    if (size_ == sizeof bytes_) flush();
    bytes_[size_++] = c;
  }
  void text(std::string_view text) {
    if (text.size() > sizeof bytes_ - size_) flush();
    if (text.size() > sizeof bytes_) return out_.text(text);
    std::memcpy(bytes_ + size_, text.data(), text.size());
    size_ += text.size();
  }
  template <class Integer>
  void number(Integer value) {
    if (sizeof bytes_ - size_ < 24) flush();
    size_ = static_cast<size_t>(std::to_chars(bytes_ + size_, bytes_ + sizeof bytes_, value).ptr -
                                bytes_);
  }
  void done() {
    flush();
    out_.row_done();
  }

 private:
  void flush() { out_.text({bytes_, std::exchange(size_, 0)}); }
  Output& out_;
  size_t size_ = 0;
  char bytes_[1024];
};

// One row per execution, in the order executed; for people the first ones.
class InstanceRows {
 public:
  InstanceRows(const Trace& trace, const Presentation& presentation, bool all)
      : trace_(trace), format_(presentation.format()), all_(all) {}
  // False: no more are wanted.
  bool add(const Slice& slice, const SliceInstance& member, const SliceInstance* of);
  void end(const Slice& slice);

 private:
  // What all rows of a statement share.
  struct Named {
    bool known = false;
    ValueType type;
    std::string place;  // file and line, of JSON
  };

  void begin();
  void add_json(const SliceInstance& member, const SliceInstance* of);
  void add_csv(const SliceInstance& member, const SliceInstance* of);
  void add_line(const Slice& slice, const SliceInstance& member, const SliceInstance* of);
  uint64_t id_of(StatementRef ref) const;
  const Named& named(StatementRef ref);
  void put_number(std::string_view key, uint64_t number);
  void put_value(const ValueType& type, std::optional<uint64_t> value);
  void put_ends(uint8_t ends, std::string_view quote, char between);

  const Trace& trace_;
  const Format format_;
  const bool all_;
  uint64_t rows_ = 0;
  std::vector<Named> named_;  // by #ID
  Output out_;
  RowText row_{out_};
};

// Statements, and between them the dependences that brought them in (the first on the shortest
// way), for Graphviz.
class SliceGraph {
 public:
  explicit SliceGraph(const Trace& trace) : trace_(trace) {}
  void add(const SliceInstance& member, const SliceInstance* of);
  size_t edges() const { return edges_.size(); }
  void print(const Slice& slice, bool forward) const;

 private:
  const Trace& trace_;
  std::map<std::tuple<uint64_t, uint64_t, SliceReason>, uint64_t> edges_;
};

// A member as one object, and as one line: "7  #60@1  %60 = load i32, %8 (textbook.c:41)".
nlohmann::ordered_json member_json(const Trace& trace, const SliceInstance& member);
std::string member_text(const Trace& trace, const SliceInstance& member);

}  // namespace vestige::cli
