// SPDX-License-Identifier: Apache-2.0
// Names that every kernel source begins with, in the dialect of the compiler: OpenCL C 1.2, or CUDA C by NVRTC.
//
//   KERNEL(name)(arguments)       a function that the host launches, of a name that neither has ("norm" is CUDA's);
//                                 FN one that kernels call
//   KERNEL_OF(name, x, y)(arguments)   one whose groups have x times y items
//   MAYBE_UNUSED                  before a variable that some definitions leave unused
//   GLOBAL LOCAL_PTR              of pointers: memory of the device, of the group
//   LOCAL_VAR                     of arrays declared in a kernel: memory of the group; sizes by definitions
//   RESTRICT                      of pointers: nothing else points there
//   global_id(d) local_id(d) group_id(d) local_size(d)   d is 0, 1 or 2, written as a number
//   UNROLL                        before a loop whose rounds are to stand one after the other: arrays that it goes over
//                                 are then in registers. OpenCL's compilers decide themselves
//   BARRIER()                     all items of the group have come here, and see what the others wrote to LOCAL memory
//   offset_t                      begin of a tensor in its memory, in elements: the argument that follows each pointer
//   u8 s8 u16 i32 u32 i64 u64     integers
//   STORED                        type of numbers in memory: float, half with -DHALF, or int8 with -DINT8
//   LOAD(p, i) STORE(p, i, x)     element i of `GLOBAL STORED* p` as float, rounded to nearest even when stored as half;
//                                 what is stored as int8 is one
//   DOT4(a, b, sum)               sum + a[0] * b[0] + ... + a[3] * b[3] of the four int8 in an int each, the first lowest
//   FMA(a, b, c)                  a * b + c, in one rounding where that is fast; nothing else is contracted
//   CLAIM(p)                      true for the first item alone that asks for the integer at p, which was 0
//   INFINITY_F LOWEST_F           float infinity; the lowest finite number; LOWEST_STORED that of STORED, in float
//   MATH(f)                       a float function of the dialect: MATH(exp)(x)
//
// No vector types, no headers, no sub-groups: both compilers take the rest of C99 as it stands.
#ifdef __CUDACC_RTC__

#define KERNEL(name) extern "C" __global__ void name
#define KERNEL_OF(name, x, y) extern "C" __global__ void __launch_bounds__((x) * (y), 1) name
#define FN [[maybe_unused]] static __device__ inline
#define MAYBE_UNUSED [[maybe_unused]]
#define GLOBAL
#define LOCAL_PTR
#define LOCAL_VAR __shared__ __align__(16)
#define RESTRICT __restrict__
#define DIMENSION_0 x
#define DIMENSION_1 y
#define DIMENSION_2 z
#define DIMENSION(d) DIMENSION_##d
#define MEMBER(a, b) a.b
#define OF(a, b) MEMBER(a, b)
#define local_id(d) ((int)OF(threadIdx, DIMENSION(d)))
#define group_id(d) ((int)OF(blockIdx, DIMENSION(d)))
#define local_size(d) ((int)OF(blockDim, DIMENSION(d)))
#define global_id(d) (group_id(d) * local_size(d) + local_id(d))
#define UNROLL _Pragma("unroll")
#define BARRIER() __syncthreads()
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef long long offset_t;
#define FMA(a, b, c) __fmaf_rn((a), (b), (c))
#define CLAIM(p) (atomicCAS((int*)(p), 0, 1) == 0)
#define INFINITY_F __int_as_float(0x7f800000)
#define MATH(name) name##f
#define DOT4(a, b, sum) __dp4a((a), (b), (sum))
FN float half_to_float(u16 bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
FN u16 float_to_half(float x) {
  u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#ifdef HALF
typedef u16 STORED;
#define LOAD(p, i) half_to_float((p)[i])
#define STORE(p, i, x) ((p)[i] = float_to_half(x))
#endif

#else

#pragma OPENCL FP_CONTRACT OFF
#define KERNEL(name) __kernel void name
#define KERNEL_OF(name, x, y) __kernel __attribute__((reqd_work_group_size(x, y, 1))) void name
#define FN static inline
#define MAYBE_UNUSED
#define GLOBAL __global
#define LOCAL_PTR __local
#define LOCAL_VAR __local
#define RESTRICT restrict
#define local_id(d) ((int)get_local_id(d))
#define group_id(d) ((int)get_group_id(d))
#define local_size(d) ((int)get_local_size(d))
#define global_id(d) ((int)get_global_id(d))
#define UNROLL
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
typedef uchar u8;
typedef char s8;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef long offset_t;
#ifdef FP_FAST_FMAF
#define FMA(a, b, c) fma((a), (b), (c))
#else
#define FMA(a, b, c) mad((a), (b), (c))
#endif
#define CLAIM(p) (atomic_cmpxchg((volatile GLOBAL int*)(p), 0, 1) == 0)
#define INFINITY_F INFINITY
#define MATH(f) f
#define DOT4(a, b, sum) dot_of_four((a), (b), (sum))
FN int dot_of_four(int a, int b, int sum) {
  return sum + (char)a * (char)b + (char)(a >> 8) * (char)(b >> 8) + (char)(a >> 16) * (char)(b >> 16) + (a >> 24) * (b >> 24);
}
#ifdef HALF
#define STORED half
#define LOAD(p, i) vload_half((size_t)(i), (p))
#define STORE(p, i, x) vstore_half_rte((x), (size_t)(i), (p))
#endif

#endif

#ifdef INT8
typedef s8 STORED;
#define LOAD(p, i) ((float)(p)[i])
#define STORE(p, i, x) ((p)[i] = (s8)(x))
#endif
#if !defined(HALF) && !defined(INT8)
typedef float STORED;
#define LOAD(p, i) ((p)[i])
#define STORE(p, i, x) ((p)[i] = (x))
#endif
#define LOWEST_F (-3.402823466e+38f)
#ifdef INT8
#define LOWEST_STORED (-128.0f)
#else
#define LOWEST_STORED LOWEST_F
#endif
