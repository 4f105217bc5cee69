// SPDX-License-Identifier: Apache-2.0
#include "vision/file.h"

#include <filesystem>
#include <fstream>

#include "base/system/native_path.h"
#include "coracle/coracle.hpp"

namespace coracle::vision {

std::string read_file(const std::string& path, Problem problem, std::size_t limit) {
  if (path.empty()) throw Error(problem, "the path of the file is empty");
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(internal::native_path(path), error);
  if (!std::filesystem::exists(status)) throw Error(problem, path + ": there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw Error(problem, path + ": not a regular file");
  std::ifstream file(internal::native_path(path), std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0) throw Error(problem, path + ": cannot be opened");
  if (static_cast<std::size_t>(size) > limit) {
    throw Error(problem,
                path + ": has " + std::to_string(size) + " bytes, at most " + std::to_string(limit) + " are read");
  }
  std::string content(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(content.data(), size)) throw Error(problem, path + ": cannot be read");
  return content;
}

void write_file(const std::string& path, const std::string& content) {
  const coracle_new_file file{path.c_str(), content.data(), content.size()};
  const coracle_status status = coracle_write_files(&file, 1);
  if (status == CORACLE_CANCELLED) throw coracle::Exception(status, coracle_last_error());
  if (status != CORACLE_OK) throw Error(Problem::kFile, coracle_last_error());
}

}  // namespace coracle::vision
