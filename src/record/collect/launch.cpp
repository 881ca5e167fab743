#include "record/collect/launch.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "record/collect/signals.h"
#include "record/protocol.h"

extern char** environ;

namespace vestige {

namespace {

bool is_file(const std::string& path) {
  struct stat st{};
  return ::stat(path.c_str(), &st) == 0 && !S_ISDIR(st.st_mode);
}

std::unexpected<Error> not_runnable(const std::string& program, int error) {
  return fail(ErrorKind::io, "cannot run " + program + ": " + std::strerror(error));
}

// The environment with VESTIGE_SESSION set to `session`.
std::vector<std::string> environment(const std::string& session, const std::string& preload) {
  const std::string name = std::string(protocol::kSessionVariable) + "=";
  constexpr std::string_view kPreload = "LD_PRELOAD=";
  std::vector<std::string> variables{name + session};
  if (!preload.empty()) variables.push_back(std::string(kPreload) + preload);
  for (char** entry = environ; *entry; ++entry) {
    if (std::strncmp(*entry, name.c_str(), name.size()) == 0) continue;
    if (!preload.empty() && std::string_view(*entry).starts_with(kPreload))
      variables[1] += std::string(":") + (*entry + kPreload.size());
    else
      variables.emplace_back(*entry);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Result<std::string> find_program(const std::string& program) {
  std::string refused;
  const auto usable = [&](const std::string& path) {
    if (!is_file(path)) return false;
    if (::access(path.c_str(), X_OK) == 0) return true;
    refused = path;
    return false;
  };
  if (program.find('/') != std::string::npos) {
    if (usable(program)) return program;
  } else if (!program.empty()) {
    const char* variable = std::getenv("PATH");
    std::string path = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
    for (size_t begin = 0; begin <= path.size();) {
      const size_t end = std::min(path.find(':', begin), path.size());
      const std::string folder = end == begin ? "." : path.substr(begin, end - begin);
      if (std::string file = folder + "/" + program; usable(file)) return file;
      begin = end + 1;
    }
  }
  if (!refused.empty()) return not_runnable(refused, EACCES);
  return fail(ErrorKind::usage, "there is no program " + program + " to record");
}

Result<pid_t> launch(const std::string& file, const std::vector<std::string>& arguments,
                     const std::string& session, const std::string& preload) {
  int status_pipe[2];
  if (::pipe2(status_pipe, O_CLOEXEC) != 0) return not_runnable(file, errno);
  std::vector<std::string> argument_strings = arguments, variables = environment(session, preload);
  std::vector<std::string> shell_strings = {"/bin/sh", file};
  shell_strings.insert(shell_strings.end(), arguments.begin() + 1, arguments.end());
  const std::vector<char*> argv = pointers(argument_strings), envp = pointers(variables),
                           shell_argv = pointers(shell_strings);

  const pid_t child = ::fork();
  if (child == 0) {
    SignalGuard::restore_in_child();
    // The same addresses in each run and each process, where the kernel allows it: runs can be
    // compared, and processes share what depends on addresses.
    if (const int present = ::personality(0xffffffff); present != -1)
      ::personality(static_cast<unsigned>(present) | ADDR_NO_RANDOMIZE);
    ::execve(file.c_str(), argv.data(), envp.data());
    // A script without an interpreter line: what execvp and every shell do with it.
    if (errno == ENOEXEC) ::execve("/bin/sh", shell_argv.data(), envp.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t ignored = ::write(status_pipe[1], &error, sizeof error);
    ::_exit(127);
  }
  const int fork_error = errno;
  ::close(status_pipe[1]);
  int error = 0;
  ssize_t got = 0;
  if (child > 0) {
    do got = ::read(status_pipe[0], &error, sizeof error);
    while (got < 0 && errno == EINTR);
  }
  ::close(status_pipe[0]);
  if (child < 0) return not_runnable(file, fork_error);
  if (got == sizeof error) {
    ::waitpid(child, nullptr, 0);
    return not_runnable(file, error);
  }
  return child;
}

}  // namespace vestige
