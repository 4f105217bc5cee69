// SPDX-License-Identifier: Apache-2.0
#include "serve/model_sources.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

namespace fs = std::filesystem;

/// Names of models are parts of paths and of URLs.
void check_name(const std::string& name) {
  const bool fits = !name.empty() && name.size() <= 255 && name != "." && name != ".." &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return c > ' ' && c != '/' && c != '\\' && c != '?' && c != '#' && c != '%' && c < 127;
                    });
  if (!fits) throw Failure(Code::kInvalidArgument, "'" + name.substr(0, 64) + "' is not the name of a model");
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) throw Failure(Code::kUnavailable, path.string() + " cannot be read");
  return content;
}

}  // namespace

void check_model_names(const std::vector<std::pair<std::string, std::string>>& models) {
  std::set<std::string> names;
  for (const auto& [name, path] : models) {
    check_name(name);
    if (!names.insert(name).second)
      throw Failure(Code::kInvalidArgument, "two models are called '" + name + "'; NAME=PATH gives one another name");
  }
}

std::optional<int64_t> version_number(const std::string& name) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 1) return std::nullopt;
  return number;
}

std::vector<std::string> ModelSources::names_in_folder() const {
  std::vector<std::string> names;
  if (folder_.empty()) return names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename();
    if (entry.is_directory() && !name.starts_with('.')) names.push_back(name);
  }
  if (error) throw Failure(Code::kUnavailable, folder_.string() + " cannot be read: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> ModelSources::given_path(const std::string& name) const {
  for (const auto& [given, path] : models_) {
    if (given == name) return path;
  }
  return std::nullopt;
}

ModelSource ModelSources::find(const std::string& name) const {
  check_name(name);
  ModelSource source;
  if (const std::optional<std::string> path = given_path(name)) {
    source.versions[1] = *path;
    return source;
  }
  const fs::path folder = folder_ / name;
  if (folder_.empty() || !fs::is_directory(folder)) throw Failure(Code::kNotFound, "there is no model '" + name + "'");
  if (fs::exists(folder / "config.pbtxt")) {
    source.config = parse_model_config(content_of(folder / "config.pbtxt"), (folder / "config.pbtxt").string());
    source.has_config = true;
    if (!source.config.name.empty() && source.config.name != name) {
      throw Failure(Code::kInvalidArgument, (folder / "config.pbtxt").string() + ": name is '" + source.config.name +
                                                "', expected that of the folder, '" + name + "'");
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::optional<int64_t> version = version_number(entry.path().filename());
    if (version.has_value() && entry.is_directory()) source.versions[*version] = entry.path();
  }
  if (source.versions.empty()) {
    source.versions[1] = folder;
    return source;
  }
  const VersionPolicy& policy = source.config.versions;
  if (policy.kind == VersionPolicy::Kind::kLatest) {
    while (source.versions.size() > policy.latest) source.versions.erase(source.versions.begin());
  } else if (policy.kind == VersionPolicy::Kind::kSpecific) {
    for (const int64_t version : policy.specific) {
      if (!source.versions.contains(version)) {
        throw Failure(Code::kInvalidArgument, "model '" + name + "' has no version " + std::to_string(version) +
                                                  ", which its version_policy names");
      }
    }
    std::erase_if(source.versions, [&](const auto& version) {
      return std::find(policy.specific.begin(), policy.specific.end(), version.first) == policy.specific.end();
    });
  }
  return source;
}

std::string ModelSources::stamp(const std::string& name) const {
  std::ostringstream stamp;
  std::error_code error;
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / name, error)) {
    if (!entry.is_regular_file(error)) continue;
    files.push_back(entry.path().string() + ' ' + std::to_string(entry.file_size(error)) + ' ' +
                    std::to_string(entry.last_write_time(error).time_since_epoch().count()));
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) stamp << file << '\n';
  return stamp.str();
}

std::vector<std::string> ModelSources::parts_first(const std::vector<std::string>& names) const {
  std::vector<std::string> ordered;
  std::set<std::string> seen;
  const std::function<void(const std::string&)> visit = [&](const std::string& name) {
    if (!seen.insert(name).second) return;
    if (!is_given(name)) {
      try {
        for (const std::string& part : models_joined(find(name).config)) {
          if (!is_given(part) && fs::is_directory(folder_ / part)) visit(part);
        }
      } catch (const Failure&) {
        // It says why when it is loaded.
      }
    }
    ordered.push_back(name);
  };
  for (const std::string& name : names) visit(name);
  return ordered;
}

}  // namespace coracle::serve
