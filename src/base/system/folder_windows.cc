// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>

#include <cerrno>

#include "base/system/folder.h"
#include "base/system/windows_text.h"

namespace coracle::internal {

Folder::Folder(const std::string& path) : folder_(::_wopendir(wide_text(path).c_str())) {}

Folder::~Folder() {
  if (folder_ != nullptr) ::_wclosedir(static_cast<_WDIR*>(folder_));
}

const char* Folder::next() {
  errno = 0;
  const _wdirent* entry = ::_wreaddir(static_cast<_WDIR*>(folder_));
  if (entry == nullptr) return nullptr;
  name_ = utf8_text(entry->d_name);
  return name_.c_str();
}

}  // namespace coracle::internal
