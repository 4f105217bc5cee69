// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>

#include <cerrno>

#include "base/system/folder.h"

namespace coracle::internal {

Folder::Folder(const std::string& path) : folder_(::opendir(path.c_str())) {}

Folder::~Folder() {
  if (folder_ != nullptr) ::closedir(static_cast<DIR*>(folder_));
}

const char* Folder::next() {
  errno = 0;
  const dirent* entry = ::readdir(static_cast<DIR*>(folder_));
  return entry == nullptr ? nullptr : entry->d_name;
}

}  // namespace coracle::internal
