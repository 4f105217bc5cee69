// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace coracle::internal::test {

/// A new folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "coracle-test-XXXXXX").generic_string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(std::string_view name = {}) const { return name.empty() ? path_ : path_ + "/" + std::string(name); }
  /// Writes a file (and the folders it needs) and returns its path.
  std::string write(std::string_view name, std::string_view content) const {
    const std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    return file.generic_string();
  }

 private:
  std::string path_;
};

}  // namespace coracle::internal::test
