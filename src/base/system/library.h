// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

namespace coracle::internal {

#if defined(_WIN32)
inline constexpr std::string_view kLibrarySuffix = ".dll";
void* load_library(const char* name);
void* symbol_of(void* library, const char* name);
std::string library_fault();
std::string library_file_of(const void* address);
#else

/// What names of libraries end with.
#if defined(__APPLE__)
inline constexpr std::string_view kLibrarySuffix = ".dylib";
#else
inline constexpr std::string_view kLibrarySuffix = ".so";
#endif
/// A shared library, which stays as long as the process; null where it cannot be loaded. Its names are its own.
inline void* load_library(const char* name) { return ::dlopen(name, RTLD_NOW | RTLD_LOCAL); }
/// Null where it has no such name.
inline void* symbol_of(void* library, const char* name) { return ::dlsym(library, name); }
/// Why the last one of this thread could not be loaded.
inline std::string library_fault() {
  const char* why = ::dlerror();
  return why == nullptr ? "" : why;
}
/// The file of the library, or of the program, that a function is a part of; empty if that is not known.
inline std::string library_file_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

#endif

}  // namespace coracle::internal
