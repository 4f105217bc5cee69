// SPDX-License-Identifier: Apache-2.0
#include "base/python_packages.h"

#include <algorithm>
#include <string_view>

#include "base/system/environment.h"
#include "base/system/file_status.h"
#include "base/system/folder.h"
#include "base/system/path.h"

namespace coracle::internal {
namespace {

bool exists(const std::string& path) {
  FileStatus entry;
  return status_of(path, entry);
}

std::vector<std::string> prefixes() {
  std::vector<std::string> all;
  const auto given = [](const char* name) { return environment_variable(name).value_or(""); };
  if (std::string active = given("VIRTUAL_ENV"); !active.empty()) all.push_back(std::move(active));
  const std::string path = given("PATH");
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(kListSeparator, begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    if (!folder.empty() && exists(folder + "/python3")) all.push_back(folder + "/..");
    begin = end + 1;
  }
  if (const std::string home = given("HOME"); !home.empty()) all.push_back(home + "/.local");
  all.insert(all.end(), {"/usr", "/usr/local"});
  return all;
}

}  // namespace

std::vector<std::string> python_package_folders() {
  std::vector<std::string> folders;
  for (const std::string& prefix : prefixes()) {
    std::vector<std::string> versions;
    const std::string libraries = prefix + "/lib/";
    if (Folder folder(libraries); folder.is_open()) {
      while (const char* entry = folder.next()) {
        if (std::string_view(entry).starts_with("python3")) versions.push_back(libraries + entry);
      }
    }
    std::sort(versions.rbegin(), versions.rend());
    for (const char* packages : {"/site-packages", "/dist-packages"}) {
      for (const std::string& version : versions) {
        if (exists(version + packages)) folders.push_back(version + packages);
      }
    }
  }
  return folders;
}

}  // namespace coracle::internal
