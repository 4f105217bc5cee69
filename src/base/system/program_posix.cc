// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/system/program.h"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration): unistd.h has it for GNU's sources alone

namespace coracle::internal {
namespace {

InterruptCall call_interrupted = nullptr;
InterruptCall call_too_late = nullptr;
suseconds_t interrupt_patience = 0;

extern "C" void take_alarm(int) { call_too_late(); }

extern "C" void take_interrupt(int) {
  const int before = errno;
  call_interrupted();
  std::signal(SIGINT, SIG_DFL);
  itimerval once{};
  once.it_value.tv_usec = interrupt_patience;
  ::setitimer(ITIMER_REAL, &once, nullptr);
  errno = before;
}

/// The words as C has them, ended by null.
std::vector<char*> addresses_of(std::vector<std::string>& words) {
  std::vector<char*> addresses;
  for (std::string& word : words) addresses.push_back(word.data());
  addresses.push_back(nullptr);
  return addresses;
}

}  // namespace

std::vector<std::string> program_arguments(int argc, const char* const* argv) { return {argv, argv + argc}; }

std::string own_program() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).string();
}

void prepare_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      [[maybe_unused]] const int taken = ::open("/dev/null", O_RDONLY);  // the lowest that is free: this one
    }
  }
}

bool errors_go_to_terminal() { return ::isatty(STDERR_FILENO) != 0; }

void handle_interrupt(InterruptCall interrupted, InterruptCall too_late, std::chrono::milliseconds patience) {
  call_interrupted = interrupted;
  call_too_late = too_late;
  interrupt_patience = static_cast<suseconds_t>(std::chrono::microseconds(patience).count());
  std::signal(SIGALRM, take_alarm);
  if (std::signal(SIGINT, take_interrupt) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

void end_program(std::string_view text, int code) {
  [[maybe_unused]] const ssize_t lost = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(code);
}

void wait_to_be_ended() { ::pause(); }

Ended run_to_end(const std::vector<std::string>& words, const std::string& log) {
  std::vector<std::string> copies = words;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!log.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, addresses_of(copies).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {.error = error, .status = 0};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {.error = errno, .status = 0};
  }
  return {.error = 0, .status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
}

int become_program(const std::string& path, std::vector<std::string> words) {
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  ::execv(path.c_str(), addresses_of(words).data());
  return errno;
}

bool make_temporary_folder(std::string& path) { return ::mkdtemp(path.data()) != nullptr; }

size_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
#if defined(__APPLE__)
  return static_cast<size_t>(usage.ru_maxrss);
#else
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace coracle::internal
