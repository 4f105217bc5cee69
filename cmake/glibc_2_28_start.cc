// SPDX-License-Identifier: Apache-2.0
// The start of a program that is to run with glibc 2.28 or newer: glibc_2_28.cc. Until 2.34 glibc left the constructors
// to a function that each program brought along; the older version of the entry, which newer ones have too, still calls
// it.

// Names of the linker and of glibc: they cannot be others.
// NOLINTBEGIN(bugprone-reserved-identifier)
#ifdef __aarch64__
#define FIRST_VERSION "GLIBC_2.17"
#else
#define FIRST_VERSION "GLIBC_2.2.5"
#endif
extern "C" {
using Main = int (*)(int, char**, char**);
using Function = void (*)();
using Constructor = void (*)(int, char**, char**);

extern const Constructor __init_array_start[] __attribute__((visibility("hidden")));
extern const Constructor __init_array_end[] __attribute__((visibility("hidden")));

static int run_constructors(int count, char** arguments, char** environment) {
  for (const Constructor* constructor = __init_array_start; constructor != __init_array_end; ++constructor) {
    (*constructor)(count, arguments, environment);
  }
  return 0;
}

__asm__(".symver old___libc_start_main, __libc_start_main@" FIRST_VERSION);
__attribute__((visibility("default"))) int old___libc_start_main(Main main, int count, char** arguments,
                                                                 Main constructors, Function destructors,
                                                                 Function unload, void* stack);

int __wrap___libc_start_main(Main main, int count, char** arguments, Main, Function, Function unload, void* stack) {
  return old___libc_start_main(main, count, arguments, run_constructors, nullptr, unload, stack);
}
}
// NOLINTEND(bugprone-reserved-identifier)
