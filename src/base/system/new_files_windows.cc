// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>

#include "base/system/new_files.h"
#include "base/system/this_process.h"
#include "base/system/windows_text.h"

namespace coracle::internal {
namespace {

bool worked(BOOL result) {
  if (result == 0) take_last_error();
  return result != 0;
}

/// The system removes it when its last handle is closed, where the file system can do that.
void mark_for_removal(HANDLE file, BOOL marked) {
  FILE_DISPOSITION_INFO disposition{};
  disposition.DeleteFile = static_cast<BOOLEAN>(marked);
  SetFileInformationByHandle(file, FileDispositionInfo, &disposition, sizeof(disposition));
}

}  // namespace

bool may_write(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(wide_text(path).c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) == 0) return true;
  errno = EACCES;
  return false;
}

int make_unnamed_file(const std::string& /*folder*/, FileAccess /*access*/) { return -1; }

int make_file(const std::string& path, FileAccess /*access*/) {
  const HANDLE handle =
      CreateFileW(wide_text(path).c_str(), GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                  CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    take_last_error();
    return -1;
  }
  mark_for_removal(handle, TRUE);
  const int file = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_WRONLY | _O_BINARY | _O_NOINHERIT);
  if (file < 0) CloseHandle(handle);
  return file;
}

bool keep_file(int file, FileAccess access) {
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  mark_for_removal(handle, FALSE);
  FILE_STANDARD_INFO info{};
  if (!worked(GetFileInformationByHandleEx(handle, FileStandardInfo, &info, sizeof(info)))) return false;
  if (info.DeletePending != 0) errno = EIO;
  if (info.DeletePending != 0 || access != FileAccess::kReading) return info.DeletePending == 0;
  FILE_BASIC_INFO attributes{};  // times that are 0 stay as they are
  attributes.FileAttributes = FILE_ATTRIBUTE_READONLY;
  return worked(SetFileInformationByHandle(handle, FileBasicInfo, &attributes, sizeof(attributes)));
}

bool name_file(int /*file*/, const std::string& /*path*/) {
  errno = ENOSYS;
  return false;
}

bool write_some(int file, std::span<const uint8_t>& bytes) {
  constexpr size_t kAtATime = size_t{16} << 20U;
  const int count = ::_write(file, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kAtATime)));
  if (count > 0) bytes = bytes.subspan(static_cast<size_t>(count));
  return count >= 0;
}

bool synchronise(int file) { return worked(FlushFileBuffers(reinterpret_cast<HANDLE>(::_get_osfhandle(file)))); }

void take_permissions(int /*file*/, const FileStatus& /*other*/) {}

bool replace_file(const std::string& from, const std::string& to) {
  const std::wstring source = wide_text(from);
  const std::wstring target = wide_text(to);
  const DWORD attributes = GetFileAttributesW(target.c_str());
  const bool is_protected = attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) != 0;
  if (is_protected) SetFileAttributesW(target.c_str(), attributes & ~DWORD{FILE_ATTRIBUTE_READONLY});
  if (MoveFileExW(source.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) return true;
  take_last_error();
  const int reason = errno;
  // One that is mapped cannot be replaced, but it can have another name: it is removed where its last user lets it.
  const std::wstring aside = target + L"." + std::to_wstring(this_process()) + L"." +
                             std::to_wstring(GetTickCount64()) + wide_text(kReplacedEnding);
  if (attributes != INVALID_FILE_ATTRIBUTES && MoveFileExW(target.c_str(), aside.c_str(), 0) != 0) {
    if (MoveFileExW(source.c_str(), target.c_str(), MOVEFILE_WRITE_THROUGH) != 0) {
      DeleteFileW(aside.c_str());
      return true;
    }
    MoveFileExW(aside.c_str(), target.c_str(), 0);
  }
  if (is_protected) SetFileAttributesW(target.c_str(), attributes);
  errno = reason;
  return false;
}

void synchronise_folder(const std::string& /*folder*/) {}

bool remove_file(const std::string& path) {
  const std::wstring name = wide_text(path);
  if (DeleteFileW(name.c_str()) != 0) return true;
  const DWORD attributes = GetFileAttributesW(name.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) != 0) {
    SetFileAttributesW(name.c_str(), attributes & ~DWORD{FILE_ATTRIBUTE_READONLY});
  }
  return worked(DeleteFileW(name.c_str()));
}

}  // namespace coracle::internal
