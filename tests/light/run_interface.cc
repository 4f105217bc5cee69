// SPDX-License-Identifier: Apache-2.0
// Runs a saved model through the C interface of a library that is named, on inputs that follow from their sizes, and
// prints a checksum of each result and, with one thread, what the steps of a run were: the same program for libcoracle
// and for the light library.
//   run_interface LIBRARY MODEL.coracle THREADS ISA
#include <dirent.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "coracle/coracle.h"

namespace {

void* library = nullptr;

template <class F>
F* function(const char* name) {
  auto* found = reinterpret_cast<F*>(::dlsym(library, name));
  if (found == nullptr) std::fprintf(stderr, "%s\n", ::dlerror()), std::exit(2);
  return found;
}
#define FUNCTION(name) function<decltype(name)>(#name)

void check(coracle_status status) {
  if (status == CORACLE_OK) return;
  std::fprintf(stderr, "%s\n", FUNCTION(coracle_last_error)());
  std::exit(1);
}

int threads_now() {
  int count = 0;
  DIR* tasks = ::opendir("/proc/self/task");
  while (const dirent* entry = ::readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
  ::closedir(tasks);
  return count;
}

uint64_t fnv(const void* data, size_t bytes) {
  uint64_t hash = 14695981039346656037U;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211U;
  return hash;
}

/// With 1, 64 (of pictures' sides) or 8 (of others) for what the file leaves open.
void set_input(coracle_session* session, size_t index, const coracle_tensor_info& info) {
  int64_t dims[CORACLE_MAX_RANK];
  size_t count = 1;
  for (int i = 0; i < info.rank; ++i) {
    const bool side = info.rank == 4 && i >= 2;
    dims[i] = info.dims[i] > 0 ? info.dims[i] : i == 0 ? 1 : side ? 64 : 8;
    count *= static_cast<size_t>(dims[i]);
  }
  std::vector<float> reals(count);
  std::vector<int64_t> integers(count);
  for (size_t i = 0; i < count; ++i) {
    reals[i] = static_cast<float>(i * 37 % 101) / 50.5F - 1;
    integers[i] = static_cast<int64_t>(i % 7 + 1);
  }
  const void* data = info.dtype == CORACLE_FLOAT32 ? static_cast<const void*>(reals.data()) : integers.data();
  if (info.dtype != CORACLE_FLOAT32 && info.dtype != CORACLE_INT64) integers.assign(count, 0);
  check(FUNCTION(coracle_session_set_input)(session, index, info.dtype, info.rank, dims, data));
}

/// The steps of a run and what they did, without their times; nothing where the library was made without profiles.
void print_profile(coracle_session* session) {
  if (::dlsym(library, "coracle_session_profile") == nullptr) return;
  check(FUNCTION(coracle_session_set_profiling)(session, 1));
  check(FUNCTION(coracle_session_run)(session));
  const char* json = nullptr;
  check(FUNCTION(coracle_session_profile)(session, &json));
  const char* const kTime = "_ns\":";
  for (const char* at = json; *at != '\0';) {
    if (std::strncmp(at, kTime, std::strlen(kTime)) != 0) {
      std::putchar(*at++);
      continue;
    }
    at += std::strlen(kTime);
    while (*at >= '0' && *at <= '9') ++at;
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  library = ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::fprintf(stderr, "%s\n", ::dlerror()), 2;
  coracle_model_options options;
  FUNCTION(coracle_model_options_init)(&options, sizeof(options));
  options.cpu_isa = argv[4];
  coracle_model* model = nullptr;
  check(FUNCTION(coracle_model_load)(argv[2], nullptr, &options, &model));
  coracle_session_options session_options;
  FUNCTION(coracle_session_options_init)(&session_options, sizeof(session_options));
  session_options.threads = std::atoi(argv[3]);
  coracle_session* session = nullptr;
  check(FUNCTION(coracle_session_create)(model, &session_options, &session));
  for (size_t i = 0; i < FUNCTION(coracle_model_input_count)(model); ++i) {
    coracle_tensor_info info;
    check(FUNCTION(coracle_model_input)(model, i, &info));
    set_input(session, i, info);
  }
  if (threads_now() != 1) return std::fprintf(stderr, "%d threads before the first run\n", threads_now()), 1;
  check(FUNCTION(coracle_session_run)(session));
  for (size_t i = 0; i < FUNCTION(coracle_model_output_count)(model); ++i) {
    coracle_tensor_view view;
    check(FUNCTION(coracle_session_output)(session, i, &view));
    std::printf("%d %016llx", static_cast<int>(view.dtype),
                static_cast<unsigned long long>(fnv(view.data, view.bytes)));
    for (size_t k = 0; k < 3 && view.dtype == CORACLE_FLOAT32 && k < view.bytes / sizeof(float); ++k) {
      std::printf(" %.5g", static_cast<double>(static_cast<const float*>(view.data)[k]));
    }
    std::printf("\n");
  }
  if (session_options.threads == 1) print_profile(session);  // of more threads it says which of them helped
  FUNCTION(coracle_session_free)(session);
  FUNCTION(coracle_model_free)(model);
  return 0;
}
