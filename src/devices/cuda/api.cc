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
constexpr int kNewestToolkit = 13;
constexpr int kOldestToolkit = 12;
constexpr char kConvolutionsLibrary[] = "libcudnn.so.9";
constexpr size_t kConvolutionsMajor = 9;
constexpr CUresult kProductsCodes = 100000;      // statuses of cuBLASLt from here on
constexpr CUresult kConvolutionsCodes = 200000;  // those of cuDNN

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

/// The functions of a library, of which `absent` is the first that it has not.
class Functions {
 public:
  explicit Functions(void* library) : library_(library) {}
  template <class F>
  void find(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library_, name));
    if (function == nullptr && absent == nullptr) absent = name;
  }
  const char* absent = nullptr;

 private:
  void* library_;
};
#define CORACLE_CUDA_FIND(result, name, ...) functions.find(api.name, #name);

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
  Functions functions(library);
  CORACLE_CUDA_FUNCTIONS(CORACLE_CUDA_FIND)
  if (api.cuDriverGetVersion != nullptr) api.cuDriverGetVersion(&loaded.version);
  if (loaded.version < kOldestDriver) {
    loaded.missing = text("NVIDIA's driver knows CUDA ", version_text(loaded.version),
                          "; 12.0 or later is needed: install driver 525 or later");
    return loaded;
  }
  if (functions.absent != nullptr) {
    loaded.missing = text(kLibrary, " has no ", functions.absent, ": install NVIDIA's driver, version 525 or later");
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
std::vector<std::string> usual_folders(std::string_view package) {
  std::vector<std::string> folders = {"", "/usr/local/cuda/lib64/"};
  for (const std::string& packages : python_package_folders()) {
    for (const std::string_view library : {std::string_view("cu13"), package}) {
      folders.push_back(text(packages, "/nvidia/", library, "/lib/"));
    }
  }
  return folders;
}

/// The newest major version of a library of the toolkit that may be used.
int newest_version() {
  const int driver = loaded_driver().version;
  return driver == 0 ? kNewestToolkit : std::min(driver / 1000, kNewestToolkit);
}

/// From the first of the folders that has it.
void* open_in(const std::vector<std::string>& folders, std::string_view name) {
  for (const std::string& folder : folders) {
    const std::string path = text(folder, name);
    if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

/// The newest of at most that version, by its name without the version.
void* open_library(const char* name, std::string_view package) {
  for (const std::vector<std::string>& folders : {named_folders(), usual_folders(package)}) {
    for (int major = newest_version(); major >= kOldestToolkit; --major) {
      if (void* library = open_in(folders, text(name, major))) return library;
    }
  }
  return nullptr;
}

/// "(libnvrtc.so.12) was not found: install it (pip install nvidia-cuda-nvrtc-cu12; Debian: libnvrtc12), or name ..."
std::string not_found(const char* name, const char* pip, const char* debian) {
  const int newest = newest_version();
  return text("(", name, newest, ") was not found: install it (pip install ", pip,
              newest >= kNewestToolkit ? "" : "-cu12", "; Debian: ", debian,
              "12), or name its folder in CORACLE_CUDA_PATH");
}

LoadedCompiler load_compiler() {
  LoadedCompiler loaded;
  void* library = open_library("libnvrtc.so.", "cuda_nvrtc");
  if (library == nullptr) {
    loaded.missing = text("NVIDIA's run-time compiler ", not_found("libnvrtc.so.", "nvidia-cuda-nvrtc", "libnvrtc"));
    return loaded;
  }
  auto& api = *new CompilerApi;
  Functions functions(library);
  CORACLE_NVRTC_FUNCTIONS(CORACLE_CUDA_FIND)
  int major = 0;
  int minor = 0;
  int count = 0;
  if (functions.absent == nullptr && api.nvrtcVersion(&major, &minor) == NVRTC_SUCCESS &&
      api.nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0) {
    loaded.architectures.resize(static_cast<size_t>(count));
    if (api.nvrtcGetSupportedArchs(loaded.architectures.data()) != NVRTC_SUCCESS) loaded.architectures.clear();
    std::sort(loaded.architectures.begin(), loaded.architectures.end());
  }
  if (loaded.architectures.empty()) {
    loaded.missing = text("NVIDIA's run-time compiler (libnvrtc.so)",
                          functions.absent != nullptr ? " has no " : " knows no architecture",
                          functions.absent != nullptr ? functions.absent : "", ": NVRTC 12.0 or later is needed");
    return loaded;
  }
  loaded.version = major * 100 + minor;
  loaded.api = &api;
  return loaded;
}

/// Whether a variable of the environment switches a library off.
bool is_off(const char* variable) {
  const char* used = std::getenv(variable);
  return used != nullptr && std::string_view(used) == "0";
}

LoadedProducts load_products() {
  LoadedProducts loaded;
  if (is_off("CORACLE_CUBLASLT")) {
    loaded.missing = "CORACLE_CUBLASLT is 0";
    return loaded;
  }
  void* library = open_library("libcublasLt.so.", "cublas");
  if (library == nullptr) {
    loaded.missing = text("the library ", not_found("libcublasLt.so.", "nvidia-cublas", "libcublaslt"));
    return loaded;
  }
  auto& api = *new ProductsApi;
  Functions functions(library);
  CORACLE_CUBLASLT_FUNCTIONS(CORACLE_CUDA_FIND)
  if (functions.absent != nullptr) {
    loaded.missing = text("libcublasLt.so has no ", functions.absent, ": cuBLASLt 12.0 or later is needed");
    return loaded;
  }
  const size_t version = api.cublasLtGetVersion();
  loaded.version = text(version / 10000, ".", version / 100 % 100, ".", version % 100);
  loaded.api = &api;
  return loaded;
}

LoadedConvolutions load_convolutions() {
  LoadedConvolutions loaded;
  if (is_off("CORACLE_CUDNN")) {
    loaded.missing = "CORACLE_CUDNN is 0";
    return loaded;
  }
  const int newest = newest_version();
  const std::string install = text("install it (pip install nvidia-cudnn-cu", newest, ")");
  void* library = open_in(named_folders(), kConvolutionsLibrary);
  if (library == nullptr) library = open_in(usual_folders("cudnn"), kConvolutionsLibrary);
  if (library == nullptr) {
    loaded.missing = text("the library (", kConvolutionsLibrary, ") was not found: ", install,
                          ", or name its folder in CORACLE_CUDA_PATH");
    return loaded;
  }
  auto& api = *new ConvolutionsApi;
  Functions functions(library);
  CORACLE_CUDNN_FUNCTIONS(CORACLE_CUDA_FIND)
  const size_t version = functions.absent == nullptr ? api.cudnnGetVersion() : 0;
  if (version / 10000 != kConvolutionsMajor) {
    loaded.missing = text(kConvolutionsLibrary, functions.absent != nullptr ? " has no " : " is another version",
                          functions.absent != nullptr ? functions.absent : "", ": cuDNN 9 is needed: ", install);
    return loaded;
  }
  if (const size_t toolkit = api.cudnnGetCudartVersion(); toolkit / 1000 > static_cast<size_t>(newest)) {
    loaded.missing = text(kConvolutionsLibrary, " is made for CUDA ", version_text(static_cast<int>(toolkit)),
                          ", and NVIDIA's driver knows ", version_text(loaded_driver().version), ": ", install);
    return loaded;
  }
  loaded.version = text(version / 10000, ".", version / 100 % 100, ".", version % 100);
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

const LoadedProducts& loaded_products() {
  static const LoadedProducts& loaded = *new LoadedProducts(load_products());
  return loaded;
}

const LoadedConvolutions& loaded_convolutions() {
  static const LoadedConvolutions& loaded = *new LoadedConvolutions(load_convolutions());
  return loaded;
}

CUresult code_of_convolutions(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS: return CUDA_SUCCESS;
    case CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED:
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED: return CUDA_ERROR_OUT_OF_MEMORY;
    default: return kConvolutionsCodes + status;
  }
}

CUresult code_of_products(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return CUDA_SUCCESS;
  return status == CUBLAS_STATUS_ALLOC_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : kProductsCodes + status;
}

#define CORACLE_CUDA_NAME(constant, value) \
  if (code == (value)) name = #constant;

std::string code_text(CUresult code) {
  const char* name = "unknown error";
  if (code >= kConvolutionsCodes) {
    code -= kConvolutionsCodes;
    if (loaded_convolutions().api != nullptr) name = loaded_convolutions().api->cudnnGetErrorString(code);
    return text(name, " (", code, ")");
  }
  if (code >= kProductsCodes) {
    code -= kProductsCodes;
    CORACLE_CUBLAS_RESULTS(CORACLE_CUDA_NAME)
    return text(name, " (", code, ")");
  }
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
