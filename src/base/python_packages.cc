// SPDX-License-Identifier: Apache-2.0
#include "base/python_packages.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace coracle::internal {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> prefixes() {
  std::vector<std::string> all;
  if (std::string active = variable("VIRTUAL_ENV"); !active.empty()) all.push_back(std::move(active));
  const std::string path = variable("PATH");
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    struct stat entry {};
    if (!folder.empty() && ::stat((folder + "/python3").c_str(), &entry) == 0) all.push_back(folder + "/..");
    begin = end + 1;
  }
  if (const std::string home = variable("HOME"); !home.empty()) all.push_back(home + "/.local");
  all.insert(all.end(), {"/usr", "/usr/local"});
  return all;
}

}  // namespace

std::vector<std::string> python_package_folders() {
  std::vector<std::string> folders;
  for (const std::string& prefix : prefixes()) {
    std::vector<std::string> versions;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(prefix + "/lib", none)) {
      if (entry.path().filename().string().starts_with("python3")) versions.push_back(entry.path());
    }
    std::sort(versions.rbegin(), versions.rend());
    for (const char* packages : {"/site-packages", "/dist-packages"}) {
      for (const std::string& version : versions) {
        if (fs::is_directory(version + packages, none)) folders.push_back(version + packages);
      }
    }
  }
  return folders;
}

}  // namespace coracle::internal
