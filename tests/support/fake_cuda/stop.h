// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace coracle::internal::fake_cuda {

/// Ends the process where a program did what it may not, or the stand-in cannot go on.
[[noreturn]] inline void stop(const char* what) {
  std::fprintf(stderr, "fake CUDA driver: %s\n", what);
  std::abort();
}

}  // namespace coracle::internal::fake_cuda
