// SPDX-License-Identifier: Apache-2.0
// Static libraries of the system are compiled for programs, where `stderr` has a place of its own; in a shared library
// it has none, and the linker refuses them. With `--wrap=stderr` they take this pointer, which is the same stream.
#include <cstdio>

// Names of the linker and of glibc: they cannot be others.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
extern FILE _IO_2_1_stderr_ __attribute__((visibility("default")));
extern __attribute__((visibility("hidden"))) FILE* __wrap_stderr;
FILE* __wrap_stderr = &_IO_2_1_stderr_;
}
// NOLINTEND(bugprone-reserved-identifier)
