// The table of library.h: C library and system calls of Linux on x86-64.
#include "program/library.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>

#include <unordered_map>

namespace vestige {

namespace {

using Term = LibraryTerm;
using Measure = LibraryMeasure;

constexpr Term argument(uint32_t number) { return {Term::Kind::argument, number}; }
constexpr Term bytes_of(size_t size) { return {Term::Kind::number, static_cast<uint32_t>(size)}; }
constexpr Term A0 = argument(0), A1 = argument(1), A2 = argument(2), A3 = argument(3),
               A4 = argument(4), A5 = argument(5), A6 = argument(6);
constexpr Term R = {Term::Kind::result, 0};
constexpr Term M0 = {Term::Kind::measure, 0}, M1 = {Term::Kind::measure, 1},
               M2 = {Term::Kind::measure, 2};
constexpr Term k1 = bytes_of(1), k4 = bytes_of(4), k8 = bytes_of(8), k16 = bytes_of(16);

// A range that is written out part by part.
struct RangeBuilder : LibraryRange {
  RangeBuilder bytes(Term amount, Term per = {}) const {
    RangeBuilder out = *this;
    out.length = amount;
    out.times = per;
    return out;
  }
  RangeBuilder and_zero() const {
    RangeBuilder out = *this;
    out.plus = 1;
    return out;
  }
  RangeBuilder at(Term where) const {
    RangeBuilder out = *this;
    out.offset = where;
    return out;
  }
  RangeBuilder at_most(Term amount) const {
    RangeBuilder out = *this;
    out.most = amount;
    return out;
  }
  RangeBuilder only(When condition, Term of = R, uint32_t least = 0) const {
    RangeBuilder out = *this;
    out.when = condition;
    out.tested = of;
    out.bound = least;
    return out;
  }
  RangeBuilder if_any() const { return only(When::at_least, R, 1); }
  RangeBuilder if_not_negative() const { return only(When::at_least, R, 0); }
  RangeBuilder if_given() const { return only(When::nonzero); }
  RangeBuilder if_zero() const { return only(When::zero); }
};
RangeBuilder range(LibraryRange::Kind kind, Term to, Term from = {}) {
  RangeBuilder out;
  out.kind = kind;
  out.to = to;
  out.from = from;
  return out;
}
RangeBuilder copy(Term to, Term from) { return range(LibraryRange::Kind::copy, to, from); }
RangeBuilder outside(Term to) { return range(LibraryRange::Kind::outside, to); }
RangeBuilder computed(Term to) { return range(LibraryRange::Kind::computed, to); }
RangeBuilder reads(Term from) { return range(LibraryRange::Kind::read, {}, from); }

Measure text(Term of, Term most = {}) { return {Measure::Kind::text, of, most, {}, 0}; }
Measure appended(Term of, Term with, Term most = {}) {
  return {Measure::Kind::appended, of, with, most, 0};
}
Measure common(Term of, Term with, Term most = {}) {
  return {Measure::Kind::common, of, with, most, 0};
}
Measure numeral(Term of) { return {Measure::Kind::numeral, of, {}, {}, 0}; }
Measure distance(Term of, Term with) { return {Measure::Kind::distance, of, with, {}, 0}; }
Measure word(Term of) { return {Measure::Kind::word, of, {}, {}, 0}; }
Measure half(Term of) { return {Measure::Kind::half, of, {}, {}, 0}; }
Measure allocated(Term of) { return {Measure::Kind::allocated, of, {}, {}, 0}; }

LibraryCall does(std::initializer_list<RangeBuilder> ranges,
                 std::initializer_list<LibraryMeasure> measures = {}) {
  LibraryCall call;
  call.ranges.assign(ranges.begin(), ranges.end());
  call.measures = measures;
  return call;
}

constexpr FormatUse prints(uint32_t format) { return {FormatUse::Kind::prints, format, false}; }
constexpr FormatUse scans(uint32_t format, bool outside) {
  return {FormatUse::Kind::scans, format, outside};
}

// clang-format off
std::vector<LibraryFunction> make_table() {
  const RangeBuilder both[] = {reads(A0), reads(A1)};
  const auto each = [&](Term amount, bool zero, Term most = {}) {
    std::vector<LibraryRange> out;
    for (RangeBuilder r : both) {
      r = r.bytes(amount).at_most(most);
      out.push_back(zero ? r.and_zero() : r);
    }
    return out;
  };
  const auto compares = [&](LibraryMeasure measure, Term most) {
    LibraryCall call;
    call.measures = {measure};
    call.ranges = each(M0, true, most);
    return call;
  };
  const auto texts = [&] {
    return does({reads(A0).bytes(M0).and_zero(), reads(A1).bytes(M1).and_zero()}, {text(A0), text(A1)});
  };
  const LibraryCall moves = does({copy(A0, A1).bytes(A2)});
  const LibraryCall fills = does({computed(A0).bytes(A2)});
  const LibraryCall copies_text = does({copy(A0, A1).bytes(M0).and_zero()}, {text(A0)});
  const LibraryCall copies_some = does({computed(A0).bytes(A2), copy(A0, A1).bytes(M0)}, {text(A1, A2)});
  const LibraryCall appends = does({copy(A0, A1).at(M1).bytes(M0).and_zero()}, {text(A1), appended(A0, A1)});
  const LibraryCall appends_some = does({copy(A0, A1).at(M1).bytes(M0), computed(A0).at(M2).bytes(k1)},
                                        {text(A1, A2), appended(A0, A1, A2), text(A0)});
  const LibraryCall doubles = does({copy(R, A0).bytes(M0).and_zero().if_given()}, {text(R)});
  const LibraryCall doubles_some = does({copy(R, A0).bytes(M0).if_given(), computed(R).at(M0).bytes(k1).if_given()}, {text(R)});
  const LibraryCall reads_line = does({outside(R).bytes(M0).and_zero().if_given()}, {text(R)});
  const LibraryCall reads_some = does({outside(A1).bytes(R).if_any()});
  const LibraryCall reads_lines = does({computed(A0).bytes(k8), computed(A1).bytes(k8), outside(M0).bytes(R).and_zero().if_not_negative()}, {word(A0)});
  const LibraryCall numbers = does({computed(A1).bytes(k8), reads(A0).bytes(M0).and_zero()}, {numeral(A0)});
  const LibraryCall number = does({reads(A0).bytes(M0).and_zero()}, {numeral(A0)});
  const LibraryCall prints_text = does({computed(A0).bytes(R).and_zero().if_not_negative()});
  const LibraryCall prints_some = does({computed(A0).bytes(R).and_zero().at_most(A1).if_not_negative()});
  const LibraryCall allocates_text = does({computed(A0).bytes(k8), computed(M0).bytes(R).and_zero().if_not_negative()}, {word(A0)});
  const LibraryCall stat_second = does({outside(A1).bytes(bytes_of(sizeof(struct stat))).if_zero()});
  const LibraryCall stat_third = does({outside(A2).bytes(bytes_of(sizeof(struct stat))).if_zero()});
  const LibraryCall tells_time = does({outside(A1).bytes(bytes_of(sizeof(timespec))).if_zero()});
  const LibraryCall breaks_time = does({computed(A1).bytes(bytes_of(sizeof(tm))).if_given(), reads(A0).bytes(k8)});
  const LibraryCall joins_time = does({computed(A0).bytes(bytes_of(sizeof(tm))), reads(A0).bytes(bytes_of(sizeof(tm)))});
  const LibraryCall splits = does({computed(R).at(M0).bytes(k1).if_given()}, {text(R)});
  const LibraryCall sorts = does({reads(A0).bytes(A1, A2), computed(A0).bytes(A1, A2)});
  const LibraryCall second4 = does({computed(A1).bytes(k4)});
  const LibraryCall second8 = does({computed(A1).bytes(k8)});
  const LibraryCall second10 = does({computed(A1).bytes(bytes_of(10))});
  const LibraryCall searches = does({reads(A0).bytes(M0).and_zero()}, {text(A0)});
  const LibraryCall pair = does({outside(A0).bytes(k8).if_zero()});
  const LibraryCall limits = does({outside(A1).bytes(bytes_of(sizeof(rlimit))).if_zero()});

  std::vector<LibraryFunction> table = {
      // Blocks of memory.
      {"memcpy", "pppi", moves}, {"memmove", "pppi", moves}, {"mempcpy", "pppi", moves}, {"__mempcpy", "pppi", moves},
      {"__memcpy_chk", "pppii", moves}, {"__memmove_chk", "pppii", moves}, {"__mempcpy_chk", "pppii", moves},
      {"bcopy", "vppi", does({copy(A1, A0).bytes(A2)})},
      {"memccpy", "pppii", does({copy(A0, A1).bytes(A3).only(LibraryRange::When::zero), copy(A0, A1).bytes(M0).if_given()}, {distance(R, A0)})},
      {"memset", "ppii", fills}, {"__memset_chk", "ppiii", fills},
      {"bzero", "vpi", does({computed(A0).bytes(A1)})}, {"explicit_bzero", "vpi", does({computed(A0).bytes(A1)})},
      {"__explicit_bzero_chk", "vpii", does({computed(A0).bytes(A1)})},
      {"memcmp", "ippi", {{}, each(A2, false)}}, {"bcmp", "ippi", {{}, each(A2, false)}},
      {"memchr", "ppii", does({reads(A0).bytes(A2).only(LibraryRange::When::zero), reads(A0).bytes(M0).and_zero().if_given()}, {distance(R, A0)})},
      {"calloc", "pii", does({computed(R).bytes(A0, A1).if_given()})},
      {"realloc", "ppi", does({copy(R, A0).bytes(M0).at_most(A1).if_given()}, {allocated(A0)})},
      {"posix_memalign", "ipii", does({computed(A0).bytes(k8).if_zero()})},
      {"qsort", "vpiip", sorts}, {"qsort_r", "vpiipp", sorts},
      // Texts.
      {"strcpy", "ppp", copies_text}, {"stpcpy", "ppp", copies_text}, {"__stpcpy", "ppp", copies_text},
      {"__strcpy_chk", "pppi", copies_text}, {"__stpcpy_chk", "pppi", copies_text},
      {"strncpy", "pppi", copies_some}, {"stpncpy", "pppi", copies_some},
      {"__strncpy_chk", "pppii", copies_some}, {"__stpncpy_chk", "pppii", copies_some},
      {"strcat", "ppp", appends}, {"__strcat_chk", "pppi", appends},
      {"strncat", "pppi", appends_some}, {"__strncat_chk", "pppii", appends_some},
      {"strdup", "pp", doubles}, {"__strdup", "pp", doubles}, {"strndup", "ppi", doubles_some}, {"__strndup", "ppi", doubles_some},
      {"strtok", "ppp", splits},
      {"strtok_r", "pppp", does({computed(A2).bytes(k8), computed(R).at(M0).bytes(k1).if_given()}, {text(R)})},
      {"__strtok_r", "pppp", does({computed(A2).bytes(k8), computed(R).at(M0).bytes(k1).if_given()}, {text(R)})},
      {"strsep", "ppp", does({computed(A0).bytes(k8), computed(R).at(M0).bytes(k1).if_given()}, {text(R)})},
      {"strlen", "ip", does({reads(A0).bytes(R).and_zero()})},
      {"strnlen", "ipi", does({reads(A0).bytes(R).and_zero().at_most(A1)})},
      {"strcmp", "ipp", compares(common(A0, A1), {})}, {"strcoll", "ipp", texts()},
      {"strncmp", "ippi", compares(common(A0, A1, A2), A2)},
      {"strcasecmp", "ipp", texts()},
      {"strchr", "ppi", searches}, {"strrchr", "ppi", searches}, {"strstr", "ppp", texts()}, {"strpbrk", "ppp", texts()},
      {"strspn", "ipp", texts()}, {"strcspn", "ipp", texts()},
      {"atoi", "ip", number}, {"atol", "ip", number}, {"atoll", "ip", number}, {"atof", "fp", number},
      // Formatted texts.
      {"sprintf", "ipp*", prints_text, prints(1)}, {"vsprintf", "ippp", prints_text},
      {"__sprintf_chk", "ipiip*", prints_text, prints(3)}, {"__vsprintf_chk", "ipiipp", prints_text},
      {"snprintf", "ipip*", prints_some, prints(2)}, {"vsnprintf", "ipipp", prints_some},
      {"__snprintf_chk", "ipiiip*", prints_some, prints(4)}, {"__vsnprintf_chk", "ipiiipp", prints_some},
      {"asprintf", "ipp*", allocates_text, prints(1)}, {"vasprintf", "ippp", allocates_text}, {"__vasprintf_chk", "ipipp", allocates_text},
      {"__asprintf_chk", "ipip*", allocates_text, prints(2)},
      {"printf", "ip*", {}, prints(0)}, {"__printf_chk", "iip*", {}, prints(1)},
      {"fprintf", "ipp*", {}, prints(1)}, {"__fprintf_chk", "ipip*", {}, prints(2)},
      {"scanf", "ip*", {}, scans(0, true)}, {"fscanf", "ipp*", {}, scans(1, true)},
      {"sscanf", "ipp*", does({reads(A0).bytes(M0).and_zero()}, {text(A0)}), scans(1, false)},
      // Files and streams.
      {"fgets", "ppip", reads_line}, {"fgets_unlocked", "ppip", reads_line}, {"__fgets_chk", "ppiip", reads_line}, {"__fgets_unlocked_chk", "ppiip", reads_line},
      {"fread", "ipiip", does({outside(A0).bytes(R, A1)})}, {"fread_unlocked", "ipiip", does({outside(A0).bytes(R, A1)})},
      {"__fread_chk", "ipiiip", does({outside(A0).bytes(R, A2)})}, {"__fread_unlocked_chk", "ipiiip", does({outside(A0).bytes(R, A2)})},
      {"getline", "ippp", reads_lines}, {"getdelim", "ippip", reads_lines}, {"__getdelim", "ippip", reads_lines},
      {"read", "iipi", reads_some}, {"__read_chk", "iipii", reads_some}, {"pread", "iipii", reads_some},
      {"pread64", "iipii", reads_some}, {"__pread_chk", "iipiii", reads_some}, {"__pread64_chk", "iipiii", reads_some}, {"recv", "iipii", reads_some}, {"__recv_chk", "iipiii", reads_some},
      {"recvfrom", "iipiipp", does({outside(A1).bytes(R).if_any(), outside(A5).bytes(k4).if_not_negative(), outside(A4).bytes(M0).if_not_negative()}, {half(A5)})},
      {"__recvfrom_chk", "iipiiipp", does({outside(A1).bytes(R).if_any(), outside(A6).bytes(k4).if_not_negative(), outside(A5).bytes(M0).if_not_negative()}, {half(A6)})},
      {"getrandom", "ipii", does({outside(A0).bytes(R).if_any()})}, {"getentropy", "ipi", does({outside(A0).bytes(A1).if_zero()})},
      {"readlink", "ippi", reads_some}, {"readlinkat", "iippi", does({outside(A2).bytes(R).if_any()})},
      {"__readlink_chk", "ippii", reads_some}, {"__readlinkat_chk", "iippii", does({outside(A2).bytes(R).if_any()})},
      {"getcwd", "ppi", reads_line}, {"__getcwd_chk", "ppii", reads_line},
      {"realpath", "ppp", does({outside(R).bytes(M0).and_zero().if_given()}, {text(R)})},
      {"__realpath_chk", "pppi", does({outside(R).bytes(M0).and_zero().if_given()}, {text(R)})},
      {"puts", "ip", searches}, {"fputs", "ipp", searches}, {"perror", "vp", searches},
      {"fwrite", "ipiip", does({reads(A0).bytes(A1, A2)})}, {"fwrite_unlocked", "ipiip", does({reads(A0).bytes(A1, A2)})},
      {"write", "iipi", does({reads(A1).bytes(A2)})}, {"pwrite", "iipii", does({reads(A1).bytes(A2)})},
      {"pwrite64", "iipii", does({reads(A1).bytes(A2)})}, {"send", "iipii", does({reads(A1).bytes(A2)})},
      {"stat", "ipp", stat_second}, {"lstat", "ipp", stat_second}, {"fstat", "iip", stat_second}, {"fstatat", "iippi", stat_third},
      {"stat64", "ipp", stat_second}, {"lstat64", "ipp", stat_second}, {"fstat64", "iip", stat_second}, {"fstatat64", "iippi", stat_third},
      {"statfs", "ipp", does({outside(A1).bytes(bytes_of(sizeof(struct statfs))).if_zero()})},
      {"pipe", "ip", pair}, {"pipe2", "ipi", pair}, {"socketpair", "iiiip", does({outside(A3).bytes(k8).if_zero()})},
      {"poll", "ipii", does({outside(A0).bytes(A1, bytes_of(sizeof(pollfd))).if_not_negative()})},
      {"__poll_chk", "ipiii", does({outside(A0).bytes(A1, bytes_of(sizeof(pollfd))).if_not_negative()})},
      {"select", "iipppp", does({outside(A1).bytes(bytes_of(sizeof(fd_set))).if_not_negative(), outside(A2).bytes(bytes_of(sizeof(fd_set))).if_not_negative(),
                                 outside(A3).bytes(bytes_of(sizeof(fd_set))).if_not_negative(), outside(A4).bytes(k16)})},
      {"tcgetattr", "iip", does({outside(A1).bytes(bytes_of(sizeof(termios))).if_zero()})},
      // Time, processes, the system.
      {"time", "ip", does({outside(A0).bytes(k8)})}, {"gettimeofday", "ipp", does({outside(A0).bytes(k16).if_zero()})},
      {"clock_gettime", "iip", tells_time}, {"clock_getres", "iip", tells_time}, {"timespec_get", "ipi", does({outside(A0).bytes(k16).if_given()})},
      {"nanosleep", "ipp", does({outside(A1).bytes(k16).if_given()})},
      {"times", "ip", does({outside(A0).bytes(bytes_of(sizeof(tms)))})},
      {"localtime_r", "ppp", breaks_time}, {"gmtime_r", "ppp", breaks_time}, {"mktime", "ip", joins_time}, {"timegm", "ip", joins_time},
      {"strftime", "ipipp", does({computed(A0).bytes(R).and_zero().if_given(), reads(A3).bytes(bytes_of(sizeof(tm)))})},
      {"asctime_r", "ppp", does({computed(A1).bytes(M0).and_zero().if_given(), reads(A0).bytes(bytes_of(sizeof(tm)))}, {text(R)})},
      {"ctime_r", "ppp", does({computed(A1).bytes(M0).and_zero().if_given(), reads(A0).bytes(k8)}, {text(R)})},
      {"wait", "ip", does({outside(A0).bytes(k4).if_any()})}, {"waitpid", "iipi", does({outside(A1).bytes(k4).if_any()})},
      {"wait4", "iipip", does({outside(A1).bytes(k4).if_any(), outside(A3).bytes(bytes_of(sizeof(rusage))).if_any()})},
      {"getrusage", "iip", does({outside(A1).bytes(bytes_of(sizeof(rusage))).if_zero()})},
      {"getrlimit", "iip", limits}, {"getrlimit64", "iip", limits},
      {"uname", "ip", does({outside(A0).bytes(bytes_of(sizeof(utsname))).if_zero()})},
      {"sysinfo", "ip", does({outside(A0).bytes(bytes_of(sizeof(struct sysinfo))).if_zero()})},
      {"gethostname", "ipi", does({outside(A0).bytes(M0).and_zero().at_most(A1).if_zero()}, {text(A0, A1)})},
      {"__gethostname_chk", "ipii", does({outside(A0).bytes(M0).and_zero().at_most(A1).if_zero()}, {text(A0, A1)})},
      // Of the kernel's size: glibc does not touch the rest of a sigset_t.
      {"sigemptyset", "ip", does({computed(A0).bytes(k8)})}, {"sigfillset", "ip", does({computed(A0).bytes(k8)})},
      // Numbers.
      {"frexp", "ffp", second4}, {"frexpf", "ffp", second4}, {"frexpl", "ffp", second4},
      {"modf", "ffp", second8}, {"modff", "ffp", second4}, {"modfl", "ffp", second10},
      {"lgamma_r", "ffp", second4}, {"lgammaf_r", "ffp", second4}, {"remquo", "fffp", does({computed(A2).bytes(k4)})},
      {"sincos", "vfpp", does({computed(A1).bytes(k8), computed(A2).bytes(k8)})},
      {"sincosf", "vfpp", does({computed(A1).bytes(k4), computed(A2).bytes(k4)})},
  };
  for (const char* name : {"strtol", "strtoll", "strtoul", "strtoull", "strtoimax", "strtoumax", "__isoc23_strtol", "__isoc23_strtoll",
                           "__isoc23_strtoul", "__isoc23_strtoull"})
    table.push_back({name, "ippi", numbers});
  for (const char* name : {"strtod", "strtof", "strtold"}) table.push_back({name, "fpp", numbers});
  for (const std::string_view name : {"scanf", "fscanf", "sscanf"})
    for (LibraryFunction copied : std::vector(table))
      if (copied.name == name) {
        copied.name = name == "scanf" ? "__isoc99_scanf" : name == "fscanf" ? "__isoc99_fscanf" : "__isoc99_sscanf";
        table.push_back(copied);
        copied.name = name == "scanf" ? "__isoc23_scanf" : name == "fscanf" ? "__isoc23_fscanf" : "__isoc23_sscanf";
        table.push_back(copied);
      }
  return table;
}
// clang-format on

// The system call's function, with everything one argument further on.
LibraryFunction shifted(const LibraryFunction& from) {
  LibraryFunction out{"syscall", "i*", from.call, {}};
  const auto shift = [](Term& term) {
    if (term.kind == Term::Kind::argument) ++term.number;
  };
  for (LibraryRange& range : out.call.ranges)
    for (Term* term : {&range.tested, &range.to, &range.offset, &range.from, &range.length,
                       &range.times, &range.most})
      shift(*term);
  for (LibraryMeasure& measure : out.call.measures)
    for (Term* term : {&measure.of, &measure.with, &measure.most}) shift(*term);
  return out;
}

char letter_of(std::string_view type) {
  if (type == "ptr") return 'p';
  if (type == "void") return 'v';
  return type.starts_with('i') ? 'i' : 'f';
}

}  // namespace

const LibraryFunction* find_library_function(std::string_view name) {
  static const std::vector<LibraryFunction> table = make_table();
  static const auto names = [] {
    std::unordered_map<std::string_view, const LibraryFunction*> made;
    for (const LibraryFunction& function : table) made.emplace(function.name, &function);
    return made;
  }();
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

const LibraryFunction* find_system_call(uint64_t number) {
  // Those whose function gives what the system gives, but for errors.
  static const auto calls = [] {
    std::unordered_map<uint64_t, LibraryFunction> made;
    for (const auto& [call, name] : std::initializer_list<std::pair<uint64_t, std::string_view>>{
             {SYS_read, "read"},
             {SYS_write, "write"},
             {SYS_pread64, "pread"},
             {SYS_getrandom, "getrandom"},
             {SYS_clock_gettime, "clock_gettime"},
             {SYS_gettimeofday, "gettimeofday"},
             {SYS_time, "time"},
             {SYS_pipe, "pipe"},
             {SYS_pipe2, "pipe2"},
             {SYS_recvfrom, "recvfrom"},
             {SYS_readlink, "readlink"},
             {SYS_stat, "stat"},
             {SYS_fstat, "fstat"},
             {SYS_lstat, "lstat"},
             {SYS_uname, "uname"},
             {SYS_getrusage, "getrusage"},
             {SYS_wait4, "wait4"}})
      made.emplace(call, shifted(*find_library_function(name)));
    return made;
  }();
  const auto found = calls.find(number);
  return found == calls.end() ? nullptr : &found->second;
}

bool library_types_match(const LibraryFunction& function, std::span<const std::string_view> types) {
  std::string_view wanted = function.types;
  const bool open = wanted.ends_with('*');
  if (open) wanted.remove_suffix(1);
  if (types.size() < wanted.size() || (types.size() > wanted.size() && !open)) return false;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (letter_of(types[i]) != wanted[i]) return false;
  return true;
}

}  // namespace vestige
