// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "base/system/child.h"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration): unistd.h has it for GNU's sources alone

namespace coracle::internal {
namespace {

/// Children that run, for a handler of a signal. One that finds no place is not ended by it, and ends when it writes.
std::array<std::atomic<pid_t>, 256> running{};

void note_start(pid_t child) {
  for (std::atomic<pid_t>& place : running) {
    pid_t none = 0;
    if (place.compare_exchange_strong(none, child)) return;
  }
}

void note_end(pid_t child) {
  for (std::atomic<pid_t>& place : running) {
    pid_t expected = child;
    if (place.compare_exchange_strong(expected, 0)) return;
  }
}

void close_end(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

/// Two ends that no program started later inherits.
bool make_pipe(int& reads, int& writes) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe(ends.data()) != 0) return false;
  reads = ends[0];
  writes = ends[1];
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

constexpr size_t kKept = 1U << 20U;

}  // namespace

struct Child::State {
  pid_t child = 0;
  int pipe = -1;
  int errors = -1;
  int status = 0;
};

Child::Child(const std::vector<std::string>& words, Pipe pipe) : state_(std::make_unique<State>()) {
  State& s = *state_;
  int theirs = -1;
  int their_errors = -1;
  const bool output = pipe == Pipe::kOutput;
  if (!make_pipe(output ? s.pipe : theirs, output ? theirs : s.pipe) || !make_pipe(s.errors, their_errors)) {
    error_ = errno;
    close_end(theirs);
    return;
  }
  ::fcntl(s.pipe, F_SETFL, O_NONBLOCK);
  ::fcntl(s.errors, F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_adddup2(&actions, theirs, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, their_errors, STDERR_FILENO);
  // What this program ignores the other does not: without SIGPIPE it would outlive whoever reads from it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> copies = words;
  std::vector<char*> addresses;
  for (std::string& word : copies) addresses.push_back(word.data());
  addresses.push_back(nullptr);
  error_ = ::posix_spawnp(&s.child, words[0].c_str(), &actions, &attributes, addresses.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close_end(theirs);
  close_end(their_errors);
  if (error_ != 0) {
    s.child = 0;
  } else {
    note_start(s.child);
  }
}

Child::~Child() {
  stop();
  close_end(state_->pipe);
  close_end(state_->errors);
}

/// Takes what waits in the pipe of errors; false at its end.
bool Child::drain() {
  State& s = *state_;
  std::array<char, 4096> part{};
  while (s.errors >= 0) {
    const ssize_t count = ::read(s.errors, part.data(), part.size());
    if (count > 0) {
      messages_.append(part.data(), static_cast<size_t>(count));
      if (messages_.size() > 2 * kKept) messages_.erase(0, messages_.size() - kKept);
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && errno == EAGAIN) {
      return true;
    } else {
      close_end(s.errors);
    }
  }
  return false;
}

size_t Child::read(void* to, size_t most, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  State& s = *state_;
  const Clock::time_point end = Clock::now() + patience;
  while (s.pipe >= 0) {
    const ssize_t count = ::read(s.pipe, to, most);
    if (count > 0) return static_cast<size_t>(count);
    if (count == 0) return 0;
    if (errno != EAGAIN && errno != EINTR) return 0;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) {
      silent_ = true;
      stop();
      return 0;
    }
    std::array<pollfd, 2> waits{pollfd{s.pipe, POLLIN, 0}, pollfd{s.errors, POLLIN, 0}};
    ::poll(waits.data(), waits.size(), static_cast<int>(std::min<std::chrono::milliseconds::rep>(left, 1 << 30)));
    if (waits[1].revents != 0) drain();
  }
  return 0;
}

bool Child::write(const void* from, size_t size) {
  State& s = *state_;
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    if (s.pipe < 0) return false;
    const ssize_t count = ::write(s.pipe, at, size);
    if (count > 0) {
      at += count;
      size -= static_cast<size_t>(count);
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return false;
    std::array<pollfd, 2> waits{pollfd{s.pipe, POLLOUT, 0}, pollfd{s.errors, POLLIN, 0}};
    ::poll(waits.data(), waits.size(), -1);
    if (waits[1].revents != 0) drain();
  }
  return true;
}

int Child::finish() {
  State& s = *state_;
  close_end(s.pipe);
  if (s.child <= 0) return s.status;
  while (drain()) {
    pollfd wait{s.errors, POLLIN, 0};
    ::poll(&wait, 1, -1);
  }
  int status = 0;
  while (::waitpid(s.child, &status, 0) < 0) {
    if (errno != EINTR) break;
  }
  note_end(s.child);
  s.child = 0;
  s.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return s.status;
}

void Child::stop() {
  if (state_->child <= 0) return;
  ::kill(state_->child, SIGKILL);
  finish();
}

std::string& Child::messages() {
  drain();
  return messages_;
}

std::string how_ended(int status) {
  return status >= 0 ? "failed with exit code " + std::to_string(status)
                     : "was ended by signal " + std::to_string(-status);
}

void end_children() noexcept {
  static_assert(std::atomic<pid_t>::is_always_lock_free);
  for (const std::atomic<pid_t>& place : running) {
    if (const pid_t child = place.load(); child > 0) ::kill(child, SIGKILL);
  }
}

}  // namespace coracle::internal
