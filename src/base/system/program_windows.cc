// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>
#include <process.h>

#include <cerrno>
#include <cstdio>

#include "base/system/program.h"
#include "base/system/windows_programs.h"
// After Windows' main header.
#include <psapi.h>
#include <shellapi.h>

namespace coracle::internal {
namespace {

InterruptCall interrupted_call = nullptr;
InterruptCall too_late_call = nullptr;
DWORD patience_of_interrupt = 0;
LONG interruptions = 0;

/// On a thread of its own.
BOOL WINAPI take_event(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  if (InterlockedIncrement(&interruptions) > 1) return FALSE;
  interrupted_call();
  Sleep(patience_of_interrupt);
  too_late_call();
  return TRUE;
}

HANDLE inherited(const std::wstring& path, DWORD access, DWORD how) {
  SECURITY_ATTRIBUTES inherits{sizeof(inherits), nullptr, TRUE};
  return CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherits, how, FILE_ATTRIBUTE_NORMAL,
                     nullptr);
}

}  // namespace

std::vector<std::string> program_arguments(int argc, const char* const* argv) {
  int count = 0;
  wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count);
  if (words == nullptr) return {argv, argv + argc};
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(utf8_text(words[i]));
  LocalFree(words);
  return arguments;
}

std::string own_program() {
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return utf8_text(path);
}

void prepare_streams() {
  for (int stream = 0; stream < 3; ++stream) ::_setmode(stream, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
}

bool errors_go_to_terminal() { return ::_isatty(2) != 0; }

void handle_interrupt(InterruptCall interrupted, InterruptCall too_late, std::chrono::milliseconds patience) {
  interrupted_call = interrupted;
  too_late_call = too_late;
  patience_of_interrupt = static_cast<DWORD>(patience.count());
  SetConsoleCtrlHandler(take_event, TRUE);
}

void end_program(std::string_view text, int code) {
  ::_write(2, text.data(), static_cast<unsigned>(text.size()));
  ::_exit(code);
}

void wait_to_be_ended() { Sleep(INFINITE); }

Ended run_to_end(const std::vector<std::string>& words, const std::string& log) {
  ProgramStreams streams{INVALID_HANDLE_VALUE, INVALID_HANDLE_VALUE, INVALID_HANDLE_VALUE};
  bool ready = true;
  if (!log.empty()) {
    streams.input = inherited(L"NUL", GENERIC_READ, OPEN_EXISTING);
    streams.output = inherited(wide_text(log), GENERIC_WRITE, CREATE_ALWAYS);
    streams.errors = streams.output;
    ready = streams.input != INVALID_HANDLE_VALUE && streams.output != INVALID_HANDLE_VALUE;
    if (!ready) take_last_error();
  }
  std::fflush(nullptr);
  const HANDLE process = ready ? start_program(words, log.empty() ? nullptr : &streams, 0) : nullptr;
  Ended ended;
  if (process == nullptr) {
    ended.error = errno;
  } else {
    DWORD code = 0;
    WaitForSingleObject(process, INFINITE);
    GetExitCodeProcess(process, &code);
    ended.status = static_cast<int>(code);
    CloseHandle(process);
  }
  if (streams.input != INVALID_HANDLE_VALUE) CloseHandle(streams.input);
  if (streams.output != INVALID_HANDLE_VALUE) CloseHandle(streams.output);
  return ended;
}

int become_program(const std::string& path, std::vector<std::string> words) {
  words[0] = path;
  const Ended ended = run_to_end(words);
  if (ended.error != 0) return ended.error;
  ::_exit(ended.status);
}

bool make_temporary_folder(std::string& path) {
  constexpr size_t kPattern = 6;
  constexpr int kAttempts = 100;
  const std::string stem = path.substr(0, path.size() - kPattern);
  for (int i = 0; i < kAttempts; ++i) {
    const uint64_t number = GetTickCount64() * 1000 + GetCurrentProcessId() + static_cast<uint64_t>(i);
    path = stem + std::to_string(number % 1'000'000 + 1'000'000).substr(1);
    if (CreateDirectoryW(wide_text(path).c_str(), nullptr) != 0) return true;
    if (GetLastError() != ERROR_ALREADY_EXISTS) break;
  }
  take_last_error();
  return false;
}

size_t peak_resident_bytes() {
  PROCESS_MEMORY_COUNTERS memory{};
  return GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof(memory)) != 0 ? memory.PeakWorkingSetSize : 0;
}

}  // namespace coracle::internal
