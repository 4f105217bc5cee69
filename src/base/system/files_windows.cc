// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/system/files.h"
#include "base/system/native_path.h"
#include "base/system/windows_text.h"

namespace coracle::internal {
namespace {

/// Others may read, write, rename and remove what is open here, as on other systems.
constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// Folders, too: what looks at them says what they are.
HANDLE opened(const std::wstring& path, DWORD access, DWORD flags = 0) {
  return CreateFileW(path.c_str(), access, kShared, nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags,
                     nullptr);
}

int descriptor_of(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) {
    take_last_error();
    return -1;
  }
  const int file = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (file < 0) CloseHandle(handle);
  return file;
}

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

uint64_t of_halves(DWORD high, DWORD low) { return uint64_t{high} << 32U | low; }

bool fill_status(HANDLE handle, FileStatus& status) {
  status = {};
  if (GetFileType(handle) != FILE_TYPE_DISK) return true;
  BY_HANDLE_FILE_INFORMATION info{};
  if (GetFileInformationByHandle(handle, &info) == 0) {
    take_last_error();
    return false;
  }
  constexpr uint64_t kTicks = 10'000'000;              // of 100 ns in a second
  constexpr int64_t kFrom1601To1970 = 11'644'473'600;  // seconds
  const uint64_t modified = of_halves(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime);
  status.size = of_halves(info.nFileSizeHigh, info.nFileSizeLow);
  status.device = info.dwVolumeSerialNumber;
  status.number = of_halves(info.nFileIndexHigh, info.nFileIndexLow);
  status.modified = {.seconds = static_cast<int64_t>(modified / kTicks) - kFrom1601To1970,
                     .nanoseconds = static_cast<int64_t>(modified % kTicks) * 100};
  status.is_folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  status.is_regular = !status.is_folder && (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0;
  status.has_writers = (info.dwFileAttributes & FILE_ATTRIBUTE_READONLY) == 0;
  status.is_private = true;  // folders of users are their own
  return true;
}

bool status_by_path(const std::string& path, DWORD flags, FileStatus& status) {
  const HANDLE handle = opened(wide_text(path), FILE_READ_ATTRIBUTES, flags);
  if (handle == INVALID_HANDLE_VALUE) {
    take_last_error();
    return false;
  }
  const bool known = fill_status(handle, status);
  CloseHandle(handle);
  return known;
}

}  // namespace

bool status_of(int file, FileStatus& status) { return fill_status(handle_of(file), status); }
bool status_of(const std::string& path, FileStatus& status) { return status_by_path(path, 0, status); }
bool status_of_link(const std::string& path, FileStatus& status) {
  return status_by_path(path, FILE_FLAG_OPEN_REPARSE_POINT, status);
}

std::string absolute_path(const std::string& path) {
  std::error_code without_working_folder;
  const std::filesystem::path absolute = std::filesystem::absolute(native_path(path), without_working_folder);
  return without_working_folder ? path : path_text(absolute);
}

int open_to_read(const char* path) { return descriptor_of(opened(wide_text(path), GENERIC_READ), _O_RDONLY); }

int open_plain_to_read(const std::string& path) {
  // Its time of use is set, too.
  return descriptor_of(opened(wide_text(path), GENERIC_READ | FILE_WRITE_ATTRIBUTES, FILE_FLAG_OPEN_REPARSE_POINT),
                       _O_RDONLY);
}

int open_to_write(const std::string& path) { return descriptor_of(opened(wide_text(path), GENERIC_WRITE), _O_WRONLY); }

void close_file(int file) { ::_close(file); }

bool close_written(int file) { return ::_close(file) == 0; }

int64_t read_at(int file, std::span<uint8_t> to, uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32U);
  constexpr size_t kMost = size_t{1} << 30U;
  DWORD got = 0;
  if (ReadFile(handle_of(file), to.data(), static_cast<DWORD>(std::min(to.size(), kMost)), &got, &place) != 0)
    return got;
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  take_last_error();
  return -1;
}

bool read_next(int file, void* to, size_t bytes) {
  constexpr size_t kMost = size_t{1} << 30U;
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    const int got = ::_read(file, at, static_cast<unsigned>(std::min(bytes, kMost)));
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

const void* map_file(int file, uint64_t offset, size_t bytes) {
  const HANDLE mapping = CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) return nullptr;
  const void* mapped =
      MapViewOfFile(mapping, FILE_MAP_READ, static_cast<DWORD>(offset >> 32U), static_cast<DWORD>(offset), bytes);
  CloseHandle(mapping);
  return mapped;
}

void unmap_file(const void* mapped, size_t /*bytes*/) { UnmapViewOfFile(mapped); }

// Pages that were never locked leave the process's memory, and come back from the file.
void put_away_pages(const void* begin, size_t bytes) { VirtualUnlock(const_cast<void*>(begin), bytes); }

size_t page_size() {
  SYSTEM_INFO system{};
  GetSystemInfo(&system);
  return system.dwAllocationGranularity;  // views of files begin at multiples of it
}

bool is_on_local_disk(int file) {
  wchar_t path[MAX_PATH + 8];
  const DWORD length = GetFinalPathNameByHandleW(handle_of(file), path, MAX_PATH + 8, FILE_NAME_NORMALIZED);
  if (length < 7 || length >= MAX_PATH + 8) return false;  // "\\?\C:\..."
  const wchar_t root[] = {path[4], L':', L'\\', L'\0'};
  return path[5] == L':' && GetDriveTypeW(root) == DRIVE_FIXED;
}

}  // namespace coracle::internal
