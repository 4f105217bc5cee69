// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/system/environment.h"
#include "base/system/path.h"
#include "base/system/windows_programs.h"

namespace coracle::internal {
namespace {

bool is_file(const std::wstring& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

/// The file of that name, or of that name and ".exe"; empty where there is none. Scripts (.bat) are no programs:
/// cmd.exe reads their words by rules of its own.
std::wstring program_at(const std::string& path) {
  std::wstring file = wide_text(path);
  std::wstring ending = file.substr(file.size() - std::min<size_t>(file.size(), 4));
  for (wchar_t& c : ending) c = c >= L'A' && c <= L'Z' ? static_cast<wchar_t>(c - L'A' + L'a') : c;
  if (ending != L".exe") file += L".exe";
  return is_file(file) ? file : std::wstring();
}

/// For which handles a program that is started inherits.
class InheritedHandles {
 public:
  explicit InheritedHandles(const ProgramStreams& streams) : handles_{streams.input, streams.output, streams.errors} {
    std::sort(handles_.begin(), handles_.end());
    const auto end = std::unique(handles_.begin(), handles_.end());  // none may be there twice
    SIZE_T bytes = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    memory_ = std::make_unique<char[]>(bytes);
    if (InitializeProcThreadAttributeList(get(), 1, 0, &bytes) == 0) {
      memory_.reset();
      return;
    }
    made_ =
        UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                  static_cast<SIZE_T>(end - handles_.begin()) * sizeof(HANDLE), nullptr, nullptr) != 0;
  }
  ~InheritedHandles() {
    if (memory_ != nullptr) DeleteProcThreadAttributeList(get());
  }
  InheritedHandles(const InheritedHandles&) = delete;
  InheritedHandles& operator=(const InheritedHandles&) = delete;

  bool made() const { return made_; }
  LPPROC_THREAD_ATTRIBUTE_LIST get() const { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.get()); }

 private:
  std::array<HANDLE, 3> handles_;
  std::unique_ptr<char[]> memory_;
  bool made_ = false;
};

}  // namespace

std::wstring program_file(const std::string& name) {
  if (name.find_first_of("/\\:") != std::string::npos) return program_at(name);
  const std::string path = environment_variable("PATH").value_or("");
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(kListSeparator, begin), path.size());
    std::string folder = path.substr(begin, end - begin);
    std::erase(folder, '"');
    begin = end + 1;
    if (!is_absolute(folder)) continue;
    if (std::wstring file = program_at(folder + "\\" + name); !file.empty()) return file;
  }
  return {};
}

HANDLE start_program(const std::vector<std::string>& words, const ProgramStreams* streams, DWORD flags) {
  const std::wstring file = program_file(words[0]);
  if (file.empty()) {
    errno = ENOENT;
    return nullptr;
  }
  std::wstring line = command_line_of(words);
  STARTUPINFOEXW start{};
  start.StartupInfo.cb = sizeof(start);
  std::unique_ptr<InheritedHandles> inherited;
  if (streams != nullptr) {
    inherited = std::make_unique<InheritedHandles>(*streams);
    if (!inherited->made()) {
      take_last_error();
      return nullptr;
    }
    start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    start.StartupInfo.hStdInput = streams->input;
    start.StartupInfo.hStdOutput = streams->output;
    start.StartupInfo.hStdError = streams->errors;
    start.lpAttributeList = inherited->get();
  }
  PROCESS_INFORMATION process{};
  if (CreateProcessW(file.c_str(), line.data(), nullptr, nullptr, TRUE, flags | EXTENDED_STARTUPINFO_PRESENT, nullptr,
                     nullptr, &start.StartupInfo, &process) == 0) {
    take_last_error();
    return nullptr;
  }
  CloseHandle(process.hThread);
  return process.hProcess;
}

}  // namespace coracle::internal
