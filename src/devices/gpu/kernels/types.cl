// SPDX-License-Identifier: Apache-2.0
// Elements of any type by the name of the type: f32 f16 i8 u8 i16 u16 i32 u32 i64 u64. Real numbers are float where
// they are computed with, whatever they are in memory.

typedef short i16;
typedef s8 i8;
typedef float f32;
#ifdef __CUDACC_RTC__
typedef u16 f16;
#define LOAD_f16(p, i) half_to_float((p)[i])
#define STORE_f16(p, i, x) ((p)[i] = float_to_half(x))
#else
#define f16 half
#define LOAD_half(p, i) vload_half((size_t)(i), (p))
#define STORE_half(p, i, x) vstore_half_rte((x), (size_t)(i), (p))
#define REGISTER_half float
#endif

#define LOAD_f32(p, i) ((p)[i])
#define LOAD_i8(p, i) ((p)[i])
#define LOAD_u8(p, i) ((p)[i])
#define LOAD_i16(p, i) ((p)[i])
#define LOAD_u16(p, i) ((p)[i])
#define LOAD_i32(p, i) ((p)[i])
#define LOAD_u32(p, i) ((p)[i])
#define LOAD_i64(p, i) ((p)[i])
#define LOAD_u64(p, i) ((p)[i])
#define STORE_f32(p, i, x) ((p)[i] = (x))
#define STORE_i8(p, i, x) ((p)[i] = (i8)(x))
#define STORE_u8(p, i, x) ((p)[i] = (u8)(x))
#define STORE_i16(p, i, x) ((p)[i] = (i16)(x))
#define STORE_u16(p, i, x) ((p)[i] = (u16)(x))
#define STORE_i32(p, i, x) ((p)[i] = (i32)(x))
#define STORE_u32(p, i, x) ((p)[i] = (u32)(x))
#define STORE_i64(p, i, x) ((p)[i] = (i64)(x))
#define STORE_u64(p, i, x) ((p)[i] = (u64)(x))
#define REGISTER_f32 float
#define REGISTER_f16 float
#define REGISTER_i8 int
#define REGISTER_u8 int
#define REGISTER_i16 int
#define REGISTER_u16 u16
#define REGISTER_i32 i32
#define REGISTER_u32 u32
#define REGISTER_i64 i64
#define REGISTER_u64 u64

#define LOAD_OF(type, p, i) LOAD_OF_(type, p, i)
#define LOAD_OF_(type, p, i) LOAD_##type(p, i)
#define STORE_OF(type, p, i, x) STORE_OF_(type, p, i, x)
#define STORE_OF_(type, p, i, x) STORE_##type(p, i, x)
#define REGISTER_OF(type) REGISTER_OF_(type)
#define REGISTER_OF_(type) REGISTER_##type
