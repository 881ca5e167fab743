#include "query/variables/library_memory.h"

#include <unordered_map>
#include <unordered_set>

namespace vestige {

bool leaves_memory_alone(std::string_view function) {
  // clang-format off
  static const std::unordered_set<std::string_view> kAlone = {
      "malloc", "free", "cfree", "aligned_alloc", "memalign", "valloc", "exit", "_exit", "_Exit", "quick_exit", "abort",
      "atexit", "__cxa_atexit", "getenv", "secure_getenv", "setenv", "unsetenv", "putenv", "system", "__assert_fail",
      "isatty", "open", "open64", "openat", "creat", "close", "fopen", "fopen64", "fdopen", "freopen", "fclose", "fflush",
      "putchar", "putc", "fputc", "getc", "fgetc", "getchar", "ungetc", "_IO_getc", "_IO_putc", "getc_unlocked",
      "putc_unlocked", "fseek", "fseeko", "ftell", "ftello", "rewind", "feof", "ferror", "clearerr", "fileno", "lseek",
      "lseek64", "signal", "raise", "kill", "unlink", "unlinkat", "remove", "rename", "chmod", "fchmod", "chown", "fchown",
      "access", "faccessat", "mkdir", "rmdir", "umask", "opendir", "fdopendir", "closedir", "strerror", "setlocale",
      "localeconv", "__errno_location", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "__ctype_get_mb_cur_max",
      "bindtextdomain", "textdomain", "gettext", "dcgettext", "dgettext", "ngettext", "utime", "utimes", "utimensat",
      "futimens", "fsync", "fdatasync", "ftruncate", "truncate", "dup", "dup2", "fork", "execve", "execv", "execvp", "popen",
      "pclose", "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "sleep", "usleep", "alarm", "vprintf",
      "vfprintf", "__vfprintf_chk", "__vprintf_chk", "vsyslog", "syslog", "openlog", "bsearch", "lfind", "strspn", "strcspn",
      "strtok", "memmem", "memrchr", "rawmemchr", "strchrnul", "strcasestr", "strncasecmp", "strverscmp", "sysconf",
      "pathconf", "getpagesize", "posix_fadvise", "fadvise64", "madvise", "munmap", "mmap", "mprotect", "localtime",
      "gmtime", "ctime", "asctime", "clock", "difftime", "rand", "srand", "random", "srandom", "drand48", "srand48",
      "pthread_self", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_trylock", "pthread_cond_signal",
      "pthread_cond_broadcast", "sched_yield", "errx", "err", "warn", "warnx", "error",
      "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
      "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t",
      "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_throw", "__cxa_begin_catch", "__cxa_end_catch",
      "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort", "__cxa_pure_virtual", "__dynamic_cast",
      "_ZSt9terminatev", "_ZSt17__throw_bad_allocv", "_ZSt20__throw_length_errorPKc", "_ZSt19__throw_logic_errorPKc",
      "_ZSt20__throw_out_of_rangePKc", "_ZSt24__throw_out_of_range_fmtPKcz", "_ZSt28__throw_bad_array_new_lengthv",
      "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
      "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
  };
  // clang-format on
  return kAlone.contains(function) || find_library_function(function) != nullptr;
}

bool leaves_argument_alone(std::string_view function, size_t argument) {
  static const std::unordered_map<std::string_view, uint32_t> kRead = {
      // a bit for each argument
      {"getopt_long", 0b1100}, {"getopt_long_only", 0b1100}, {"getopt", 0b100},
      {"sigprocmask", 0b10},   {"pthread_sigmask", 0b10},    {"sigaction", 0b10},
      {"sigismember", 0b1}};
  if (const auto at = kRead.find(function); at != kRead.end())
    return argument < 32 && at->second >> argument & 1;
  return argument == 0 && function.starts_with("_ZNK");
}

std::optional<uint8_t> filled_with(std::string_view function, LibraryRange::Kind kind,
                                   uint64_t bytes, KnownArguments arguments) {
  if (kind != LibraryRange::Kind::computed) return std::nullopt;
  static const std::unordered_set<std::string_view> kZeros = {
      "bzero",         "explicit_bzero", "calloc",        "strncpy",
      "stpncpy",       "__strncpy_chk",  "__stpncpy_chk", "strncat",
      "__strncat_chk", "strndup",        "__strndup",     "__explicit_bzero_chk"};
  static const std::unordered_set<std::string_view> kCuts = {"strtok", "strtok_r", "__strtok_r",
                                                             "strsep"};
  if (kZeros.contains(function) || (bytes == 1 && kCuts.contains(function))) return 0;
  if ((function == "memset" || function == "__memset_chk") && arguments.size() > 1 && arguments[1])
    return static_cast<uint8_t>(*arguments[1]);
  return std::nullopt;
}

bool ends_with_zero(std::string_view function, LibraryRange::Kind kind) {
  static const std::unordered_set<std::string_view> kTexts = {
      "sprintf",  "vsprintf",  "__sprintf_chk",  "__vsprintf_chk",
      "snprintf", "vsnprintf", "__snprintf_chk", "__vsnprintf_chk"};
  static const std::unordered_set<std::string_view> kLines = {
      "fgets",  "fgets_unlocked", "__fgets_chk", "__fgets_unlocked_chk",
      "getcwd", "__getcwd_chk",   "realpath",    "__realpath_chk"};
  return (kind == LibraryRange::Kind::computed && kTexts.contains(function)) ||
         (kind == LibraryRange::Kind::outside && kLines.contains(function));
}

std::optional<uint64_t> allocated_bytes(std::string_view function, KnownArguments arguments) {
  static const std::unordered_map<std::string_view, size_t> kSizes = {{"malloc", 0},
                                                                      {"_Znwm", 0},
                                                                      {"_Znam", 0},
                                                                      {"realloc", 1},
                                                                      {"aligned_alloc", 1},
                                                                      {"memalign", 1},
                                                                      {"_ZnwmRKSt9nothrow_t", 0},
                                                                      {"_ZnamRKSt9nothrow_t", 0},
                                                                      {"_ZnwmSt11align_val_t", 0},
                                                                      {"_ZnamSt11align_val_t", 0}};
  if (function == "calloc") {
    uint64_t bytes = 0;
    if (arguments.size() < 2 || !arguments[0] || !arguments[1] ||
        __builtin_mul_overflow(*arguments[0], *arguments[1], &bytes))
      return std::nullopt;
    return bytes;
  }
  const auto at = kSizes.find(function);
  if (at == kSizes.end() || at->second >= arguments.size()) return std::nullopt;
  return arguments[at->second];
}

std::optional<size_t> freed_argument(std::string_view function) {
  static const std::unordered_set<std::string_view> kFree = {
      "free", "cfree", "realloc", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"};
  if (kFree.contains(function)) return 0;
  return std::nullopt;
}

}  // namespace vestige
