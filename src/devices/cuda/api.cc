// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/api.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>

#include "base/error.h"
#include "base/process.h"
#include "base/python_packages.h"

namespace coracle::internal::cuda {
namespace {

constexpr char kLibrary[] = "libcuda.so.1";
constexpr int kOldestDriver = 12000;
constexpr int kNewestCompiler = 13;
constexpr int kOldestCompiler = 12;

template <class... Parameters>
CUresult gone(Parameters...) {
  return CUDA_ERROR_DEINITIALIZED;
}
template <class... Parameters>
void replace(CUresult (*&function)(Parameters...)) {
  function = gone<Parameters...>;
}

/// What was loaded, and what a forked child says of it.
struct Kept {
  LoadedDriver loaded;
  DriverApi* api = nullptr;
  std::string forked;
};
Kept& kept() {
  static Kept& all = *new Kept;
  return all;
}

/// In a forked child, where only what needs no memory and no lock may be done.
void give_up_after_fork() {
  Kept& all = kept();
  if (all.api == nullptr) return;
#define CORACLE_CUDA_REPLACE(result, name, ...) replace(all.api->name);
  CORACLE_CUDA_FUNCTIONS(CORACLE_CUDA_REPLACE)
#undef CORACLE_CUDA_REPLACE
  all.loaded.api = nullptr;
  all.loaded.missing.swap(all.forked);
  all.api = nullptr;
}

std::string version_text(int version) { return text(version / 1000, ".", version % 1000 / 10); }

LoadedDriver load_driver() {
  LoadedDriver loaded;
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    loaded.missing = text("NVIDIA's driver was not loaded (", reason != nullptr ? reason : kLibrary,
                          "): install it (Debian: libcuda1), version 525 or later");
    return loaded;
  }
  loaded.found = true;
  auto& api = *new DriverApi;
  const char* absent = nullptr;
  const auto find = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    if (function == nullptr && absent == nullptr) absent = name;
  };
#define CORACLE_CUDA_FIND(result, name, ...) find(api.name, #name);
  CORACLE_CUDA_FUNCTIONS(CORACLE_CUDA_FIND)
#undef CORACLE_CUDA_FIND
  if (api.cuDriverGetVersion != nullptr) api.cuDriverGetVersion(&loaded.version);
  if (loaded.version < kOldestDriver) {
    loaded.missing = text("NVIDIA's driver knows CUDA ", version_text(loaded.version),
                          "; 12.0 or later is needed: install driver 525 or later");
    return loaded;
  }
  if (absent != nullptr) {
    loaded.missing = text(kLibrary, " has no ", absent, ": install NVIDIA's driver, version 525 or later");
    return loaded;
  }
  kept().forked =
      text("this process was forked from process ", this_process(),
           ", which had loaded NVIDIA's driver, and that does not survive it: open devices in one of the two only, or "
           "start this process anew (Python: multiprocessing's method \"spawn\")");
  if (::pthread_atfork(nullptr, nullptr, give_up_after_fork) != 0) throw std::bad_alloc();
  kept().api = &api;
  loaded.api = &api;
  return loaded;
}

/// The folders that CORACLE_CUDA_PATH names.
std::vector<std::string> named_folders() {
  std::vector<std::string> folders;
  const char* variable = std::getenv("CORACLE_CUDA_PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty()) folders.push_back(text(folder, "/"));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return folders;
}

/// Where the loader looks, the toolkit's folder, and those of NVIDIA's packages for Python ("cu13" of CUDA 13, which
/// has all libraries in one).
std::vector<std::string> usual_folders() {
  std::vector<std::string> folders = {"", "/usr/local/cuda/lib64/"};
  for (const std::string& packages : python_package_folders()) {
    for (const char* library : {"/nvidia/cu13/lib/", "/nvidia/cuda_nvrtc/lib/"}) folders.push_back(packages + library);
  }
  return folders;
}

void* open_compiler(int newest) {
  for (const std::vector<std::string>& folders : {named_folders(), usual_folders()}) {
    for (int major = newest; major >= kOldestCompiler; --major) {
      for (const std::string& folder : folders) {
        const std::string path = text(folder, "libnvrtc.so.", major);
        if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      }
    }
  }
  return nullptr;
}

LoadedCompiler load_compiler() {
  LoadedCompiler loaded;
  const LoadedDriver& driver = loaded_driver();
  const int newest = driver.version == 0 ? kNewestCompiler : std::min(driver.version / 1000, kNewestCompiler);
  void* library = open_compiler(newest);
  if (library == nullptr) {
    loaded.missing =
        text("NVIDIA's run-time compiler (libnvrtc.so.", newest, ") was not found: install it (pip install ",
             newest >= kNewestCompiler ? "nvidia-cuda-nvrtc" : "nvidia-cuda-nvrtc-cu12",
             "; Debian: libnvrtc12), or name its folder in CORACLE_CUDA_PATH");
    return loaded;
  }
  auto& api = *new CompilerApi;
  const char* absent = nullptr;
  const auto find = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    if (function == nullptr && absent == nullptr) absent = name;
  };
#define CORACLE_CUDA_FIND(result, name, ...) find(api.name, #name);
  CORACLE_NVRTC_FUNCTIONS(CORACLE_CUDA_FIND)
#undef CORACLE_CUDA_FIND
  int major = 0;
  int minor = 0;
  int count = 0;
  if (absent == nullptr && api.nvrtcVersion(&major, &minor) == NVRTC_SUCCESS &&
      api.nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0) {
    loaded.architectures.resize(static_cast<size_t>(count));
    if (api.nvrtcGetSupportedArchs(loaded.architectures.data()) != NVRTC_SUCCESS) loaded.architectures.clear();
    std::sort(loaded.architectures.begin(), loaded.architectures.end());
  }
  if (loaded.architectures.empty()) {
    loaded.missing = text("libnvrtc.so.", newest, absent != nullptr ? " has no " : " knows no architecture",
                          absent != nullptr ? absent : "", ": NVRTC 12.0 or later is needed");
    return loaded;
  }
  loaded.version = major * 100 + minor;
  loaded.api = &api;
  return loaded;
}

}  // namespace

const LoadedDriver& loaded_driver() {
  static const LoadedDriver& loaded = kept().loaded = load_driver();
  return loaded;
}

const LoadedCompiler& loaded_compiler() {
  static const LoadedCompiler& loaded = *new LoadedCompiler(load_compiler());
  return loaded;
}

std::string code_text(CUresult code) {
  const char* name = "unknown error";
#define CORACLE_CUDA_NAME(constant, value) \
  if (code == (value)) name = #constant;
  CORACLE_CUDA_RESULTS(CORACLE_CUDA_NAME)
  return text(name, " (", code, ")");
}

std::string compiler_code_text(nvrtcResult code) {
  const char* name = "unknown error";
  CORACLE_NVRTC_RESULTS(CORACLE_CUDA_NAME)
#undef CORACLE_CUDA_NAME
  return text(name, " (", code, ")");
}

}  // namespace coracle::internal::cuda
