// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cuda/driver.h"

/// The part of the interface of cuBLASLt (libcublasLt) that is used here, by its names: what the library exports since
/// 12.0. Its headers are not needed to build.
namespace coracle::internal::cuda {

using cublasStatus_t = int;
using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque_t*;

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

/// What cuBLASLt returns.
#define CORACLE_CUBLAS_RESULTS(X)       \
  X(CUBLAS_STATUS_SUCCESS, 0)           \
  X(CUBLAS_STATUS_NOT_INITIALIZED, 1)   \
  X(CUBLAS_STATUS_ALLOC_FAILED, 3)      \
  X(CUBLAS_STATUS_INVALID_VALUE, 7)     \
  X(CUBLAS_STATUS_ARCH_MISMATCH, 8)     \
  X(CUBLAS_STATUS_MAPPING_ERROR, 11)    \
  X(CUBLAS_STATUS_EXECUTION_FAILED, 13) \
  X(CUBLAS_STATUS_INTERNAL_ERROR, 14)   \
  X(CUBLAS_STATUS_NOT_SUPPORTED, 15)    \
  X(CUBLAS_STATUS_LICENSE_ERROR, 16)

/// Other numbers of cuBLASLt.
#define CORACLE_CUBLAS_NUMBERS(X)                   \
  X(CUDA_R_32F, 0)                                  \
  X(CUDA_R_16F, 2)                                  \
  X(CUDA_R_8I, 3)                                   \
  X(CUDA_R_32I, 10)                                 \
  X(CUBLAS_COMPUTE_32F, 68)                         \
  X(CUBLAS_COMPUTE_32I, 72)                         \
  X(CUBLAS_COMPUTE_32F_FAST_16BF, 75)               \
  X(CUBLAS_COMPUTE_32F_FAST_TF32, 77)               \
  X(CUBLAS_OP_N, 0)                                 \
  X(CUBLAS_OP_T, 1)                                 \
  X(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 5)          \
  X(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 6) \
  X(CUBLASLT_MATMUL_DESC_TRANSA, 3)                 \
  X(CUBLASLT_MATMUL_DESC_TRANSB, 4)                 \
  X(CUBLASLT_MATMUL_DESC_EPILOGUE, 7)               \
  X(CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8)           \
  X(CUBLASLT_EPILOGUE_DEFAULT, 1)                   \
  X(CUBLASLT_EPILOGUE_RELU, 2)                      \
  X(CUBLASLT_EPILOGUE_BIAS, 4)                      \
  X(CUBLASLT_EPILOGUE_RELU_BIAS, 6)                 \
  X(CUBLASLT_EPILOGUE_GELU, 32)                     \
  X(CUBLASLT_EPILOGUE_GELU_BIAS, 36)                \
  X(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1)    \
  X(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 3)  \
  X(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5)  \
  X(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6)  \
  X(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7)  \
  X(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8)  \
  X(CUBLASLT_REDUCTION_SCHEME_NONE, 0)              \
  X(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, 2)

#define CORACLE_CUBLAS_CONSTANT(name, value) inline constexpr int name = value;
CORACLE_CUBLAS_RESULTS(CORACLE_CUBLAS_CONSTANT)
CORACLE_CUBLAS_NUMBERS(CORACLE_CUBLAS_CONSTANT)
#undef CORACLE_CUBLAS_CONSTANT

/// Functions of cuBLASLt by the names that it exports: X(result, name, parameters...). Enumerations are passed as int.
#define CORACLE_CUBLASLT_FUNCTIONS(X)                                                                                  \
  X(size_t, cublasLtGetVersion, )                                                                                      \
  X(cublasStatus_t, cublasLtCreate, cublasLtHandle_t* handle)                                                          \
  X(cublasStatus_t, cublasLtDestroy, cublasLtHandle_t handle)                                                          \
  X(cublasStatus_t, cublasLtMatmulDescCreate, cublasLtMatmulDesc_t* product, int compute_type, int scale_type)         \
  X(cublasStatus_t, cublasLtMatmulDescDestroy, cublasLtMatmulDesc_t product)                                           \
  X(cublasStatus_t, cublasLtMatmulDescSetAttribute, cublasLtMatmulDesc_t product, int attribute, const void* value,    \
    size_t bytes)                                                                                                      \
  X(cublasStatus_t, cublasLtMatrixLayoutCreate, cublasLtMatrixLayout_t* layout, int type, uint64_t rows,               \
    uint64_t columns, int64_t leading_dimension)                                                                       \
  X(cublasStatus_t, cublasLtMatrixLayoutDestroy, cublasLtMatrixLayout_t layout)                                        \
  X(cublasStatus_t, cublasLtMatrixLayoutSetAttribute, cublasLtMatrixLayout_t layout, int attribute, const void* value, \
    size_t bytes)                                                                                                      \
  X(cublasStatus_t, cublasLtMatmulPreferenceCreate, cublasLtMatmulPreference_t* preference)                            \
  X(cublasStatus_t, cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreference_t preference)                            \
  X(cublasStatus_t, cublasLtMatmulPreferenceSetAttribute, cublasLtMatmulPreference_t preference, int attribute,        \
    const void* value, size_t bytes)                                                                                   \
  X(cublasStatus_t, cublasLtMatmulAlgoGetHeuristic, cublasLtHandle_t handle, cublasLtMatmulDesc_t product,             \
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,            \
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t* results, int* found)           \
  X(cublasStatus_t, cublasLtMatmulAlgoCheck, cublasLtHandle_t handle, cublasLtMatmulDesc_t product,                    \
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,            \
    const cublasLtMatmulAlgo_t* algorithm, cublasLtMatmulHeuristicResult_t* result)                                    \
  X(cublasStatus_t, cublasLtMatmul, cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void* alpha,          \
    const void* a, cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,  \
    const void* c, cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,                          \
    const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t workspace_bytes, CUstream stream)

// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared has none
#define CORACLE_CUBLASLT_MEMBER(result, name, ...) result (*name)(__VA_ARGS__) = nullptr;
struct ProductsApi {
  CORACLE_CUBLASLT_FUNCTIONS(CORACLE_CUBLASLT_MEMBER)
};
#undef CORACLE_CUBLASLT_MEMBER

}  // namespace coracle::internal::cuda
