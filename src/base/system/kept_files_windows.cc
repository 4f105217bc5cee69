// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>

#include "base/system/kept_files.h"
#include "base/system/path.h"
#include "base/system/windows_text.h"

namespace coracle::internal {

bool make_folder(const std::string& path) {
  if (CreateDirectoryW(wide_text(path).c_str(), nullptr) != 0 || GetLastError() == ERROR_ALREADY_EXISTS) return true;
  take_last_error();
  return false;
}

bool make_folders(const std::string& path) {
  const size_t drive = path.size() > 2 && path[1] == ':' ? 3 : 1;
  for (size_t end = path.find_first_of(kSeparators, drive);; end = path.find_first_of(kSeparators, end + 1)) {
    if (!make_folder(path.substr(0, end))) return false;
    if (end == std::string::npos) return true;
  }
}

void mark_used(int file) {
  FILETIME now{};
  GetSystemTimeAsFileTime(&now);
  SetFileTime(reinterpret_cast<HANDLE>(::_get_osfhandle(file)), nullptr, nullptr, &now);
}

// Programs may set all times of a file.
bool time_of_change(const std::string& /*path*/, FileTime& /*time*/) { return false; }

int open_lock(const std::string& path) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE handle = CreateFileW(wide_text(path).c_str(), GENERIC_READ | GENERIC_WRITE, kShared, nullptr,
                                    OPEN_ALWAYS, FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    take_last_error();
    return -1;
  }
  const int file = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_RDWR | _O_BINARY | _O_NOINHERIT);
  if (file < 0) CloseHandle(handle);
  return file;
}

LockAttempt try_lock(int file) {
  OVERLAPPED place{};
  const HANDLE handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  if (LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place) != 0) {
    return LockAttempt::kHeld;
  }
  const DWORD why = GetLastError();
  return why == ERROR_LOCK_VIOLATION || why == ERROR_IO_PENDING ? LockAttempt::kTaken : LockAttempt::kImpossible;
}

void give_up_lock(int file, const std::string& path) {
  DeleteFileW(wide_text(path).c_str());
  OVERLAPPED place{};
  UnlockFileEx(reinterpret_cast<HANDLE>(::_get_osfhandle(file)), 0, 1, 0, &place);
  ::_close(file);
}

std::string user_cache_folder() {
  std::wstring folder(32768, L'\0');
  const DWORD length = GetEnvironmentVariableW(L"LOCALAPPDATA", folder.data(), static_cast<DWORD>(folder.size()));
  if (length >= folder.size()) return {};
  folder.resize(length);
  std::string path = utf8_text(folder);
  use_slashes(path);
  return is_absolute(path) ? path : std::string();
}

}  // namespace coracle::internal
