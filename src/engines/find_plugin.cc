// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/system/environment.h"
#include "base/system/file_status.h"
#include "base/system/folder.h"
#include "base/system/library.h"
#include "base/system/native_path.h"
#include "base/system/path.h"
#include "engines/block_view.h"
#include "engines/plugin.h"
#include "engines/plugin_engine.h"

namespace coracle::internal {
namespace {

constexpr std::string_view kPrefix = "libcoracle_engine_";

bool is_plain(std::string_view name) {
  constexpr size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// The folder of the library, or of the program, that this function is a part of; empty if that is not known.
std::string own_folder() {
  const std::string file = library_file_of(reinterpret_cast<const void*>(&find_plugin));
  const size_t slash = last_separator(file);
  if (slash == std::string::npos) return {};
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::canonical(native_path(file.substr(0, slash + 1)), unknown);
  return unknown ? std::string() : path_text(whole);
}

/// Where plug-ins are looked for, in order. A program that has more rights than who started it heeds no environment.
/// Relative folders are left out: the current folder may be anybody's.
std::vector<std::string> folders() {
  std::vector<std::string> found;
  const std::string path = trusted_variable("CORACLE_ENGINE_PATH").value_or("");
  std::string_view rest = path;
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(kListSeparator), rest.size());
    if (colon > 0) found.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  found.push_back(own_folder());
  std::erase_if(found, [](const std::string& folder) { return !is_absolute(folder); });
  return found;
}

bool is_file(const std::string& path) {
  FileStatus status;
  return status_of(path, status) && status.is_regular;
}

/// The engine in a file, or what is wrong with it.
struct Loaded {
  std::unique_ptr<const Engine> engine;
  std::string fault;
};

/// A library that was opened stays: what it has started may not end with it.
Loaded load(const std::string& path, std::string_view name) {
  void* library = load_library(path.c_str());
  if (library == nullptr) return {nullptr, text("it cannot be loaded: ", printable(library_fault()))};
  void* symbol = symbol_of(library, "coracle_engine_get");
  if (symbol == nullptr) return {nullptr, "it exports no coracle_engine_get, so it is not a plug-in"};
  const auto get = reinterpret_cast<coracle_engine_get_function>(symbol);
  const coracle_engine* given = get(CORACLE_ENGINE_API_VERSION, &engine_host());
  std::string fault = plugin_fault(given, name);
  if (!fault.empty()) return {nullptr, std::move(fault)};
  return {std::make_unique<const PluginEngine>(*given, path), {}};
}

/// The plug-ins of this process, by name. What could not be loaded is tried again.
class Plugins {
 public:
  FoundEngine find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto known = loaded_.find(name);
    if (known != loaded_.end()) return {known->second.get(), {}};
    const std::string file = text(kPrefix, name, kLibrarySuffix);
    std::string searched;
    for (const std::string& folder : folders()) {
      const std::string path = text(folder, "/", file);
      if (is_file(path)) {
        Loaded loaded = load(path, name);
        if (loaded.engine == nullptr) {
          return {nullptr, text("the plug-in ", in_quotes(path), " cannot be used: ", loaded.fault)};
        }
        return {loaded_.emplace(name, std::move(loaded.engine)).first->second.get(), {}};
      }
      searched.append(searched.empty() ? "" : ", ").append(in_quotes(folder));
    }
    return {nullptr, text("there is no ", file, " in ", searched.empty() ? "any folder" : searched,
                          "; CORACLE_ENGINE_PATH may name others")};
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<const Engine>, std::less<>> loaded_;
};

}  // namespace

std::vector<std::string> plugin_names() {
  std::vector<std::string> names;
  for (const std::string& folder : folders()) {
    Folder opened(folder);
    if (!opened.is_open()) continue;
    while (const char* entry = opened.next()) {
      std::string_view name = entry;
      if (!name.starts_with(kPrefix) || !name.ends_with(kLibrarySuffix) ||
          name.size() < kPrefix.size() + kLibrarySuffix.size()) {
        continue;
      }
      name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kLibrarySuffix.size());
      if (is_plain(name) && is_file(text(folder, "/", entry))) names.emplace_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

FoundEngine find_plugin(std::string_view name) {
  if (!is_plain(name)) {
    return {nullptr, text("the name of an engine consists of a to z, 0 to 9 and _, given ", in_quotes(name))};
  }
  static auto* const plugins = new Plugins;  // for as long as the process: so are the libraries
  return plugins->find(name);
}

}  // namespace coracle::internal
