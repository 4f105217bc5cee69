// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/api.h"

#include <dlfcn.h>
#include <pthread.h>

#include <new>
#include <tuple>
#include <type_traits>

#include "base/error.h"
#include "base/process.h"

namespace coracle::internal::opencl {
namespace {

constexpr char kLibrary[] = "libOpenCL.so.1";

/// A function of a driver that is gone: of those that return an object the last parameter is for the code.
template <class Result, class... Parameters>
Result CL_API_CALL gone(Parameters... parameters) {
  if constexpr (std::is_pointer_v<Result>) {
    auto* code = std::get<sizeof...(Parameters) - 1>(std::tuple(parameters...));
    if (code != nullptr) *code = CL_DEVICE_NOT_AVAILABLE;
    return nullptr;
  } else {
    static_assert(std::is_same_v<Result, cl_int>);
    return CL_DEVICE_NOT_AVAILABLE;
  }
}
template <class Result, class... Parameters>
void replace(Result(CL_API_CALL*& function)(Parameters...)) {
  function = gone<Result, Parameters...>;
}

/// What was loaded, and what a forked child says of it.
struct Kept {
  LoadedApi loaded;
  Api* api = nullptr;
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
#define CORACLE_OPENCL_REPLACE(name) replace(all.api->name);
  CORACLE_OPENCL_FUNCTIONS(CORACLE_OPENCL_REPLACE)
#undef CORACLE_OPENCL_REPLACE
  all.loaded.api = nullptr;
  all.loaded.missing.swap(all.forked);
  all.api = nullptr;
}

LoadedApi load() {
  LoadedApi loaded;
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    loaded.missing = text("OpenCL's library was not loaded (", reason != nullptr ? reason : kLibrary,
                          "): install it (Debian: ocl-icd-libopencl1) and the driver of the device");
    return loaded;
  }
  auto& api = *new Api;
  const char* absent = nullptr;
  const auto find = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    if (function == nullptr && absent == nullptr) absent = name;
  };
#define CORACLE_OPENCL_FIND(name) find(api.name, #name);
  CORACLE_OPENCL_FUNCTIONS(CORACLE_OPENCL_FIND)
#undef CORACLE_OPENCL_FIND
  if (absent != nullptr) {
    loaded.missing = text(kLibrary, " has no ", absent, ": one of OpenCL 1.2 or later is needed");
    return loaded;
  }
  kept().forked =
      text("this process was forked from process ", this_process(),
           ", which had loaded OpenCL's drivers, and they do not survive that: open devices in one of the two "
           "only, or start this process anew (Python: multiprocessing's method \"spawn\")");
  if (::pthread_atfork(nullptr, nullptr, give_up_after_fork) != 0) throw std::bad_alloc();
  kept().api = &api;
  loaded.api = &api;
  return loaded;
}

}  // namespace

const LoadedApi& loaded_api() {
  static const LoadedApi& loaded = kept().loaded = load();
  return loaded;
}

const char* name_of_code(cl_int code) {
  struct Name {
    cl_int code;
    const char* name;
  };
#define CORACLE_OPENCL_NAME(code) \
  { code, #code }
  static constexpr Name kNames[] = {
      CORACLE_OPENCL_NAME(CL_DEVICE_NOT_FOUND),
      CORACLE_OPENCL_NAME(CL_DEVICE_NOT_AVAILABLE),
      CORACLE_OPENCL_NAME(CL_COMPILER_NOT_AVAILABLE),
      CORACLE_OPENCL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
      CORACLE_OPENCL_NAME(CL_OUT_OF_RESOURCES),
      CORACLE_OPENCL_NAME(CL_OUT_OF_HOST_MEMORY),
      CORACLE_OPENCL_NAME(CL_MEM_COPY_OVERLAP),
      CORACLE_OPENCL_NAME(CL_BUILD_PROGRAM_FAILURE),
      CORACLE_OPENCL_NAME(CL_MAP_FAILURE),
      CORACLE_OPENCL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
      CORACLE_OPENCL_NAME(CL_INVALID_VALUE),
      CORACLE_OPENCL_NAME(CL_INVALID_DEVICE),
      CORACLE_OPENCL_NAME(CL_INVALID_CONTEXT),
      CORACLE_OPENCL_NAME(CL_INVALID_COMMAND_QUEUE),
      CORACLE_OPENCL_NAME(CL_INVALID_MEM_OBJECT),
      CORACLE_OPENCL_NAME(CL_INVALID_BINARY),
      CORACLE_OPENCL_NAME(CL_INVALID_BUILD_OPTIONS),
      CORACLE_OPENCL_NAME(CL_INVALID_PROGRAM),
      CORACLE_OPENCL_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
      CORACLE_OPENCL_NAME(CL_INVALID_KERNEL_NAME),
      CORACLE_OPENCL_NAME(CL_INVALID_KERNEL),
      CORACLE_OPENCL_NAME(CL_INVALID_ARG_INDEX),
      CORACLE_OPENCL_NAME(CL_INVALID_ARG_VALUE),
      CORACLE_OPENCL_NAME(CL_INVALID_ARG_SIZE),
      CORACLE_OPENCL_NAME(CL_INVALID_KERNEL_ARGS),
      CORACLE_OPENCL_NAME(CL_INVALID_WORK_GROUP_SIZE),
      CORACLE_OPENCL_NAME(CL_INVALID_WORK_ITEM_SIZE),
      CORACLE_OPENCL_NAME(CL_INVALID_GLOBAL_OFFSET),
      CORACLE_OPENCL_NAME(CL_INVALID_EVENT),
      CORACLE_OPENCL_NAME(CL_INVALID_OPERATION),
      CORACLE_OPENCL_NAME(CL_INVALID_BUFFER_SIZE),
      CORACLE_OPENCL_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
  };
#undef CORACLE_OPENCL_NAME
  for (const Name& n : kNames) {
    if (n.code == code) return n.name;
  }
  return "unknown error";
}

std::string code_text(cl_int code) { return text(name_of_code(code), " (", code, ")"); }

}  // namespace coracle::internal::opencl
