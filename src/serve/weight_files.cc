// SPDX-License-Identifier: Apache-2.0
#include "serve/weight_files.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace coracle::serve {
namespace {

namespace fs = std::filesystem;

/// The files of a folder, or those that are called like the file beside their suffixes.
std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder ? path : fs::absolute(path, error).parent_path(), error)) {
    const bool is_part = folder || entry.path().stem() == path.stem() || entry.path().filename() == path.filename();
    if (is_part && entry.is_regular_file(error)) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

size_t copied_weights(const std::string& path) {
  std::vector<fs::path> files = files_of(path);
  // Where all weights are in one file, others are none.
  for (const char* suffix : {".pdiparams", ".coracle"}) {
    const auto is_other = [&](const fs::path& file) { return file.extension() != suffix; };
    if (!std::all_of(files.begin(), files.end(), is_other)) std::erase_if(files, is_other);
  }
  constexpr fs::perms kWrite = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  size_t bytes = 0;
  for (const fs::path& file : files) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (error || (status.permissions() & kWrite) == fs::perms::none) continue;
    const uintmax_t size = fs::file_size(file, error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace coracle::serve
