// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "base/system/child.h"
#include "base/system/windows_programs.h"

namespace coracle::internal {
namespace {

constexpr size_t kMostKept = 1U << 20U;
constexpr DWORD kPipeSize = 1U << 20U;  ///< also what a child may say of errors while nobody listens
constexpr UINT kStopped = 1;

std::array<std::atomic<HANDLE>, 256> running_children{};

void close_handle(HANDLE& handle) {
  if (handle != nullptr) CloseHandle(handle);
  handle = nullptr;
}

/// One end is the child's, who inherits it.
bool make_windows_pipe(HANDLE& reads, HANDLE& writes, bool child_writes) {
  SECURITY_ATTRIBUTES inherits{sizeof(inherits), nullptr, TRUE};
  if (CreatePipe(&reads, &writes, &inherits, kPipeSize) == 0) return false;
  return SetHandleInformation(child_writes ? reads : writes, HANDLE_FLAG_INHERIT, 0) != 0;
}

/// Bytes that wait in a pipe; negative at its end.
int64_t waiting_in(HANDLE pipe) {
  DWORD count = 0;
  return PeekNamedPipe(pipe, nullptr, 0, nullptr, &count, nullptr) != 0 ? static_cast<int64_t>(count) : -1;
}

}  // namespace

struct Child::State {
  HANDLE process = nullptr;
  HANDLE pipe = nullptr;
  HANDLE errors = nullptr;
  int status = 0;
};

Child::Child(const std::vector<std::string>& words, Pipe pipe) : state_(std::make_unique<State>()) {
  State& s = *state_;
  HANDLE theirs = nullptr;
  HANDLE their_errors = nullptr;
  const bool output = pipe == Pipe::kOutput;
  SECURITY_ATTRIBUTES inherits{sizeof(inherits), nullptr, TRUE};
  HANDLE nothing = CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherits,
                               OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (nothing != INVALID_HANDLE_VALUE &&
      make_windows_pipe(output ? s.pipe : theirs, output ? theirs : s.pipe, output) &&
      make_windows_pipe(s.errors, their_errors, true)) {
    const ProgramStreams streams{output ? nothing : theirs, output ? theirs : nothing, their_errors};
    s.process = start_program(words, &streams, CREATE_NO_WINDOW);
    if (s.process == nullptr) error_ = errno;
    for (std::atomic<HANDLE>& place : running_children) {
      HANDLE none = nullptr;
      if (s.process == nullptr || place.compare_exchange_strong(none, s.process)) break;
    }
  } else {
    take_last_error();
    error_ = errno;
  }
  if (nothing != INVALID_HANDLE_VALUE) CloseHandle(nothing);
  close_handle(theirs);
  close_handle(their_errors);
}

Child::~Child() {
  stop();
  close_handle(state_->pipe);
  close_handle(state_->errors);
}

bool Child::drain() {
  State& s = *state_;
  while (s.errors != nullptr) {
    const int64_t waiting = waiting_in(s.errors);
    if (waiting == 0) return true;
    std::array<char, 4096> part{};
    DWORD count = 0;
    if (waiting < 0 || ReadFile(s.errors, part.data(), part.size(), &count, nullptr) == 0) {
      close_handle(s.errors);
    } else {
      messages_.append(part.data(), count);
      if (messages_.size() > 2 * kMostKept) messages_.erase(0, messages_.size() - kMostKept);
    }
  }
  return false;
}

size_t Child::read(void* to, size_t most, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  State& s = *state_;
  const Clock::time_point end = Clock::now() + patience;
  while (s.pipe != nullptr) {
    const int64_t waiting = waiting_in(s.pipe);
    if (waiting < 0) return 0;
    if (waiting > 0) {
      DWORD count = 0;
      const auto wanted = static_cast<DWORD>(std::min<size_t>(most, static_cast<size_t>(waiting)));
      return ReadFile(s.pipe, to, wanted, &count, nullptr) != 0 ? count : 0;
    }
    if (Clock::now() >= end) {
      silent_ = true;
      stop();
      return 0;
    }
    drain();
    Sleep(1);
  }
  return 0;
}

bool Child::write(const void* from, size_t size) {
  State& s = *state_;
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    DWORD count = 0;
    const auto part = static_cast<DWORD>(std::min<size_t>(size, kPipeSize));
    if (s.pipe == nullptr || WriteFile(s.pipe, at, part, &count, nullptr) == 0) return false;
    at += count;
    size -= count;
    drain();
  }
  return true;
}

int Child::finish() {
  State& s = *state_;
  close_handle(s.pipe);
  if (s.process == nullptr) return s.status;
  while (WaitForSingleObject(s.process, 1) == WAIT_TIMEOUT) drain();
  drain();
  DWORD code = 0;
  GetExitCodeProcess(s.process, &code);
  for (std::atomic<HANDLE>& place : running_children) {
    HANDLE expected = s.process;
    if (place.compare_exchange_strong(expected, nullptr)) break;
  }
  close_handle(s.process);
  s.status = static_cast<int>(code);
  return s.status;
}

void Child::stop() {
  if (state_->process == nullptr) return;
  TerminateProcess(state_->process, kStopped);
  finish();
}

std::string& Child::messages() {
  drain();
  return messages_;
}

std::string how_ended(int status) {
  if (status >= 0) return "failed with exit code " + std::to_string(status);
  std::array<char, 32> code{};
  std::snprintf(code.data(), code.size(), "0x%08X", static_cast<unsigned>(status));
  return std::string("was ended by exception ") + code.data();
}

void end_children() noexcept {
  for (const std::atomic<HANDLE>& place : running_children) {
    if (HANDLE child = place.load()) TerminateProcess(child, kStopped);
  }
}

}  // namespace coracle::internal
