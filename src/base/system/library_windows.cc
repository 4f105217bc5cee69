// SPDX-License-Identifier: Apache-2.0
#include "base/system/library.h"
#include "base/system/windows_text.h"

namespace coracle::internal {

// The current folder has no say, neither in what a name without a folder is nor in what a library needs.
void* load_library(const char* name) {
  constexpr DWORD kOfProgramAndSystem = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
  const std::wstring given = wide_text(name);
  if (given.find_first_of(L"/\\:") == std::wstring::npos) {
    return LoadLibraryExW(given.c_str(), nullptr, kOfProgramAndSystem);
  }
  std::wstring path(32768, L'\0');
  const DWORD length = GetFullPathNameW(given.c_str(), static_cast<DWORD>(path.size()), path.data(), nullptr);
  if (length == 0 || length >= path.size()) return nullptr;
  path.resize(length);
  return LoadLibraryExW(path.c_str(), nullptr, kOfProgramAndSystem | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR);
}

void* symbol_of(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

std::string library_fault() {
  wchar_t why[512];
  const DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr,
                                      GetLastError(), 0, why, 512, nullptr);
  std::string text = utf8_text({why, length});
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

std::string library_file_of(const void* address) {
  constexpr DWORD kHow = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  HMODULE library = nullptr;
  if (GetModuleHandleExW(kHow, static_cast<const wchar_t*>(address), &library) == 0) return {};
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(library, path.data(), static_cast<DWORD>(path.size())));
  return utf8_text(path);
}

}  // namespace coracle::internal
