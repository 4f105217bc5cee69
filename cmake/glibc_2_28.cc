// SPDX-License-Identifier: Apache-2.0
// Linked into a library or program that is to run with glibc 2.28 or newer, whatever the glibc it is linked on: the
// linker sends calls of each function below here (`--wrap`, which glibc_2_28.cmake gives it), and from here they go to
// what glibc 2.28 has too. Nothing is compiled for it in another way, and what nobody calls is left out by
// --gc-sections.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

// The version of what has always been there, and of struct stat.
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#define SINCE_2_3_4 "GLIBC_2.3.4"
constexpr int kStat = 1;
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#define SINCE_2_3_4 "GLIBC_2.17"
constexpr int kStat = 0;
#else
#error "the versions of symbols are those of x86-64 and aarch64"
#endif

// Names of the linker and of glibc: they cannot be others.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
#pragma GCC visibility push(default)  // these lie in glibc

#define WITH_OLD_VERSION(result, name, parameters, arguments) \
  __asm__(".symver old_" #name ", " #name "@" FIRST_VERSION); \
  result old_##name parameters;                               \
  result __wrap_##name parameters { return old_##name arguments; }

// New versions that leave out an old way of telling errors; the values are the same.
WITH_OLD_VERSION(double, exp, (double x), (x))
WITH_OLD_VERSION(double, log, (double x), (x))
WITH_OLD_VERSION(double, log2, (double x), (x))
WITH_OLD_VERSION(double, pow, (double x, double y), (x, y))
WITH_OLD_VERSION(double, hypot, (double x, double y), (x, y))

// Moved from libpthread.so.0 to libc.so.6, with a new version.
using Start = void* (*)(void*);
using Destroy = void (*)(void*);
WITH_OLD_VERSION(int, pthread_create,
                 (pthread_t * thread, const pthread_attr_t* attributes, Start start, void* argument),
                 (thread, attributes, start, argument))
WITH_OLD_VERSION(int, pthread_join, (pthread_t thread, void** result), (thread, result))
WITH_OLD_VERSION(int, pthread_detach, (pthread_t thread), (thread))
WITH_OLD_VERSION(int, pthread_getcpuclockid, (pthread_t thread, clockid_t* clock), (thread, clock))
WITH_OLD_VERSION(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t* attributes), (thread, attributes))
WITH_OLD_VERSION(int, pthread_attr_getstack, (const pthread_attr_t* attributes, void** begin, size_t* size),
                 (attributes, begin, size))
WITH_OLD_VERSION(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
WITH_OLD_VERSION(int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* before), (how, set, before))
WITH_OLD_VERSION(int, pthread_once, (pthread_once_t * once, void (*start)()), (once, start))
WITH_OLD_VERSION(int, pthread_key_create, (pthread_key_t * key, Destroy destroy), (key, destroy))
WITH_OLD_VERSION(int, __pthread_key_create, (pthread_key_t * key, Destroy destroy), (key, destroy))
WITH_OLD_VERSION(int, pthread_key_delete, (pthread_key_t key), (key))
WITH_OLD_VERSION(void*, pthread_getspecific, (pthread_key_t key), (key))
WITH_OLD_VERSION(int, pthread_setspecific, (pthread_key_t key, const void* value), (key, value))
__asm__(".symver old_pthread_setaffinity_np, pthread_setaffinity_np@" SINCE_2_3_4);
int old_pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* cpus);
int __wrap_pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* cpus) {
  return old_pthread_setaffinity_np(thread, size, cpus);
}

// Moved from libdl.so.2.
WITH_OLD_VERSION(void*, dlopen, (const char* file, int mode), (file, mode))
WITH_OLD_VERSION(int, dlclose, (void* library), (library))
WITH_OLD_VERSION(void*, dlsym, (void* library, const char* name), (library, name))
WITH_OLD_VERSION(char*, dlerror, (), ())
WITH_OLD_VERSION(int, dladdr, (const void* address, Dl_info* info), (address, info))

// Inline functions of the headers until glibc 2.33. There is one struct stat, which is also struct stat64.
int __xstat(int layout, const char* path, struct stat* status);
int __lxstat(int layout, const char* path, struct stat* status);
int __fxstat(int layout, int file, struct stat* status);
int __fxstatat(int layout, int folder, const char* path, struct stat* status, int flags);
int __wrap_stat(const char* path, struct stat* status) { return __xstat(kStat, path, status); }
int __wrap_stat64(const char* path, struct stat* status) { return __xstat(kStat, path, status); }
int __wrap_lstat(const char* path, struct stat* status) { return __lxstat(kStat, path, status); }
int __wrap_lstat64(const char* path, struct stat* status) { return __lxstat(kStat, path, status); }
int __wrap_fstat(int file, struct stat* status) { return __fxstat(kStat, file, status); }
int __wrap_fstat64(int file, struct stat* status) { return __fxstat(kStat, file, status); }
int __wrap_fstatat(int folder, const char* path, struct stat* status, int flags) {
  return __fxstatat(kStat, folder, path, status, flags);
}
int __wrap_fstatat64(int folder, const char* path, struct stat* status, int flags) {
  return __fxstatat(kStat, folder, path, status, flags);
}

// A program that has one thread may count references without atomic operations; those here always take them.
extern const char __wrap___libc_single_threaded = 0;

#pragma GCC visibility pop
}
// NOLINTEND(bugprone-reserved-identifier)
