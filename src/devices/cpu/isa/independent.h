// SPDX-License-Identifier: Apache-2.0
#pragma once

// Before a loop whose iterations do not depend on each other, which the compiler cannot see: it vectorises without
// asking at run time whether operands overlap.
#if defined(CORACLE_KEEP_LOOPS)
#define CORACLE_INDEPENDENT
#elif defined(__clang__)
#define CORACLE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CORACLE_INDEPENDENT _Pragma("GCC ivdep")
#endif
