// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>

namespace coracle::serve {
namespace {

constexpr const char* kFile = "libcoracle_serve_grpc.so";

/// Where the module of this program may lie: in the build tree, and installed.
std::vector<std::filesystem::path> module_places() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {folder / kFile, (folder / CORACLE_SERVE_MODULES / kFile).lexically_normal()};
}

}  // namespace

const GrpcModule* load_grpc_module() {
  for (const std::filesystem::path& place : module_places()) {
    std::error_code ignored;
    if (!std::filesystem::exists(place, ignored)) continue;
    // It stays loaded: gRPC has threads until the process ends.
    void* const library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Failure(Code::kUnavailable, std::string("gRPC cannot be had: ") + ::dlerror());
    const auto* const module = static_cast<const GrpcModule*>(::dlsym(library, "coracle_serve_grpc"));
    if (module == nullptr) throw Failure(Code::kUnavailable, place.string() + " is not a module of coracle-serve");
    if (std::string_view(module->build) != CORACLE_SERVE_BUILD) {
      throw Failure(Code::kUnavailable, place.string() + " is of another build (" + module->build +
                                            ") than coracle-serve (" +
                                            CORACLE_SERVE_BUILD "); install both packages in the same version");
    }
    return module;
  }
  return nullptr;
}

std::string no_grpc_module() {
  std::string places;
  for (const std::filesystem::path& place : module_places()) places += (places.empty() ? "" : " nor ") + place.string();
  return "--grpc-port needs a module that is not there; install the package coracle-serve-grpc. Neither " + places +
         " exists";
}

}  // namespace coracle::serve
