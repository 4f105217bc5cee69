// SPDX-License-Identifier: Apache-2.0
// The names of CUDA C that kernels/prelude.cl uses, and the functions that kernels call, for a compiler of C++ that
// looks at syntax and types only. What is not here, no kernel may use: NVRTC has no headers.
#pragma once

#define __CUDACC_RTC__
#define __global__
#define __device__
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(threads, blocks)
#define asm(...)

struct Position {
  unsigned x, y, z;
};
extern const Position threadIdx, blockIdx, blockDim;
void __syncthreads();
int atomicCAS(int* p, int expected, int value);
int __dp4a(int a, int b, int c);
float __fmaf_rn(float a, float b, float c);
float __int_as_float(int bits);
int max(int a, int b);
int min(int a, int b);

// Functions of CUDA's own whose names no kernel may have; the compiler knows those of C's mathematics.
extern "C" double norm(int count, const double* p);
extern "C" double rnorm(int count, const double* p);

#define CORACLE_ONE(name) extern "C" float name(float x);
#define CORACLE_TWO(name) extern "C" float name(float x, float y);
CORACLE_ONE(acosf)
CORACLE_ONE(asinf)
CORACLE_ONE(atanf)
CORACLE_ONE(ceilf)
CORACLE_ONE(cosf)
CORACLE_ONE(coshf)
CORACLE_ONE(erff)
CORACLE_ONE(expf)
CORACLE_ONE(expm1f)
CORACLE_ONE(fabsf)
CORACLE_ONE(floorf)
CORACLE_ONE(log10f)
CORACLE_ONE(log1pf)
CORACLE_ONE(log2f)
CORACLE_ONE(logf)
CORACLE_ONE(rintf)
CORACLE_ONE(roundf)
CORACLE_ONE(sinf)
CORACLE_ONE(sinhf)
CORACLE_ONE(sqrtf)
CORACLE_ONE(tanf)
CORACLE_ONE(tanhf)
CORACLE_ONE(truncf)
CORACLE_TWO(fmaxf)
CORACLE_TWO(powf)
extern "C" float fmaf(float a, float b, float c);
