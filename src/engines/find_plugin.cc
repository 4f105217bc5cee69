// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "engines/block_view.h"
#include "engines/plugin.h"
#include "engines/plugin_engine.h"

namespace coracle::internal {
namespace {

constexpr std::string_view kPrefix = "libcoracle_engine_";
constexpr std::string_view kSuffix = ".so";

bool is_plain(std::string_view name) {
  constexpr size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// The folder of the library, or of the program, that this function is a part of; empty if that is not known.
std::string own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&find_plugin), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string file = info.dli_fname;
  const size_t slash = file.rfind('/');
  if (slash == std::string::npos) return {};
  const std::unique_ptr<char, decltype(&std::free)> whole(::realpath(file.substr(0, slash + 1).c_str(), nullptr),
                                                          &std::free);
  return whole == nullptr ? std::string() : std::string(whole.get());
}

/// Where plug-ins are looked for, in order. A program that has more rights than who started it heeds no environment.
/// Relative folders are left out: the current folder may be anybody's.
std::vector<std::string> folders() {
  std::vector<std::string> found;
  const char* path = ::secure_getenv("CORACLE_ENGINE_PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) found.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  found.push_back(own_folder());
  std::erase_if(found, [](const std::string& folder) { return folder.empty() || folder.front() != '/'; });
  return found;
}

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// The engine in a file, or what is wrong with it.
struct Loaded {
  std::unique_ptr<const Engine> engine;
  std::string fault;
};

/// A library that was opened stays: what it has started may not end with it.
Loaded load(const std::string& path, std::string_view name) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return {nullptr, text("it cannot be loaded: ", printable(why == nullptr ? "" : why))};
  }
  void* symbol = ::dlsym(library, "coracle_engine_get");
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
    const std::string file = text(kPrefix, name, kSuffix);
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
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), &::closedir);
    if (opened == nullptr) continue;
    while (const dirent* entry = ::readdir(opened.get())) {
      std::string_view name = entry->d_name;
      if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) || name.size() < kPrefix.size() + kSuffix.size()) {
        continue;
      }
      name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
      if (is_plain(name) && is_file(text(folder, "/", entry->d_name))) names.emplace_back(name);
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
