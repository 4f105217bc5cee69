// SPDX-License-Identifier: Apache-2.0
#include "base/kept_folder.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include "base/error.h"
#include "base/new_file.h"
#include "base/system/files.h"
#include "base/system/folder.h"
#include "base/system/kept_files.h"

namespace coracle::internal {
namespace {

struct KeptFile {
  std::string path;
  FileTime used;
  uint64_t bytes;
};

}  // namespace

void trim_kept_files(const std::string& folder, std::string_view ending, uint64_t bytes, const std::string& stays) {
  std::vector<KeptFile> kept;
  uint64_t sum = 0;
  Folder names(folder);
  if (!names.is_open()) return;
  const int64_t now = std::time(nullptr);
  while (const char* entry = names.next()) {
    const std::string_view name = entry;
    const size_t at = name.rfind(ending);
    if (at == std::string_view::npos) continue;
    const std::string_view behind = name.substr(at + ending.size());
    // NewFile adds the number of a process first.
    if (!behind.empty() && !(behind.size() > 1 && behind[0] == '.' && behind[1] >= '0' && behind[1] <= '9')) continue;
    std::string path = text(folder, "/", name);
    FileStatus status;
    if (!status_of_link(path, status) || !status.is_regular) continue;
    if (!behind.empty()) {
      remove_left_over(path, status, now);
      continue;
    }
    sum += status.size;
    if (path != stays) kept.push_back({std::move(path), status.modified, status.size});
  }
  std::sort(kept.begin(), kept.end(), [](const KeptFile& a, const KeptFile& b) { return a.used < b.used; });
  for (const KeptFile& file : kept) {
    if (sum <= bytes) break;
    if (remove_file(file.path)) sum -= file.bytes;
  }
}

}  // namespace coracle::internal
