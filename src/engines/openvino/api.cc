// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/api.h"

#include <dlfcn.h>
#include <glob.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/python_packages.h"

namespace coracle::internal::openvino {
namespace {

constexpr char kVariable[] = "CORACLE_OPENVINO";
constexpr char kName[] = "libopenvino_c.so";
// Those before compute wrong numbers where a part of a split is changed in place and the whole is read again.
constexpr int kFirstYear = 2025;

std::string variable(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_folder(const std::string& path) {
  struct stat entry {};
  return ::stat(path.c_str(), &entry) == 0 && S_ISDIR(entry.st_mode);
}

/// Files that fit a pattern of the shell, those with the greatest names first.
std::vector<std::string> files_like(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = found.gl_pathc; i > 0; --i) files.emplace_back(found.gl_pathv[i - 1]);
  }
  ::globfree(&found);
  return files;
}

void add_folder(const std::string& folder, std::vector<std::string>& files) {
  for (std::string& file : files_like(folder + "/" + kName + "*")) files.push_back(std::move(file));
}

/// A folder's name with what a pattern takes for a sign of its own as plain characters.
std::string plain(std::string_view folder) {
  std::string out;
  for (const char c : folder) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::vector<std::string> files_of_packages() {
  std::vector<std::string> files;
  for (const std::string& packages : python_package_folders()) add_folder(plain(packages) + "/openvino/libs", files);
  return files;
}

/// Names under which the loader may know it: the library's version stands behind the name.
std::vector<std::string> names_for_loader() {
  std::vector<std::string> names{kName};
  for (int year = 29; year >= kFirstYear - 2000; --year) {
    for (int release = 5; release >= 0; --release) {
      for (int patch = 3; patch >= 0; --patch) {
        names.push_back(text(kName, '.', year, release, patch));
      }
    }
  }
  return names;
}

std::string last_reason() {
  const char* reason = ::dlerror();
  return reason == nullptr ? "unknown reason" : reason;
}

/// The library in `file`, with what it needs from the same folder if it does not find that itself.
void* open(const std::string& file, std::string& reason) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  reason = last_reason();
  const size_t slash = file.rfind('/');
  if (slash == std::string::npos) return nullptr;
  for (const char* needed : {"libtbb.so*", "libopenvino.so*"}) {
    for (const std::string& other : files_like(plain(file.substr(0, slash + 1)) + needed)) {
      if (::dlopen(other.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) break;
    }
  }
  library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) reason = last_reason();
  return library;
}

void* find_library(std::string& why_not) {
  std::string reason;
  if (const std::string named = variable(kVariable); !named.empty()) {
    std::vector<std::string> files{named};
    if (is_folder(named)) {
      files.clear();
      for (const char* folder : {"", "/libs", "/runtime/lib/intel64", "/openvino/libs"}) {
        add_folder(plain(named) + folder, files);
      }
    }
    for (const std::string& file : files) {
      if (void* library = open(file, reason)) return library;
    }
    why_not = text(
        kVariable, " is ", named, ", where ",
        reason.empty() ? text("no ", kName, " is (nor in its libs folder)") : text("it cannot be loaded: ", reason));
    return nullptr;
  }
  for (const std::string& name : names_for_loader()) {
    if (void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  for (const std::string& file : files_of_packages()) {
    if (void* library = open(file, reason)) return library;
  }
  why_not = reason.empty() ? text(kName, " is neither where the loader looks nor among the packages of python3")
                           : text(kName, " cannot be loaded: ", reason);
  return nullptr;
}

/// Finds the number of float32: it is 4, or 5 in versions with a type before it that others do not have.
bool find_element_types(Api& api) {
  int64_t one = 1;
  double memory = 0;
  OvTensor* tensor = nullptr;
  if (api.tensor_from_host(5, {1, &one}, &memory, &tensor) != 0) return false;
  size_t bytes = 0;
  const bool known = api.tensor_bytes(tensor, &bytes) == 0 && (bytes == 4 || bytes == 8);
  api.tensor_free(tensor);
  api.float32 = bytes == 4 ? 5 : 4;
  return known;
}

std::string find_functions(void* library, Api& api) {
  const char* absent = nullptr;
  const auto find = [&]<class F>(F& function, const char* name, bool needed = true) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    if (function == nullptr && needed && absent == nullptr) absent = name;
  };
#define CORACLE_OPENVINO_FIND(name, symbol, parameters) find(api.name, #symbol);
  CORACLE_OPENVINO_FUNCTIONS(CORACLE_OPENVINO_FIND)
  CORACLE_OPENVINO_FREES(CORACLE_OPENVINO_FIND)
#undef CORACLE_OPENVINO_FIND
  find(api.last_error, "ov_get_last_err_msg", false);
  find(api.name_of_status, "ov_get_error_info", false);
  return absent == nullptr ? "" : text("it has no ", absent, ": OpenVINO ", kFirstYear, ".0 or later is needed");
}

LoadedApi load() {
  LoadedApi loaded;
  const auto because = [&](const std::string& reason) {
    loaded.missing = text("OpenVINO is missing: ", reason,
                          "; install it (pip install openvino) or name its library or "
                          "folder in the environment variable ",
                          kVariable);
    return loaded;
  };
  std::string why_not;
  void* library = find_library(why_not);
  if (library == nullptr) return because(why_not);
  auto& api = *new Api;
  if (std::string reason = find_functions(library, api); !reason.empty()) return because(reason);
  OvVersion version{};
  Core* core = nullptr;
  if (api.get_version(&version) != 0 || api.core_create(&core) != 0) return because("it does not start");
  api.version = version.build == nullptr ? "unknown" : version.build;
  api.version_free(&version);
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(api.get_version), &info) != 0 && info.dli_fname != nullptr) {
    api.file = info.dli_fname;
  }
  api.core = core;
  if (std::atoi(api.version.c_str()) < kFirstYear) {
    return because(text("it is ", api.version, ", and ", kFirstYear, ".0 or later is needed"));
  }
  if (!find_element_types(api)) return because("its element types are not known");
  loaded.api = &api;
  return loaded;
}

}  // namespace

int Api::element_type(DType dtype) const {
  switch (dtype) {
    case DType::kBool: return float32 - 3;
    case DType::kFloat32: return float32;
    case DType::kInt8: return float32 + 3;
    case DType::kInt32: return float32 + 5;
    case DType::kInt64: return float32 + 6;
    default: return 0;
  }
}

void Api::check(int status, const char* what) const {
  if (status == 0) return;
  std::string said;
  // Versions differ in whose memory the text is: it is left alone.
  if (const char* message = last_error == nullptr ? nullptr : last_error()) said = message;
  if (said.empty() && name_of_status != nullptr) said = name_of_status(status);
  constexpr size_t kMost = 1500;
  if (said.size() > kMost) said.resize(kMost);
  fail(ErrorCode::kRunFailure, "OpenVINO ", what, " failed with code ", status, said.empty() ? "" : ": ", said);
}

const LoadedApi& loaded_api() {
  static const LoadedApi& loaded = *new LoadedApi(load());
  return loaded;
}

}  // namespace coracle::internal::openvino
